"""Batches of one job: decoding in worker processes, memory that runs out, outputs that are fetched late."""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from pairedeval.errors import ImageError, ModelError, PairedEvalError
from pairedeval.images import ImageStore, write_store
from pairedeval.inference.batches import Batches, in_flight
from pairedeval.inference.decoding import PIECE, Decoder, lost_workers_explained
from pairedeval.inference.sets import ImageSets
from pairedeval.models.loaded import LoadedModel

CONDITIONS = ("clean", "fog-2", "snow-2")
IMAGE_IDS = tuple(f"{number:03}" for number in range(45))


def read(condition: str, image_id: str) -> np.ndarray:
    """Return an image whose pixels say which one it is."""
    return np.full((2, 2, 3), 50 * CONDITIONS.index(condition) + int(image_id), np.uint8)


def preprocess(images: Sequence[np.ndarray]) -> torch.Tensor:
    return torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2).float()


def model(largest: int = 1000, error: type[Exception] = torch.OutOfMemoryError, text: str = "full") -> LoadedModel:
    """Return a model that gives back the value of a pixel; its memory holds `largest` images."""

    def forward(batch: torch.Tensor) -> torch.Tensor:
        if len(batch) > largest:
            raise error(text)
        return batch[:, :2, 0, 0]

    return LoadedModel("stub", "logits", float("nan"), float("nan"), ("a", "b"), preprocess, forward, "none")


def run(stub: LoadedModel, batch_size: int, workers: int = 0, progress=lambda images: None) -> np.ndarray:
    """Return the outputs of all conditions, shape ``(conditions, images)``."""
    batches = Batches(stub, batch_size, Decoder(read, preprocess, workers=workers))
    return np.stack(list(batches.run(CONDITIONS, IMAGE_IDS, progress)))[:, :, 0]


forking = pytest.mark.skipif(sys.platform != "linux", reason="images are decoded in the job's own process there")
EXPECTED = np.array([[50 * place + number for number in range(45)] for place in range(3)], np.float32)


@pytest.mark.parametrize("workers", [0, 1, 2])
@pytest.mark.parametrize("batch_size", [1, 7, 45, 256])
def test_outputs_stand_in_the_order_of_conditions_and_images(workers: int, batch_size: int) -> None:
    done: list[int] = []
    np.testing.assert_array_equal(run(model(), batch_size, workers, done.append), EXPECTED)
    assert sum(done) == EXPECTED.size
    assert max(done) == min(batch_size, 45)


def test_a_batch_never_mixes_conditions_and_passes_in_small_pieces() -> None:
    decoder = Decoder(read, preprocess, workers=2)
    sizes = [len(batch) for batch in decoder.batches(CONDITIONS, IMAGE_IDS, 40)]
    assert sizes == [40, 5] * 3
    pieces: list[int] = []

    def counted(images: Sequence[np.ndarray]) -> torch.Tensor:
        pieces.append(len(images))
        return preprocess(images)

    list(Decoder(read, counted).batches(CONDITIONS, IMAGE_IDS, 40))
    assert pieces == sizes  # Without workers a batch is one piece: nothing is copied.
    assert PIECE < 40


@forking
def test_workers_are_other_processes_and_read_files_of_their_own(tmp_path: Path) -> None:
    images = [("clean", image_id, read("clean", image_id)) for image_id in IMAGE_IDS]
    write_store(tmp_path / "clean.zip", images)

    def with_process(pictures: Sequence[np.ndarray]) -> torch.Tensor:
        marks = [(float(picture[0, 0, 0]), float(os.getpid())) for picture in pictures]
        return torch.tensor(marks, dtype=torch.float64)

    with ImageSets([tmp_path / "clean.zip"]) as sets:
        sets.read("clean", "000")  # Moves the position that a fork would share.
        decoder = Decoder(sets.read, with_process, workers=2, start=sets.reopen)
        marks = torch.cat(list(decoder.batches(["clean"], IMAGE_IDS, 8)))
        assert sets.read("clean", "044")[0, 0, 0] == 44
    assert marks[:, 0].tolist() == list(range(45))
    processes = set(marks[:, 1].tolist())
    assert len(processes) == 2
    assert os.getpid() not in processes


def test_a_reopened_set_has_a_file_position_of_its_own(tmp_path: Path) -> None:
    write_store(tmp_path / "clean.zip", [("clean", "000", read("clean", "000"))])
    with ImageSets([tmp_path / "clean.zip"]) as sets:
        before = sets._stores["clean"]
        sets.reopen()
        assert sets._stores["clean"] is not before
        assert isinstance(before, ImageStore)


