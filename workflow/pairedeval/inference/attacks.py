"""Attacks on the pixels of images within a budget: plain, or adapted to a defender who asks for stable predictions.

*Plain*: projected gradient ascent (PGD) on the cross-entropy of the true class. The attack starts at a random image
within the budget, moves every value by one step in the direction that raises the objective, and returns to the budget.

*Adaptive*: the same ascent on cross-entropy minus a weight times the instability of the attacked image. Instability is
the mean, over the six operators at level 1, of the total variation distance between the probabilities of the attacked
image and of its changed version: the plainest measure of stability that has a slope. The attacker knows the operators
but not the defender's draws, and makes one draw of its own for each image.

Source: arXiv 2610.36640, Sections 4.5, 5.8 and 6.3, by a summary: budgets of 2, 4 and 8 255ths in the maximum norm, 20
steps, a stability term, a noise draw that is not shared. The random start, the length of a step (2.5 times the budget
over the number of steps, enough to cross the budget) and the form of the stability term are ours.

Attacks work at the images' own resolution, through the model's preprocessing. Their result is rounded to 8 bits, which
cannot leave a budget of whole 255ths.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from pairedeval.perturb.differentiable import Twin, differentiable, to_images, to_pixels
from pairedeval.perturb.operator_table import Operator
from pairedeval.perturb.operators import FULL_SCALE
from pairedeval.seeds import derive_seed

STEPS = 20
# Length of a step as a share of the budget.
STEP = 2.5 / STEPS
# Images that are attacked together: few enough that all of their views stay in the processor's cache.
BLOCK = 25
# From pixels in [0, 1], shape (n, 3, height, width), to logits, shape (n, classes).
Forward = Callable[[torch.Tensor], torch.Tensor]
# From pixels to what the attacker wants to be large, shape (n,).
Objective = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Attack:
    """One attack.

    Attributes
    ----------
    epsilon
        Budget: largest change of a pixel value, in 255ths of full scale.
    stability_weight
        Weight of instability in the objective; 0 for the plain attack.
    """

    epsilon: int
    stability_weight: float = 0.0

    @property
    def condition(self) -> str:
        """Name of the condition in view files.

        Examples
        --------
        >>> Attack(8).condition, Attack(8, 5).condition
        ('plain-8', 'adaptive-8-5')
        """
        if self.stability_weight == 0:
            return f"plain-{self.epsilon}"
        return f"adaptive-{self.epsilon}-{self.stability_weight:g}"

    def facts(self) -> dict[str, Any]:
        """Return condition, budget and weight for the metadata of view files."""
        return {"condition": self.condition, **asdict(self)}


def attack_grid(
    budgets: Sequence[int], adaptive_budgets: Sequence[int], stability_weights: Sequence[float]
) -> tuple[Attack, ...]:
    """Return a plain attack for each budget, then an adaptive one for each pair of a budget and a weight.

    Examples
    --------
    >>> [attack.condition for attack in attack_grid([2, 8], [8], [1, 5])]
    ['plain-2', 'plain-8', 'adaptive-8-1', 'adaptive-8-5']
    """
    pairs = product(adaptive_budgets, stability_weights)
    return (*map(Attack, budgets), *(Attack(budget, float(weight)) for budget, weight in pairs))


def attack_images(
    forward: Forward,
    images: Sequence[np.ndarray],
    image_ids: Sequence[str],
    labels: np.ndarray,
    attack: Attack,
    operators: Sequence[Operator],
    seed: int,
    device: torch.device | str = "cpu",
) -> list[np.ndarray]:
    """Attack images as one who knows the network (white box).

    Parameters
    ----------
    forward
        The network with its preprocessing, from pixels in [0, 1] at the images' own resolution to logits.
    images, image_ids
        uint8 RGB images of one size, and their ids.
    labels
        Index of the true class of each image.
    attack
        Budget and objective.
    operators
        Operators whose effect an adaptive attack keeps small.
    seed
        Seed of the study, from which the attacker's own draws are derived.
    device
        Where `forward` computes.

    Returns
    -------
    list of numpy.ndarray
        uint8 RGB, no value further than the budget from the original.
    """
    own_seed = derive_seed(seed, "attacker")
    targets = torch.from_numpy(np.asarray(labels, dtype=np.int64)).to(device)
    attacked: list[np.ndarray] = []
    for first in range(0, len(images), BLOCK):
        part = slice(first, first + BLOCK)
        pixels = to_pixels(images[part]).to(device)
        ids, shape = image_ids[part], (pixels.shape[2], pixels.shape[3])
        objective = cross_entropy(forward, targets[part])
        if attack.stability_weight:
            twins = [differentiable(operator, own_seed, ids, shape) for operator in operators]
            objective = stable_cross_entropy(forward, targets[part], twins, attack.stability_weight)
        epsilon = attack.epsilon / FULL_SCALE
        start = random_start(pixels, ids, epsilon, own_seed)
        attacked += to_images(ascend(objective, pixels, start, epsilon))
    return attacked


def random_start(pixels: torch.Tensor, image_ids: Sequence[str], epsilon: float, seed: int) -> torch.Tensor:
    """Return pixels drawn uniformly from the budget, of one draw for each image whatever the budget."""
    generators = (np.random.default_rng(derive_seed(seed, "start", image_id)) for image_id in image_ids)
    drawn = np.stack([generator.random(pixels.shape[1:], np.float32) for generator in generators])
    return (pixels + epsilon * (2 * torch.from_numpy(drawn).to(pixels) - 1)).clamp(0, 1)


def ascend(objective: Objective, pixels: torch.Tensor, start: torch.Tensor, epsilon: float) -> torch.Tensor:
    """Raise an objective within a budget by `STEPS` steps along the sign of its slope.

    Parameters
    ----------
    objective
        From pixels to one value an image.
    pixels
        The originals in [0, 1], shape ``(n, 3, height, width)``.
    start
        Where the ascent starts, of the same shape.
    epsilon
        Budget in units of `pixels`.

    Returns
    -------
    torch.Tensor
        The last step's result, in [0, 1] and within the budget.
    """
    lowest, highest = (pixels - epsilon).clamp(min=0), (pixels + epsilon).clamp(max=1)
    reached = start
    for _ in range(STEPS):
        reached = reached.detach().requires_grad_()
        (slope,) = torch.autograd.grad(objective(reached).sum(), reached)
        reached = torch.clamp(reached.detach() + STEP * epsilon * slope.sign(), lowest, highest)
    return reached


def cross_entropy(forward: Forward, targets: torch.Tensor) -> Objective:
    """Return the objective of the plain attack; `targets` holds the true class of each image."""
    return lambda pixels: functional.cross_entropy(forward(pixels), targets, reduction="none")


def stable_cross_entropy(
    forward: Forward, targets: torch.Tensor, twins: Sequence[Twin], stability_weight: float
) -> Objective:
    """Return the objective of the adaptive attack: cross-entropy minus weighted instability under the operators."""

    def objective(pixels: torch.Tensor) -> torch.Tensor:
        views = torch.cat([pixels, *(twin(pixels) for twin in twins)])
        logits = forward(views).reshape(1 + len(twins), len(pixels), -1)
        error = functional.cross_entropy(logits[0], targets, reduction="none")
        return error - stability_weight * instability(logits.softmax(dim=2))

    return objective


def instability(probabilities: torch.Tensor) -> torch.Tensor:
    """Return the mean total variation distance of all views to the first one, shape ``(images,)``.

    Parameters
    ----------
    probabilities
        Shape ``(1 + operators, images, classes)``.

    Examples
    --------
    >>> instability(torch.tensor([[[1.0, 0.0]], [[0.5, 0.5]], [[1.0, 0.0]]])).item()
    0.25
    """
    return (probabilities[1:] - probabilities[0]).abs().sum(dim=2).mean(dim=0) / 2
