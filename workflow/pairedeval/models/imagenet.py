"""The 1,000 ImageNet classes in the order of every ImageNet classifier's outputs, and OpenCLIP's prompts for them."""

from collections.abc import Sequence
from typing import Any

import open_clip
from timm.data.imagenet_info import ImageNetInfo

from pairedeval.errors import ModelError
from pairedeval.models.loaded import ClassSet

# Names of OpenCLIP's prompt templates for ImageNet: OpenAI's eighty and the seven that are nearly as good.
TEMPLATE_SETS = {
    "openai": open_clip.OPENAI_IMAGENET_TEMPLATES,
    "simple": open_clip.SIMPLE_IMAGENET_TEMPLATES,
}


def imagenet_classes() -> ClassSet:
    """Return the classes: WordNet ids in ascending order, which is output order, and OpenCLIP's names.

    998 of the 1,000 names are distinct: *missile* and *sunglasses* stand twice. Classes of one name have one
    text vector, so an image-text model never tells them apart and predicts the first of the two.

    Examples
    --------
    >>> classes = imagenet_classes()
    >>> classes.ids[0], classes.names[0], len(set(classes.names))
    ('n01440764', 'tench', 998)
    """
    known: Any = ImageNetInfo()
    return ClassSet(ids=tuple(known.label_names()), names=tuple(open_clip.IMAGENET_CLASSNAMES))


def prompt_templates(prompts: str | Sequence[str]) -> tuple[str, ...]:
    """Return templates with one ``{}`` each, given themselves or the name of one of `TEMPLATE_SETS`.

    Raises
    ------
    ModelError
        If there is no such set, or no template.

    Examples
    --------
    >>> prompt_templates("openai")[0]
    'a bad photo of a {}.'
    """
    if not isinstance(prompts, str):
        templates = tuple(prompts)
    elif prompts in TEMPLATE_SETS:
        templates = tuple(template("{}") for template in TEMPLATE_SETS[prompts])
    else:
        raise ModelError(
            f"prompts '{prompts}': no such set of templates; choose {', '.join(TEMPLATE_SETS)} or list them"
        )
    if not templates:
        raise ModelError("no prompt templates; an image-text model needs at least one with '{}'")
    return templates
