"""Attacks: against other implementations, within their budget, and on the networks of a tiny configuration."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from pairedeval.consistency.views import OPERATORS, read_views
from pairedeval.errors import ImageError
from pairedeval.files import write_table
from pairedeval.images import write_store
from pairedeval.inference import attacks as attacks_module
from pairedeval.inference.attacked_views import first_evaluated, from_pixels, run_attacked_views
from pairedeval.inference.attacks import (
    BLOCK,
    STEPS,
    Attack,
    ascend,
    attack_grid,
    attack_images,
    cross_entropy,
    instability,
    random_start,
    stable_cross_entropy,
)
from pairedeval.inference.inputs import read_image_set, read_pixels
from pairedeval.models.configuration import load_configuration
from pairedeval.models.registry import ModelEntry, TrainingRecipe
from pairedeval.models.variants import train_seeds, training_set
from pairedeval.perturb.differentiable import differentiable, to_pixels
from pairedeval.perturb.operator_table import read_operators
from pairedeval.perturb.operators import apply_operator

TABLE = Path(__file__).parents[2] / "resources/conditions/operators.csv"
MILD = tuple(operator for operator in read_operators(TABLE) if operator.level == 1)
CLASSES = 4
SIDE = 16
SEED = 20260908
EPSILON = 8 / 255


@pytest.fixture
def network() -> nn.Module:
    """A small network that is not linear, and sure enough to be misled."""
    torch.manual_seed(3)
    layers = (nn.Conv2d(3, 6, 3), nn.Tanh(), nn.Flatten(), nn.Linear(6 * (SIDE - 2) ** 2, CLASSES))
    with torch.no_grad():
        layers[-1].weight *= 10
    return nn.Sequential(*layers).requires_grad_(False)


def example_images(count: int = 6) -> tuple[list[np.ndarray], list[str], np.ndarray]:
    """Images of all values, the ends included, their ids and labels."""
    images = np.random.default_rng(1).integers(0, 256, size=(count, SIDE, SIDE, 3)).astype(np.uint8)
    images[:, :4] = 0
    images[:, -4:] = 255
    return list(images), [f"image-{number}" for number in range(count)], np.arange(count) % CLASSES


def largest_change(images, attacked) -> int:
    return np.abs(np.stack(attacked).astype(int) - np.stack(images)).max()


# It imports from a place that SciPy is about to give up.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_plain_attack_equals_foolbox(network):
    import foolbox

    images, _, labels = example_images()
    pixels, targets = to_pixels(images), torch.from_numpy(labels)
    reached = ascend(cross_entropy(network, targets), pixels, pixels, EPSILON)
    attack = foolbox.attacks.LinfPGD(rel_stepsize=2.5 / 20, steps=20, random_start=False)
    expected = attack.run(foolbox.PyTorchModel(network.eval(), bounds=(0, 1)), pixels, targets, epsilon=EPSILON)
    torch.testing.assert_close(reached, expected, atol=1e-6, rtol=0)


def test_plain_attack_equals_its_formula_for_a_linear_model():
    generator = np.random.default_rng(2)
    weights = generator.normal(size=(CLASSES, 3 * SIDE * SIDE))
    images, ids, labels = example_images()
    pixels = to_pixels(images).double()
    start = random_start(pixels, ids, EPSILON, SEED)
    forward = lambda batch: batch.flatten(1) @ torch.from_numpy(weights).T  # noqa: E731
    reached = ascend(cross_entropy(forward, torch.from_numpy(labels)), pixels, start, EPSILON)
    original, expected = pixels.flatten(1).numpy(), start.flatten(1).numpy()
    for _ in range(20):
        logits = expected @ weights.T
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        slope = (shares - np.eye(CLASSES)[labels]) @ weights
        expected = expected + 2.5 / 20 * EPSILON * np.sign(slope)
        expected = np.clip(np.clip(expected, original - EPSILON, original + EPSILON), 0, 1)
    np.testing.assert_allclose(reached.flatten(1).numpy(), expected, atol=1e-12)


@pytest.mark.parametrize("attack", attack_grid([1, 2, 8, 64], [4], [5]), ids=lambda attack: attack.condition)
def test_the_budget_is_used_and_never_exceeded(network, attack):
    images, ids, labels = example_images(30)  # More than a block.
    attacked = attack_images(network, images, ids, labels, attack, MILD, SEED)
    assert {(image.dtype, image.shape) for image in attacked} == {(np.dtype(np.uint8), (SIDE, SIDE, 3))}
    assert len(attacked) == 30
    assert largest_change(images, attacked) == attack.epsilon


@pytest.mark.parametrize("weight", [0.0, 5.0])
def test_an_image_is_attacked_alike_whatever_its_company(network, weight):
    images, ids, labels = example_images(BLOCK + 4)
    together = attack_images(network, images, ids, labels, Attack(8, weight), MILD, SEED)
    alone = attack_images(network, images[BLOCK:], ids[BLOCK:], labels[BLOCK:], Attack(8, weight), MILD, SEED)
    # Sums of other batches are rounded otherwise, and a slope near 0 may change its sign.
    assert np.mean(np.stack(together[BLOCK:]) == np.stack(alone)) > 0.99


def test_attacks_raise_the_error_and_larger_budgets_raise_it_more(network):
    images, ids, labels = example_images()
    objective = cross_entropy(network, torch.from_numpy(labels))
    errors = [objective(to_pixels(images)).mean().item()]
    for attack in attack_grid([2, 4, 8], [], []):
        attacked = attack_images(network, images, ids, labels, attack, MILD, SEED)
        errors.append(objective(to_pixels(attacked)).mean().item())
    assert errors == sorted(errors)
    assert errors[-1] > errors[0] + 0.1


def test_the_objective_rises_from_step_to_step(network):
    images, ids, labels = example_images()
    pixels = to_pixels(images)
    values = []
    plain = cross_entropy(network, torch.from_numpy(labels))

    def watched(reached: torch.Tensor) -> torch.Tensor:
        value = plain(reached)
        values.append(value.mean().item())
        return value

    ascend(watched, pixels, random_start(pixels, ids, EPSILON, SEED), EPSILON)
    assert len(values) == STEPS
    assert (np.diff(values) > -1e-3).all()


def twins_of(ids):
    return [differentiable(operator, SEED, ids, (SIDE, SIDE)) for operator in MILD]


def test_without_weight_the_adaptive_attack_is_the_plain_one(network):
    images, ids, labels = example_images()
    pixels, targets = to_pixels(images).double(), torch.from_numpy(labels)
    network.double()
    plain = ascend(cross_entropy(network, targets), pixels, pixels, EPSILON)
    adaptive = ascend(stable_cross_entropy(network, targets, twins_of(ids), 0.0), pixels, pixels, EPSILON)
    torch.testing.assert_close(adaptive, plain, atol=1e-12, rtol=0)


def test_the_objective_of_the_adaptive_attack(network):
    images, ids, labels = example_images()
    value = stable_cross_entropy(network, torch.from_numpy(labels), twins_of(ids), 2.0)(to_pixels(images))
    for place, (image, image_id) in enumerate(zip(images, ids, strict=True)):
        views = [image, *(apply_operator(image, operator, SEED, image_id) for operator in MILD)]
        shares = network(to_pixels(views)).softmax(1).double().numpy()
        distances = [np.abs(share - shares[0]).sum() / 2 for share in shares[1:]]
        expected = -np.log(shares[0, labels[place]]) - 2 * np.mean(distances)
        # The operators on pixels round to 8 bits.
        assert value[place].item() == pytest.approx(expected, abs=0.01)


def test_weight_on_stability_buys_stability(network):
    images, ids, labels = example_images(12)
    reached = {}
    for weight in (0.0, 1.0, 20.0):
        attacked = attack_images(network, images, ids, labels, Attack(8, weight), MILD, SEED)
        pixels = to_pixels(attacked)
        views = torch.cat([pixels, *(twin(pixels) for twin in twins_of(ids))])
        shares = network(views).unflatten(0, (1 + len(MILD), len(ids))).softmax(2)
        error = cross_entropy(network, torch.from_numpy(labels))(pixels).mean().item()
        reached[weight] = (instability(shares).mean().item(), error)
    unstable, errors = zip(*reached.values(), strict=True)
    assert unstable[0] > unstable[1] > unstable[2]
    assert errors[0] > errors[2]


def test_the_attacker_makes_draws_of_its_own(network, monkeypatch):
    seeds = []

    def watched(operator, seed, *arguments):
        seeds.append(seed)
        return differentiable(operator, seed, *arguments)

    monkeypatch.setattr(attacks_module, "differentiable", watched)
    attack_images(network, *example_images(), Attack(4, 1.0), MILD, SEED)
    assert len(seeds) == len(OPERATORS)
    assert SEED not in seeds
    assert len(set(seeds)) == 1


def test_a_repetition_gives_the_same_bits(network):
    images, ids, labels = example_images()
    attack = Attack(4, 5.0)
    first = attack_images(network, images, ids, labels, attack, MILD, SEED)
    torch.manual_seed(99)  # The state that a caller leaves behind must not matter.
    again = attack_images(network, images, ids, labels, attack, MILD, SEED)
    other = attack_images(network, images, ids, labels, attack, MILD, SEED + 1)
    np.testing.assert_array_equal(again, first)
    assert (np.stack(other) != np.stack(first)).any()


def test_the_start_belongs_to_the_image_and_fills_the_budget():
    pixels = torch.full((3, 3, SIDE, SIDE), 0.5)
    start = random_start(pixels, ["a", "b", "c"], EPSILON, SEED)
    turned = random_start(pixels, ["c", "b", "a"], EPSILON, SEED)
    assert torch.equal(start, turned.flip(0))
    moved = (start - pixels) / EPSILON
    assert -1 <= moved.min() < -0.99 < 0.99 < moved.max() <= 1
    assert abs(moved.mean().item()) < 0.05
    ends = random_start(torch.tensor([0.0, 1.0]).repeat(1, 3, SIDE, SIDE // 2), ["a"], EPSILON, SEED)
    assert (ends.min(), ends.max()) == (0, 1)


ENTRY = ModelEntry("net", "nets", "linear", "softmax", (), 16, "softmax", "", TrainingRecipe("plain", 20, 0.01))
FACTS = {"study": "tiny", "config_digest": "0", "simulated": False}
GRID = attack_grid([2, 8], [8], [5])


class Configuration:
    """Images, index and weights of two seeds, and the call under test with a short argument list."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.index, self.store = folder / "index.parquet", folder / "clean.zip"
        self.weights = [folder / f"models/{number}.safetensors" for number in (1, 2)]

    def make(self) -> None:
        generator = np.random.default_rng(0)
        index = pd.DataFrame({"image_id": [f"image-{number:02d}" for number in range(48)]})
        index["label"] = (np.arange(48) % 3).astype(np.int32)
        index["class_id"] = index["class_name"] = [f"digit-{label}" for label in index["label"]]
        index["role"] = ["train"] * 30 + ["syn"] * 18
        index["split"] = [""] * 30 + ["development", "evaluation", "evaluation"] * 6
        pixels = generator.integers(0, 200, size=(48, 40, 40, 3))
        pixels[np.arange(48), :, :, index["label"]] += 20
        write_table(index, self.index)
        members = zip(index["image_id"], pixels.astype(np.uint8), strict=True)
        write_store(self.store, (("clean", image_id, image) for image_id, image in members))
        images = read_image_set(self.index, "train")
        chosen = training_set(
            "main", images.image_ids, images.labels, images.classes, affected=(), share=0.02, seed=SEED
        )
        train_seeds(ENTRY, read_pixels(self.store, "clean", chosen.image_ids), chosen, self.weights, seed=SEED)

    def run(self, name: str = "net", **changes: object):
        arguments = {"index": self.index, "store": self.store, "operators": TABLE, "images": 8, "seed": SEED}
        output = self.folder / f"{name}.npz"
        run_attacked_views(ENTRY, self.weights, GRID, output=output, facts=FACTS, **{**arguments, **changes})
        return output

    def loaded(self):
        """Return networks, chosen images and their pixels."""
        chosen = first_evaluated(self.index, 8)
        networks = load_configuration(ENTRY, self.weights, "main", chosen.classes).networks
        return networks, chosen, read_pixels(self.store, "clean", chosen.image_ids)


