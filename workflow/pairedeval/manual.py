"""The manual of the study configuration, ``config/README.md``, written from the schema."""

from pathlib import Path
from typing import Any

from pairedeval.files import write_text
from pairedeval.settings import Schema, read_schema

SCHEMA = Path("config/schemas/study.schema.yaml")
MANUAL = Path("config/README.md")

OPENING = """\
# Configuration of a study

A study is one YAML file in this folder; `snakemake --configfile config/<study>.yaml` runs it, and without that option
`config/digits.yaml` is taken. A study is complete in itself: nothing is inherited from another file. An unknown key or
a value of the wrong type stops the run before it starts, with one line per problem.

| file | what it is |
|---|---|
| `digits.yaml` | the embedded study: handwritten digits, small models trained by the workflow, simulated recaptures |
| `smoke.yaml` | a slice of it, run by the tests |
| `models/*.csv` | the models, one row each; see `workflow/pairedeval/models/registry.py` for the columns |
| `schemas/study.schema.yaml` | what a study may say; this page is written from it (`make manual`) |

## Keys

| key | type | default | meaning |
|---|---|---|---|
"""


def settings_manual(schema: Schema) -> str:
    """Return the text of ``config/README.md``."""
    return OPENING + "".join(_rows(schema, ""))


def _rows(schema: Schema, prefix: str) -> list[str]:
    rows = []
    for key, part in schema["properties"].items():
        name = f"{prefix}{key}"
        if "properties" in part:
            rows += [f"| `{name}` | section | | {part['description']} |\n", *_rows(part, f"{name}.")]
        else:
            default = _default(part, key in schema.get("required", []))
            rows.append(f"| `{name}` | {_kind(part)} | {default} | {part['description']} |\n")
    return rows


def _kind(part: dict[str, Any]) -> str:
    if "enum" in part:
        return " or ".join(f"`{value}`" for value in part["enum"])
    if part["type"] == "object":
        return f"mapping to {part['additionalProperties']['type']}"
    kinds = part["type"] if isinstance(part["type"], list) else [part["type"]]
    return " or ".join(kinds)


def _default(part: dict[str, Any], required: bool) -> str:
    if required:
        return "required"
    return "`null`" if part["default"] is None else f"`{part['default']}`"


if __name__ == "__main__":
    write_text(settings_manual(read_schema(SCHEMA)), MANUAL)
