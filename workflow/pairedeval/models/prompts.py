"""From prompts to class vectors of published image-text models, in two steps; see `pairedeval.models.heads`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import open_clip
import torch
from open_clip.tokenizer import HFTokenizer
from torch.nn import functional

from pairedeval.errors import ModelError
from pairedeval.models.heads import read_tokens, write_head, write_tokens
from pairedeval.models.imagenet import imagenet_classes, prompt_templates
from pairedeval.models.network import build_network
from pairedeval.models.open_clip import architecture_name
from pairedeval.models.pool import select_device
from pairedeval.models.registry import ModelEntry
from pairedeval.models.weights import first_line, read_weights, readable
from pairedeval.progress import progress_bar

# Prompts a pass through the text tower.
BATCH_SIZE = 512


def tokenize_prompts(
    entry: ModelEntry, prompts: str | Sequence[str], output: str | Path, *, local: str | Path | None = None
) -> None:
    """Write the tokens of all prompts for the 1,000 ImageNet classes.

    Parameters
    ----------
    entry
        Published image-text model.
    prompts
        Templates, or the name of a set; see `pairedeval.models.imagenet.prompt_templates`.
    output
        ``results/<study>/models/<model>.tokens.safetensors``.
    local
        Folder of files that the user fetched; a tokenizer of the model lies in ``<local>/<model>/tokenizer``.
        Otherwise a tokenizer that OpenCLIP does not bring is fetched from its hub.

    Raises
    ------
    ModelError
        If the tokenizer cannot be had.
    """
    classes, templates = imagenet_classes(), prompt_templates(prompts)
    tokenizer = _tokenizer(entry, None if local is None else Path(local) / entry.model / "tokenizer")
    texts = [template.format(name) for name in classes.names for template in templates]
    tokens = torch.as_tensor(tokenizer(texts)).reshape(len(classes.names), len(templates), -1)
    write_tokens(tokens, classes, templates, output)


def build_head(
    entry: ModelEntry, weights: str | Path, tokens: str | Path, output: str | Path, *, device: str = "auto"
) -> None:
    """Write the class vectors of a published image-text model, computed in float32.

    Parameters
    ----------
    entry
        Published image-text model.
    weights
        Its fetched weights.
    tokens
        What `tokenize_prompts` wrote.
    output
        ``results/<study>/models/<model>.head.safetensors``.
    device
        See `pairedeval.models.pool.load_model`.

    Raises
    ------
    ModelError
        If a file is missing, damaged or of another model.
    """
    place = select_device(device)
    stored, classes = read_tokens(tokens)
    model: Any = build_network(entry).module
    with readable(weights):
        model.load_state_dict(read_weights(weights))
    # The image tower, often the larger one, stays where it is.
    model.visual = None
    model.to(place)
    # Classes of one name get one vector, the very same bits.
    first = {name: place for place, name in reversed(list(enumerate(classes.names)))}
    vectors = class_vectors(model.encode_text, stored[list(first.values())], place, entry.model)
    column = {name: column for column, name in enumerate(first)}
    write_head(vectors[:, [column[name] for name in classes.names]], classes, output)


def class_vectors(
    encode: Callable[[torch.Tensor], torch.Tensor], tokens: torch.Tensor, device: torch.device, name: str
) -> torch.Tensor:
    """Return class vectors, shape ``(embedding, classes)``, on the CPU.

    Parameters
    ----------
    encode
        Text tower: from tokens, shape ``(batch, context)``, to features of any length.
    tokens
        Tokens of all prompts, shape ``(classes, templates, context)``.
    device
        Where the text tower is.
    name
        What the progress bar shows.

    Returns
    -------
    Tensor
        A column is the mean of the unit vectors of the class's prompts, scaled to unit length.
    """
    templates = tokens.shape[1]
    columns = []
    progress = progress_bar(len(tokens), f"prompts {name}", "class")
    with torch.inference_mode():
        for part in torch.split(tokens, max(1, BATCH_SIZE // templates)):
            features = functional.normalize(encode(part.flatten(0, 1).to(device)).float(), dim=-1)
            means = features.reshape(len(part), templates, -1).mean(1)
            columns.append(functional.normalize(means, dim=-1).T.cpu())
            progress.update(len(part))
    progress.close()
    return torch.cat(columns, dim=1)


def _tokenizer(entry: ModelEntry, folder: Path | None) -> Callable[[list[str]], Any]:
    name = architecture_name(entry)
    text = open_clip.get_model_config(name)["text_cfg"]
    try:
        if folder is not None and folder.is_dir():
            tokenizer: Callable[[list[str]], Any] = HFTokenizer(
                str(folder),
                context_length=text.get("context_length", open_clip.tokenizer.DEFAULT_CONTEXT_LENGTH),
                tokenizer_mode=text.get("tokenizer_mode"),
                **text.get("tokenizer_kwargs", {}),
            )
        else:
            tokenizer = open_clip.get_tokenizer(name)
    except (ImportError, OSError, ValueError) as error:
        place = folder or f"<folder of own files>/{entry.model}/tokenizer"
        raise ModelError(
            f"{entry.model}: the tokenizer {text.get('hf_tokenizer_name')} cannot be had ({first_line(error)}); "
            f"install transformers and run again with access to its hub, or put its files into {place}"
        ) from error
    return tokenizer
