"""Mappings checked against the JSON Schemas in `workflow/schemas/`, with errors for people.

An error reads `file: key: expected X, found Y`, and all of a file's errors are told at once.
"X" is the `description` of the schema that failed, so the schemas carry the wording.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

SCHEMAS = Path(__file__).parents[1] / "workflow" / "schemas"


class ConfigurationError(ValueError):
    """What is wrong with a file that a person wrote: one line a problem."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


def read_yaml(path: Path) -> Any:
    """The value in a YAML file; a syntax error names file and line."""
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError([f"{path}: expected a file, found {error.strerror}"]) from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = f"{path}: line {line}: expected YAML, found: {error.problem}"
        raise ConfigurationError([problem]) from error


def check(value: Any, schema: str, source: str) -> None:
    """Check `value` against `workflow/schemas/<schema>.schema.json`.

    Raises ConfigurationError with one line for each problem; `source` is named in each.
    """
    validator, definitions = _validator(schema)
    errors = sorted(validator.iter_errors(value), key=lambda e: [str(k) for k in e.path])
    lines = (line for error in errors for line in _lines(error, definitions))
    problems = [f"{source}: {line}" for line in dict.fromkeys(lines)]
    if problems:
        raise ConfigurationError(problems)


def key(path: Sequence[str | int]) -> str:
    """The place of a value in a file: `benches[0].scales.smoke`."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in path]
    return "".join(parts).removeprefix(".") or "the file"


def found(value: Any) -> str:
    """A value as an error shows it: short, on one line."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


@cache
def _validator(schema: str) -> tuple[Draft202012Validator, Mapping[str, Any]]:
    """The validator of a schema, and its definitions."""
    content = json.loads((SCHEMAS / f"{schema}.schema.json").read_text(encoding="utf-8"))
    return Draft202012Validator(content), content.get("$defs", {})


def _lines(error: ValidationError, definitions: Mapping[str, Any]) -> Iterator[str]:
    path = list(error.absolute_path)
    instance: Any = error.instance
    schema: Any = error.schema
    if error.validator == "required":
        for name in schema["required"]:
            if name not in instance:
                wanted = _wanted(schema["properties"][name], definitions)
                yield f"{key([*path, name])}: expected {wanted}, found nothing"
    elif error.validator == "additionalProperties":
        known = schema["properties"]
        for name in instance:
            if name not in known:
                yield f"{key([*path, name])}: expected one of {', '.join(known)}, found {name}"
    else:
        yield f"{key(path)}: expected {_wanted(schema, definitions)}, found {found(instance)}"


def _wanted(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        schema = definitions[schema["$ref"].removeprefix("#/$defs/")]
    if "description" in schema:
        return str(schema["description"])
    return "one of " + ", ".join(schema["enum"])
