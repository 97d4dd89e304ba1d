"""From prompts to tokens to class vectors: each tokenizer's own rules, and the vectors against a loop by hand."""

from pathlib import Path

import open_clip
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import nn
from transformers import PreTrainedTokenizerFast

from pairedeval.errors import ModelError
from pairedeval.models import prompts
from pairedeval.models.budget import REGISTRY
from pairedeval.models.heads import read_tokens
from pairedeval.models.imagenet import imagenet_classes
from pairedeval.models.prompts import class_vectors, tokenize_prompts
from pairedeval.models.registry import read_registry

ROOT = Path(__file__).parents[2]
ENTRIES = {entry.model: entry for entry in read_registry(ROOT / REGISTRY)}
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]
WORDS = ["A", "a", "photo", "of", "the", "tench", "Tench", "goldfish", ".", "!", "'", "s"]
VOCABULARY = {word: number for number, word in enumerate(SPECIAL + WORDS)}


def write_tokenizer(folder: Path) -> None:
    """Write a tokenizer of a dozen words in the form in which a hub keeps tokenizers."""
    words = Tokenizer(models.WordLevel(VOCABULARY, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [("<s>", VOCABULARY["<s>"]), ("</s>", VOCABULARY["</s>"])]
    words.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    names = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "unk_token": "<unk>"}
    PreTrainedTokenizerFast(tokenizer_object=words, **names).save_pretrained(folder)


@pytest.fixture
def tokens_of(tmp_path):
    def tokens_of(model: str, template: str) -> list[int]:
        write_tokenizer(tmp_path / model / "tokenizer")
        output = tmp_path / f"{model}.tokens.safetensors"
        tokenize_prompts(ENTRIES[model], [template], output, local=tmp_path)
        tokens, classes = read_tokens(output)
        assert classes == imagenet_classes()
        return tokens[0, 0].tolist()

    return tokens_of


def numbers(*words: str, length: int) -> list[int]:
    known = [VOCABULARY[word] for word in words]
    return known + [VOCABULARY["<pad>"]] * (length - len(known))


@pytest.mark.parametrize(
    ("model", "length"),
    [("ViT-B-16-SigLIP__webli", 64), ("ViT-SO400M-14-SigLIP__webli", 16), ("ViT-gopt-16-SigLIP2-384__webli", 64)],
)
def test_siglip_prompts_are_canonical_and_padded(tokens_of, model, length):
    # Lower case and without punctuation, which the tokenizer itself would keep.
    expected = numbers("<s>", "a", "photo", "of", "the", "tench", "</s>", length=length)
    assert tokens_of(model, "A photo of the {}!") == expected


def test_clipa_prompts_lose_their_separator(tokens_of):
    expected = numbers("<s>", "A", "photo", "of", "tench", ".", "<pad>", length=32)
    assert tokens_of("ViT-H-14-CLIPA__datacomp1b", "A photo  of {}.") == expected


def test_other_foreign_tokenizers_only_lose_spaces(tokens_of):
    expected = numbers("<s>", "A", "photo", "of", "tench", ".", "</s>", length=77)
    assert tokens_of("ViT-bigG-14-worldwide-378__metaclip2_worldwide", " A photo  of {}. ") == expected


def test_bundled_tokenizers_need_no_files(tmp_path):
    entry = ENTRIES["coca_ViT-L-14__laion2b_s13b_b90k"]
    templates = ("a photo of a {}.", "the {}")
    tokenize_prompts(entry, templates, tmp_path / "tokens.safetensors")
    tokens, classes = read_tokens(tmp_path / "tokens.safetensors")
    tokenizer = open_clip.get_tokenizer(entry.architecture)
    assert tokens.shape == (1000, 2, 76)
    for place in (0, 7, 999):
        for column, template in enumerate(templates):
            assert torch.equal(tokens[place, column], tokenizer([template.format(classes.names[place])])[0])


def test_a_tokenizer_that_cannot_be_had(tmp_path, monkeypatch):
    def unreachable(name):
        raise OSError("\nWe couldn't connect to the hub.\nMore")

    monkeypatch.setattr(prompts.open_clip, "get_tokenizer", unreachable)
    message = (
        r"^ViT-B-16-SigLIP__webli: the tokenizer timm/ViT-B-16-SigLIP cannot be had \(We couldn't connect to the hub\);"
        rf" install transformers .*, or put its files into {tmp_path}/ViT-B-16-SigLIP__webli/tokenizer$"
    )
    with pytest.raises(ModelError, match=message):
        tokenize_prompts(ENTRIES["ViT-B-16-SigLIP__webli"], ["a {}"], tmp_path / "tokens.safetensors", local=tmp_path)


def test_damaged_tokens(tmp_path):
    (tmp_path / "a.tokens.safetensors").write_bytes(b"none")
    with pytest.raises(ModelError, match=r"a\.tokens\.safetensors: damaged or of another model"):
        read_tokens(tmp_path / "a.tokens.safetensors")


@pytest.mark.parametrize("batch_size", [3, 7, 512])
def test_class_vectors_are_unit_means_of_unit_vectors(monkeypatch, batch_size):
    monkeypatch.setattr(prompts, "BATCH_SIZE", batch_size)
    torch.manual_seed(0)
    tower = nn.EmbeddingBag(50, 8)
    tokens = torch.randint(50, (5, 3, 4))
    found = class_vectors(tower, tokens, torch.device("cpu"), "tiny")
    with torch.no_grad():
        for place in range(5):
            total = torch.zeros(8, dtype=torch.float64)
            for template in range(3):
                feature = tower(tokens[place, template][None])[0].double()
                total += feature / feature.square().sum().sqrt()
            torch.testing.assert_close(found[:, place].double(), total / total.square().sum().sqrt(), atol=1e-6, rtol=0)
