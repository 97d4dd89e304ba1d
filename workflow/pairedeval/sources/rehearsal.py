r"""Study ``rehearsal``: predictions of the paper's full shape without any image or model, from one generative model.

The study exercises every analysis at full scale. None of its numbers is a result: its images and captures do not exist,
its models merely carry the names, groups and sizes of the 44 in the paper, and all constants are set by hand. They are
chosen so that, with the study's seed, the tiers hold 44/5/5 (ES) and 51/25/86 (Diverse) conditions, as the paper's do,
and so that accuracies, shares of the states and interval widths are of its order. Nothing is fitted to a published
table.

The generative model, for model m, image i and condition c:

**Images** (`rehearsal_images`). An image has a difficulty :math:`d_i` and, for each family f of damage, a fragility
:math:`\phi_{if}` (logarithm), both with a part that its class shares; what makes an image fragile to any loss of
quality acts through all families, and a hard image is a little more fragile. Six confusable classes, k = 1 to 6, come
from the ten neighbours of the image's own class, so wrong answers repeat over conditions and models; each has a pull
:math:`p_{ik}`. In 2.2% of the images the first confusable class is what the image shows, whatever its label.

**Models** (`rehearsal_models`). Skill :math:`a_m` starts from a level of the group and grows with the logarithm of the
size. A model has a taste :math:`t_{mik}` for the true class (k = 0) and the confusable ones of each image, half of its
variance shared with its group; a vulnerability :math:`v_{mf}`, lower with skill; a gain :math:`g_m`; and five
attractors, classes that it names when it sees little.

**Conditions** (`rehearsal_conditions`). A condition has a severity :math:`\sigma_c`, shared out among the families with
weights :math:`w_{cf}`. Captures far from the right exposure are severe; screen and print have families of their own,
which no corruption foretells.

**Evidence** (`rehearsal_answers`). The share of the evidence that survives is

.. math::

    \rho_{mic} = \exp\Bigl(-\sigma_c e^{\omega_{ic}} \sum_f w_{cf} e^{\phi_{if} + v_{mf} + u_{mi}}\Bigr),

with :math:`\omega_{ic}` and :math:`u_{mi}` normal: the first belongs to the perturbed image, the second to the model.
Scores fade with it, and noise takes their place:

.. math::

    s_{mic0} &= \rho (a_m - d_i + t_{mi0}) + \sqrt{1 - \rho^2}\,\varepsilon_{mic0}, \\
    s_{mick} &= \rho (p_{ik} + t_{mik}) + \sqrt{1 - \rho^2}\,\varepsilon_{mick}, \\
    s_{micj} &= (1 - \rho) \alpha_{mcj} - \rho\beta + \sqrt{1 - \rho^2}\,\varepsilon_{micj}

for the true class, the confusable classes and the attractors; models share half of the variance of
:math:`\varepsilon`. A listed class that is also an attractor gets :math:`(1 - \rho)\alpha` on top.

**Confidence**. Logits are :math:`g_m (1 - 0.35 (1 - \rho)^3) s`: who sees little is less sure. Let q be the largest
softmax probability among these twelve. All other candidates together hold :math:`(1 - q)/2` of the probability, spread
unevenly, and the twelve share the rest, so that :math:`S = q(1 + q)/2` and the answer is always one of the twelve.
Records need only the twelve; probe files spell out all candidates, and both score the same.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.files import read_table, write_json
from pairedeval.inference.store import common_metadata
from pairedeval.models.registry import ModelEntry
from pairedeval.models.versions import software_versions
from pairedeval.probes import Probes, write_probes
from pairedeval.records import write_records
from pairedeval.scoring import Scores, score_common
from pairedeval.sources.rehearsal_answers import answer, outputs, score
from pairedeval.sources.rehearsal_conditions import Perturbation, perturbations
from pairedeval.sources.rehearsal_images import Images, describe_images
from pairedeval.sources.rehearsal_models import ModelTraits, model_traits, taste_of
from pairedeval.splits import BASE, role_of_source


def simulate_model(
    entry: ModelEntry,
    *,
    index: str | Path,
    conditions: str | Path,
    records: Mapping[str, str | Path],
    probes: str | Path,
    description: str | Path,
    seed: int,
    facts: Mapping[str, Any],
) -> None:
    """Write the records and the probe outputs of one simulated model.

    Parameters
    ----------
    entry
        Row of the registry; its name, group, size and kind of scoring count.
    index
        ``results/<study>/images/index.parquet``; see `rehearsal_images.build_index`.
    conditions
        Folder of the tables of conditions.
    records
        Target by source: ``syn``, ``es``, ``diverse``. Records of Syn-B are scored from the probes, as in all studies.
    probes
        Target ``probes/<model>.npz``.
    description
        Target ``models/<model>.json``, the facts that other studies keep beside the weights.
    seed
        Seed of the study.
    facts
        Metadata of the study: study and config_digest.

    Raises
    ------
    ModelError
        If the registry does not say what the simulation needs.
    """
    model, table = model_traits(entry, seed), read_table(index)
    images = {role: describe_images(table, role, seed) for role in set(map(role_of_source, records)) | {BASE}}
    known = {**facts, "model": model.model, "group": model.group, "simulated": True}
    stored = simulate_probes(model, images[BASE], perturbations("base", conditions), seed, known)
    write_probes(stored, probes)
    for source, path in records.items():
        own = images[role_of_source(source)]
        frame = simulate_records(model, own, source, perturbations(source, conditions), seed, stored)
        write_records(frame, path, {**_shared(own), **known, "source": source})
    write_json({"model": model.model, "parameters": entry.parameters, "simulated": True}, description)


def simulate_probes(
    model: ModelTraits, images: Images, variants: Sequence[Perturbation], seed: int, facts: Mapping[str, Any]
) -> Probes:
    """Draw the outputs of a model on every variant of the base images, ``clean`` first."""
    taste = taste_of(model, images, BASE, seed)
    candidates, outside = outputs(answer(model, taste, images, variants, seed, BASE), taste, model.scoring)
    return Probes(
        outputs=candidates,
        outside=outside,
        variants=tuple(variant.condition for variant in variants),
        image_ids=tuple(images.image_ids.tolist()),
        labels=images.labels,
        splits=tuple(images.splits.tolist()),
        candidates=images.candidates,
        scoring=model.scoring,
        scale=model.scale,
        bias=model.bias,
        metadata={**_shared(images), **facts},
    )


def simulate_records(
    model: ModelTraits,
    images: Images,
    source: str,
    conditions: Sequence[Perturbation],
    seed: int,
    probes: Probes,
) -> pd.DataFrame:
    """Draw the records of a model on one source.

    Parameters
    ----------
    model, images
        The model and the images of the source's role.
    source
        Id of the source.
    conditions
        Its conditions, ``clean`` first.
    seed
        Seed of the study.
    probes
        Outputs on the base images. The clean records of a source on these images are scored from them, so that the two
        agree to the last bit.
    """
    role = role_of_source(source)
    scores = score(answer(model, taste_of(model, images, role, seed), images, conditions, seed, source))
    if role == BASE:
        scores = _with_clean(scores, score_common(probes.outputs[0], probes.labels, probes.scoring))
    number, size = scores.prediction.shape
    return pd.DataFrame(
        {
            "condition": np.repeat(np.array([row.condition for row in conditions], dtype=object), size),
            "image_id": np.tile(images.image_ids.astype(object), number),
            "label": np.tile(images.labels, number),
            "split": np.tile(images.splits.astype(object), number),
            **{name: values.ravel() for name, values in vars(scores).items()},
        }
    )


def _with_clean(scores: Scores, clean: Scores) -> Scores:
    """Return the scores of all conditions with those of the first one replaced."""
    pairs = zip(vars(clean).values(), vars(scores).values(), strict=True)
    return Scores(*(np.concatenate([first[None], others[1:]]) for first, others in pairs))


def _shared(images: Images) -> dict[str, Any]:
    return common_metadata(images.candidates, software_versions(("numpy",)))