@pytest.mark.parametrize("workers", [0, 2])
def test_an_error_in_an_image_arrives_as_it_was_raised(workers: int) -> None:
    def broken(condition: str, image_id: str) -> np.ndarray:
        if (condition, image_id) == ("fog-2", "030"):
            raise ImageError("set.zip: fog-2/030.png is damaged; make the image set again")
        return read(condition, image_id)

    batches = Batches(model(), 20, Decoder(broken, preprocess, workers=workers)).run(CONDITIONS, IMAGE_IDS)
    np.testing.assert_array_equal(next(batches)[:, 0], EXPECTED[0])
    with pytest.raises(ImageError) as raised:
        next(batches)
    assert str(raised.value) == "set.zip: fog-2/030.png is damaged; make the image set again"


@forking
def test_a_worker_that_is_killed_is_explained() -> None:
    parent = os.getpid()

    def deadly(condition: str, image_id: str) -> np.ndarray:
        if image_id == "030" and os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return read(condition, image_id)

    batches = Batches(model(), 20, Decoder(deadly, preprocess, workers=2)).run(CONDITIONS, IMAGE_IDS)
    with (
        pytest.raises(
            PairedEvalError, match=r"^a process that decodes images was ended .*; start the job again with m"
        ),
        lost_workers_explained(),
    ):
        list(batches)


def test_other_errors_of_a_worker_are_not_explained_away() -> None:
    with pytest.raises(RuntimeError, match="an error of the code"), lost_workers_explained():
        raise RuntimeError("an error of the code")


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (torch.OutOfMemoryError, "CUDA out of memory. Tried to allocate 2 GiB"),
        (RuntimeError, "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
        (RuntimeError, "[enforce fail at alloc_cpu.cpp:121] DefaultCPUAllocator: can't allocate memory: 1 bytes"),
    ],
)
def test_batches_shrink_when_memory_runs_out(error: type[Exception], text: str, workers: int) -> None:
    np.testing.assert_array_equal(run(model(3, error, text), 8, workers), EXPECTED)


def test_memory_that_the_system_refuses_is_recognised() -> None:
    def forward(batch: torch.Tensor) -> torch.Tensor:
        if len(batch) > 2:
            torch.empty(2**58, dtype=torch.uint8)
        return batch[:, :2, 0, 0]

    greedy = LoadedModel("stub", "logits", float("nan"), float("nan"), ("a", "b"), preprocess, forward, "none")
    np.testing.assert_array_equal(run(greedy, 8), EXPECTED)


def test_other_errors_of_a_model_are_not_taken_for_lack_of_memory() -> None:
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        run(model(3, RuntimeError, "mat1 and mat2 shapes cannot be multiplied"), 8)


def test_a_reduced_batch_size_is_kept_and_logged(monkeypatch, caplog) -> None:
    failures: list[int] = []
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: failures.append(1))
    np.testing.assert_array_equal(run(model(2), 8), EXPECTED)
    assert len(failures) == 2  # 8 -> 4 -> 2, once.
    assert [record.getMessage() for record in caplog.records] == [
        "stub: memory ran out; going on with batches of 4",
        "stub: memory ran out; going on with batches of 2",
    ]


def test_an_image_that_never_fits_is_explained() -> None:
    with pytest.raises(
        ModelError, match=r"^stub: one image does not fit into the memory of cpu; use precision bfloat16"
    ):
        run(model(largest=0), 4)


@pytest.mark.parametrize("ahead", [0, 1, 3])
def test_the_next_batches_are_launched_before_one_is_fetched(ahead: int) -> None:
    events: list[str] = []

    def batches() -> Iterator[torch.Tensor]:
        for number in range(5):
            yield torch.tensor([number])

    def launch(batch: torch.Tensor) -> torch.Tensor:
        events.append(f"launch {batch.item()}")
        return batch

    for outputs in in_flight(batches(), launch, ahead):
        events.append(f"fetch {outputs.item()}")
    launched = [event for event in events if event.startswith("launch")]
    assert launched == [f"launch {number}" for number in range(5)]
    for number in range(5):
        before = events[: events.index(f"fetch {number}")]
        assert sum(event.startswith("launch") for event in before) == min(5, number + 1 + ahead)