@pytest.fixture(scope="module")
def configuration(tmp_path_factory) -> Configuration:
    made = Configuration(tmp_path_factory.mktemp("configuration"))
    made.make()
    return made


def test_a_view_file_of_attacked_images(configuration):
    views = read_views(configuration.run())
    assert views.logits.shape == (2, 4, 7, 8, 3)
    assert views.conditions == ("clean", "plain-2", "plain-8", "adaptive-8-5")
    assert views.views == ("original", *(f"{operator}-1" for operator in OPERATORS))
    assert views.image_ids[:3] == ("image-31", "image-32", "image-34")
    assert set(views.splits) == {"evaluation"}
    assert views.labels.tolist() == [int(name[-2:]) % 3 for name in views.image_ids]
    metadata = {**FACTS, "kind": "attacked", "model": "net", "group": "nets", "seeds": 2}
    assert metadata.items() <= views.metadata.items()
    assert views.metadata["attacks"][2] == {"condition": "adaptive-8-5", "epsilon": 8, "stability_weight": 5.0}


def test_each_network_sees_its_own_attacked_images_through_the_defenders_operators(configuration):
    logits = read_views(configuration.run()).logits
    networks, chosen, pixels = configuration.loaded()
    for seed, network in enumerate(networks):
        forward = from_pixels(network, ENTRY.input_size)
        shown = [pixels]
        for attack in GRID:
            shown.append(attack_images(forward, pixels, chosen.image_ids, chosen.labels, attack, MILD, SEED))
        for condition, images in enumerate(shown):
            pairs = list(zip(images, chosen.image_ids, strict=True))
            views = [
                images,
                *([apply_operator(image, operator, SEED, name) for image, name in pairs] for operator in MILD),
            ]
            expected = np.stack([network.outputs(network.preprocess(view)) for view in views])
            np.testing.assert_allclose(logits[seed, condition], expected, atol=1e-5)


