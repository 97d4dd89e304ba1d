"""How a model is run: what is switched off for equal bits, memory format, compilation, and shares of the threads."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from pairedeval.inference.execution import SWITCHED_OFF, Execution, arranged, reproducible
from pairedeval.models.loaded import LoadedModel

CPU, CUDA = torch.device("cpu"), torch.device("cuda")


def model_of(forward) -> LoadedModel:
    return LoadedModel("stub", "logits", float("nan"), float("nan"), ("a",), torch.from_numpy, forward, "none")


def interrupted(threads: int) -> None:
    """Look at the switches, then fail."""
    with reproducible(threads):
        assert torch.are_deterministic_algorithms_enabled()
        assert torch.get_num_threads() == threads
        assert not any(getattr(place, name) for place, name in SWITCHED_OFF)
        assert torch.get_float32_matmul_precision() == "highest"
        raise ZeroDivisionError


def test_switches_are_off_while_a_model_runs_and_come_back_after_an_error() -> None:
    threads = torch.get_num_threads()
    before = [getattr(place, name) for place, name in SWITCHED_OFF]
    assert any(before)
    with pytest.raises(ZeroDivisionError):
        interrupted(threads + 1)
    assert not torch.are_deterministic_algorithms_enabled()
    assert torch.get_num_threads() == threads
    assert [getattr(place, name) for place, name in SWITCHED_OFF] == before


@pytest.mark.parametrize("channels_last", [False, True])
def test_the_memory_format_reaches_the_convolutions_and_changes_rounding_only(channels_last: bool) -> None:
    torch.manual_seed(0)
    seen: list[bool] = []
    network = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 4, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    network[2].register_forward_pre_hook(
        lambda layer, batch: seen.append(batch[0].is_contiguous(memory_format=torch.channels_last))
    )
    batch = torch.randn(2, 3, 16, 16)
    outputs = arranged(model_of(network), Execution(channels_last=channels_last)).outputs(batch)
    assert seen == [channels_last]
    np.testing.assert_allclose(outputs, model_of(network).outputs(batch), atol=1e-6)


def test_compilation_is_for_each_size_of_batch_and_works_with_the_memory_format(monkeypatch) -> None:
    compiled: list[dict[str, object]] = []

    def compile_(forward, **options):
        compiled.append(options)
        return lambda batch: forward(batch) + 1

    monkeypatch.setattr(torch, "compile", compile_)
    batch = torch.ones(2, 3, 4, 4)
    plain = model_of(lambda batch: batch.sum(dim=(1, 2, 3)))
    for channels_last in (False, True):
        outputs = arranged(plain, Execution(compile=True, channels_last=channels_last)).outputs(batch)
        assert outputs.tolist() == [49, 49]
    assert compiled == [{"dynamic": False}] * 2
    assert arranged(plain, Execution()).forward is plain.forward


@pytest.mark.parametrize(("threads", "decoders"), [(1, 0), (2, 1), (4, 1), (8, 2), (16, 4)])
def test_on_the_cpu_model_and_decoders_share_the_threads(threads: int, decoders: int) -> None:
    execution = Execution(threads=threads)
    assert execution.decoders(CPU) == decoders
    assert execution.computing_threads(CPU) == threads - decoders
    assert execution.decoders(CUDA) == threads
    assert execution.computing_threads(CUDA) == threads


def test_origin_names_what_decides_the_bits(monkeypatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "a device")
    plain = Execution(threads=4)
    changes = ({"precision": "bfloat16"}, {"batch_size": 8}, {"channels_last": True}, {"compile": True})
    for device in (CPU, CUDA):
        origins = {plain.origin(device), *(replace(plain, **change).origin(device) for change in changes)}
        assert len(origins) == 5
    assert plain.origin(CPU) != replace(plain, threads=8).origin(CPU)
    # Beside an accelerator more threads decode faster, and the bits stay.
    assert plain.origin(CUDA) == replace(plain, threads=8).origin(CUDA)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "another device")
    assert plain.origin(CUDA)[-1] == "another device"
