"""Mappings checked against the JSON Schemas in `workflow/schemas/`, with errors for people.

An error reads `file:line: key: expected X, found Y`; all of a file's errors are told at once.
"X" is the `description` of the schema that failed, so the schemas carry the wording.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from assay.system import files

Keys = Sequence[str | int]
"""The way to a value in a file: `["benches", 0, "scales"]`."""

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's loader where PyYAML has it: the same values in a tenth of the time."""

SCHEMAS = Path(__file__).parents[2] / "workflow" / "schemas"


class ConfigurationError(ValueError):
    """What is wrong with a file that a person wrote: one line a problem."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


def read_yaml(path: Path) -> Any:
    """The value in a YAML file; what is no YAML, or a key that comes twice, names file and line."""
    text = _text(path)
    try:
        root: Any = yaml.compose(text, Loader=LOADER)
        repeated = list(_repeated(root, [], set()))
        value = yaml.constructor.SafeConstructor().construct_document(root) if root else None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = f"{path}:{line}: expected YAML, found: {error.problem}"
        raise ConfigurationError([problem]) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, text.find(chr(error.character))) + 1
        problem = f"{path}:{line}: expected YAML, found: {error.reason}"
        raise ConfigurationError([problem]) from error
    except (TypeError, ValueError) as error:  # such as a value in the form of a date that is none
        raise ConfigurationError([f"{path}: expected YAML, found: {error}"]) from error
    if repeated:
        raise ConfigurationError([f"{path}:{problem}" for problem in repeated])
    return value


def check(value: Any, schema: str, path: Path) -> None:
    """Check `value`, which file `path` holds, against `workflow/schemas/<schema>.schema.json`.

    Raises ConfigurationError with one line for each problem. A part of `value` that does not come
    from the file, as of a study that was changed on the command line, has no line number.
    """
    validator, definitions = _validator(schema)
    errors = sorted(validator.iter_errors(value), key=lambda e: [str(k) for k in e.path])
    problems = [
        f"{place(path, keys, wrong)}: {problem}"
        for error in errors
        for keys, wrong, problem in _problems(error, definitions)
    ]
    if problems:
        raise ConfigurationError(list(dict.fromkeys(problems)))


def place(path: Path, keys: Keys, value: Any) -> str:
    """`file:line` of `value` in a YAML file at `keys`; `file` alone where it is not there."""
    try:
        held = read_yaml(path)
    except ConfigurationError:
        return str(path)
    node: Any = yaml.compose(_text(path), Loader=LOADER)
    line = 0
    try:
        for step in keys:
            held = held[step]
            if isinstance(step, str):
                name, node = next(pair for pair in node.value if pair[0].value == step)
                line = name.start_mark.line + 1
            else:
                node = node.value[step]
                line = node.start_mark.line + 1
    except (LookupError, TypeError):
        return str(path)
    return f"{path}:{line}" if line and held == value else str(path)


def key(keys: Keys) -> str:
    """The place of a value in words: `benches[0].scales.smoke`."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in keys]
    return "".join(parts).removeprefix(".") or "the file"


def found(value: Any) -> str:
    """A value as an error shows it: short, on one line."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def nearest(name: str, known: Collection[str]) -> str:
    """Of the names that are known, the one that `name` was most likely meant to be."""
    return get_close_matches(name, sorted(known), n=1, cutoff=0)[0]


def one_of(part: str, name: str, names: Collection[str], owner: str = "a manifest") -> str:
    """`name`, when it is one of `names`, those of `owner`; else LookupError with the nearest."""
    if name in names:
        return name
    meant = f", nearest {nearest(name, names)!r}" if names else ""
    raise LookupError(f"{part}: expected one that {owner} has{meant}, found {name!r}")


def _text(path: Path) -> str:
    try:
        return files.read_text(path)
    except OSError as error:
        raise ConfigurationError([f"{path}: expected a file, found {error.strerror}"]) from error
    except ValueError as error:
        raise ConfigurationError([str(error)]) from error


def _repeated(node: Any, at: Keys, seen: set[int]) -> Iterator[str]:
    """Each key below `node` that its mapping has before, with its line; YAML takes the last.

    `at` are the keys of `node`. What an alias repeats is in `seen`; what `<<` brings is no repeat.
    """
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for i, part in enumerate(node.value):
            yield from _repeated(part, [*at, i], seen)
    elif isinstance(node, yaml.MappingNode):
        lines: dict[Any, int] = {}
        for name, part in node.value:
            keys, line, held = [*at, str(name.value)], name.start_mark.line + 1, _held(name)
            if held in lines:
                also = f"found it in line {lines[held]}, too"
                yield f"{line}: {key(keys)}: expected each key once, {also}"
            lines.setdefault(held, line)
            yield from _repeated(part, keys, seen)


def _held(name: Any) -> Any:
    """What a mapping holds for the node of a key; the node itself of `<<`, which may come twice."""
    constructor = yaml.constructor.SafeConstructor()
    is_value = isinstance(name, yaml.ScalarNode) and name.tag in constructor.yaml_constructors
    return constructor.construct_object(name) if is_value else name


@cache
def _validator(schema: str) -> tuple[Draft202012Validator, Mapping[str, Any]]:
    """The validator of a schema, and its definitions."""
    content = json.loads((SCHEMAS / f"{schema}.schema.json").read_text(encoding="utf-8"))
    return Draft202012Validator(content), content.get("$defs", {})


def _problems(
    error: ValidationError, definitions: Mapping[str, Any]
) -> Iterator[tuple[Keys, Any, str]]:
    """The keys and the value of each thing that is wrong, and what is wrong with it."""
    path = list(error.absolute_path)
    instance: Any = error.instance
    schema: Any = error.schema
    if error.validator == "required":
        for name in schema["required"]:
            if name not in instance:
                wanted = _wanted(schema["properties"][name], definitions)
                yield path, instance, f"{key([*path, name])}: expected {wanted}, found nothing"
    elif error.validator == "additionalProperties":
        known = schema["properties"]
        for name, value in instance.items():
            if name not in known:
                keys = [*path, name]
                yield keys, value, f"{key(keys)}: expected one of {', '.join(known)}, found {name}"
    else:
        wanted = _wanted(schema, definitions)
        yield path, instance, f"{key(path)}: expected {wanted}, found {found(instance)}"


def _wanted(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        schema = definitions[schema["$ref"].removeprefix("#/$defs/")]
    if "description" in schema:
        return str(schema["description"])
    return "one of " + ", ".join(schema["enum"])