def test_a_function_of_pixels_does_what_the_model_does(configuration):
    networks, _, pixels = configuration.loaded()
    expected = networks[0].outputs(networks[0].preprocess(pixels))
    outputs = from_pixels(networks[0], ENTRY.input_size)(to_pixels(pixels)).detach()
    np.testing.assert_allclose(outputs.numpy(), expected, atol=1e-5)


def test_a_repeated_job_writes_the_same_bytes(configuration):
    assert configuration.run("first").read_bytes() == configuration.run("again").read_bytes()


def test_attacks_mislead_the_networks(configuration):
    views = read_views(configuration.run())
    predictions = views.logits[:, :, 0].argmax(axis=3)
    wrong = (predictions != views.labels).mean(axis=(0, 2))
    assert wrong[0] <= wrong[1] <= wrong[2]
    assert wrong[0] + 0.3 < wrong[2]


def test_too_few_images_and_images_of_two_sizes(configuration, tmp_path):
    with pytest.raises(ImageError, match=r"index\.parquet: 12 evaluation images, too few for 13 to attack; lower cons"):
        configuration.run(images=13)
    ids = read_image_set(configuration.index, "syn").image_ids
    sides = [40 + (image_id == "image-34") for image_id in ids]
    members = [("clean", name, np.zeros((40, side, 3), np.uint8)) for name, side in zip(ids, sides, strict=True)]
    write_store(tmp_path / "two.zip", members)
    with pytest.raises(ImageError, match=r"two\.zip: image image-34 has 41 x 40 px and image-31 40 x 40 px; attacks"):
        configuration.run(store=tmp_path / "two.zip")
