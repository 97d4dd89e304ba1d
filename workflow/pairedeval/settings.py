"""Study configurations: checked against one schema, completed with its defaults.

This module is imported while the workflow is planned, and again at the start of every job: it stays light.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from pairedeval.errors import SettingsError

Schema = dict[str, Any]


def read_schema(path: str | Path) -> Schema:
    """Read a JSON Schema written as YAML, for example ``config/schemas/study.schema.yaml``."""
    schema: Schema = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return schema


def read_settings(config: Mapping[str, Any], schema: Schema, place: str) -> dict[str, Any]:
    """Return a complete copy of a study configuration.

    Parameters
    ----------
    config
        The configuration as Snakemake merged it from files and the command line.
    schema
        What a study may say, see `read_schema`.
    place
        The configuration file, for messages.

    Returns
    -------
    dict
        The configuration, with the schema's defaults where it says nothing.

    Raises
    ------
    SettingsError
        If any key is unknown, missing or of a wrong type or range. All problems are listed, one a line.
    """
    settings = _with_defaults(deepcopy(dict(config)), schema)
    errors = sorted(Draft202012Validator(schema).iter_errors(settings), key=lambda error: list(map(str, error.path)))
    if errors:
        raise SettingsError("\n".join(line for error in errors for line in _sentences(error, place)))
    return settings


def _with_defaults(value: dict[str, Any], schema: Schema) -> dict[str, Any]:
    """Fill in defaults, also inside sections that the configuration leaves out."""
    for key, part in schema.get("properties", {}).items():
        if "properties" in part:
            section = value.setdefault(key, {})
            if isinstance(section, dict):
                value[key] = _with_defaults(section, part)
        elif "default" in part:
            value.setdefault(key, deepcopy(part["default"]))
    return value


def _sentences(error: ValidationError, place: str) -> Iterator[str]:
    """Say where a setting is wrong and what would be right."""
    path = ".".join(map(str, error.absolute_path))
    known = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
    instance: Any = error.instance
    wanted: Any = error.validator_value
    if error.validator == "additionalProperties":
        for key in sorted(set(instance) - set(known), key=str):
            near = get_close_matches(str(key), list(known), n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"known keys: {', '.join(known)}"
            yield f"{place}: {_join(path, key)}: unknown key; {hint}"
    elif error.validator == "required":
        for key in sorted(set(wanted) - set(instance)):
            yield f"{place}: {_join(path, key)}: missing; {known.get(key, {}).get('description', 'add it')}"
    else:
        about = error.schema.get("description", "") if isinstance(error.schema, dict) else ""
        yield f"{place}: {path}: {error.message}" + (f" ({about})" if about else "")


def _join(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)
