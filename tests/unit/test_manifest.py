"""Manifests are checked when they are loaded: file, key, expected, found."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fakes
import pytest
import yaml

from assay.inputs import manifest, placeholders
from assay.inputs.study import load
from assay.inputs.validation import ConfigurationError, read_yaml

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    fakes.project(tmp_path, {"reference": 1, "slow": 2, "twin": 1})
    return tmp_path


def edit(path: Path, change: Change) -> None:
    value = yaml.safe_load(path.read_text())
    change(value)
    path.write_text(yaml.safe_dump(value, sort_keys=False))


def problems(path: Path, change: Change) -> list[str]:
    edit(path, change)
    with pytest.raises(ConfigurationError) as error:
        manifest.load(path)
    places, told = zip(*(each.split(": ", 1) for each in error.value.problems), strict=True)
    assert all(re.fullmatch(rf"{re.escape(str(path))}(:\d+)?", place) for place in places)
    return list(told)


def bench(**changes: Any) -> Change:
    return lambda value: value["benches"][0].update(changes)


TIME = {"column": "time", "unit": "s", "better": "lower"}
COUNT = {"column": "count", "unit": "1", "better": "lower"}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda v: v.pop("license"), "license: expected a text that is not empty, found nothing"),
        (lambda v: v.update(nmae="x"), "nmae: expected one of name, subsystem, title,"),
        (lambda v: v.update(role="main"), 'role: expected one of reference, peer, found "main"'),
        (
            lambda v: v.update(name="A b"),
            "name: expected a name of letters a to z, digits and dash",
        ),
        (lambda v: v["build"].update(timeout_s=0), "build.timeout_s: expected a number of seconds"),
        (lambda v: v["build"].update(command="make"), "build.command: expected a list of words"),
        (
            lambda v: v["build"].update(inputs=["*.c"]),
            "build.inputs[0]: expected a glob that finds",
        ),
        (
            lambda v: v["verify"].update(command=["./check", "{scratch}"]),
            "verify.command[1]: expected one of {build}, found {scratch}",
        ),
        (bench(harness="jmh"), "benches[0].harness: expected one of gobench, googlebench,"),
        (
            bench(command=["x", 5]),
            "benches[0].command[1]: expected a word (numbers in quotes), foun",
        ),
        (
            bench(command=["x", "{size}"]),
            "benches[0].command[1]: expected one of {build}, {scale}, {scratch}, {seed}, {stor",
        ),
        (
            bench(setup=["sh", "-ec", "make {scratch}/a", "{build}"]),
            "benches[0].setup[2]: expected {scratch} as a word behind the script, which calls",
        ),
        (
            lambda v: v["build"].update(command=["/bin/bash", "-c", 'cp x "{build}"']),
            "build.command[2]: expected {build} as a word behind the script",
        ),
        (bench(command=["a{"]), "benches[0].command[0]: expected {{ for a literal brace, found {"),
        (bench(setup=["{wal}"]), "benches[0].setup[0]: expected one of {build}"),
        (bench(variants={"wal": True}), "benches[0].variants.wal: expected a value or a list of"),
        (bench(variants={"wal": "a,b"}), "benches[0].variants.wal: expected a value or a list of"),
        (
            bench(variants={"seed": 1}),
            "benches[0].variants: expected a key of letters a to z and _",
        ),
        (bench(variants=[]), "benches[0].variants: expected a mapping of variant keys, or a list"),
        (
            bench(variants={"wal": [1, 1]}),
            "benches[0].variants: expected each variant of a workload",
        ),
        (
            bench(scales={"smoke": [1]}),
            "benches[0].scales.full: expected a list of whole number",
        ),
        (bench(metrics={}), "benches[0].metrics: expected a mapping of printed name to column"),
        (
            bench(metrics={"s": TIME | {"column": "duration"}}),
            "benches[0].metrics: expected one with column time and unit s, found none",
        ),
        (
            bench(metrics={"s": TIME, "t": TIME}),
            "benches[0].metrics: expected each column once, found time, time",
        ),
        (
            bench(metrics={"s": TIME | {"factor": "1e-9"}}),
            "benches[0].metrics.s.factor: expected a number above 0 (write 1.0e-9",
        ),
        (
            bench(metrics={"s": TIME, "c": TIME | {"column": "cpu_time"}}),
            "benches[0].metrics.c.column: expected a name of letters a to z, digits and _; not ",
        ),
        (
            bench(variants={"wal": 1}, metrics={"s": TIME | {"only": {"wal": 1}}}),
            "benches[0].metrics.s.only: expected nothing, as every shot has a time, found {",
        ),
        (
            bench(variants={"wal": 1}, metrics={"s": TIME, "c": COUNT | {"only": {"wall": 1}}}),
            'benches[0].metrics.c.only: expected a variant of the engine, found {"wall": 1}',
        ),
        (
            bench(metrics={"s": TIME, "c": COUNT | {"agree": True}}),
            "benches[0].metrics.c.agree: expected exact, too, found false",
        ),
        (
            bench(metrics={"s": TIME, "c": COUNT | {"race": "speed"}}),
            'benches[0].metrics.c.race: expected one of time, work, space, found "speed"',
        ),
        (
            bench(metrics={"s": TIME, "c": COUNT | {"exact": True, "race": "work"}}),
            "benches[0].metrics.c.race: expected nothing of an exact counter, found work",
        ),
        (
            bench(metrics={"s": TIME, "c": COUNT | {"better": "higher", "race": "work"}}),
            "benches[0].metrics.c.race: expected a metric of which less is better, found work",
        ),
    ],
)
def test_a_wrong_key_is_named(root: Path, change: Change, problem: str) -> None:
    found = problems(root / "engines" / "fake" / "engine.yaml", change)
    assert found[0].startswith(problem)
    assert len(found) <= 2


def test_a_metric_may_be_printed_for_some_variants_only(root: Path) -> None:
    path = root / "engines" / "fake" / "engine.yaml"
    some = {
        "c": COUNT | {"only": {"wal": [2, 3]}},
        "d": COUNT | {"column": "d", "only": {"cpu": 1}},
    }
    grids = [{"wal": [1, 2], "cpu": 1}, {"wal": 3}]
    edit(path, bench(variants=grids, metrics={"s": TIME, **some}))
    [one] = manifest.load(path).benches
    assert [[*one.printed(variant)] for variant in one.variants] == [
        ["s", "d"],
        ["s", "c", "d"],
        ["s", "c"],
    ]


def test_a_peer_says_its_version_and_weight(root: Path) -> None:
    path = root / "engines/fake/peers/slow/engine.yaml"
    found = problems(path, lambda v: (v.pop("version"), v.pop("weight")))
    assert found == [
        "version: expected the version measured, as text in quotes, found nothing",
        "weight: expected light or heavy, found nothing",
    ]


def test_a_file_that_is_no_yaml_is_named_with_its_line(root: Path) -> None:
    path = root / "engines" / "fake" / "engine.yaml"
    path.write_text("name: reference\nbuild: [\n")
    with pytest.raises(ConfigurationError, match=r"engine\.yaml:3: expected YAML, found"):
        manifest.load(path)


def test_a_key_that_comes_twice_is_named_with_both_lines(root: Path) -> None:
    path = root / "engines" / "fake" / "engine.yaml"
    path.write_text("name: a\nbuild:\n  inputs: [{x: 1, x: 2}]\nname: b\n")
    with pytest.raises(ConfigurationError) as error:
        manifest.load(path)
    assert error.value.problems == (
        f"{path}:3: build.inputs[0].x: expected each key once, found it in line 3, too",
        f"{path}:4: name: expected each key once, found it in line 1, too",
    )


def test_what_a_merge_brings_is_no_key_that_comes_twice(tmp_path: Path) -> None:
    path = tmp_path / "merged.yaml"
    path.write_text("a: &a {x: 1, y: 1}\nb: {in: &b {<<: *a, x: 2}}\nc: {<<: *b, y: 3}\nd: *b\n")
    assert read_yaml(path)["c"] == {"x": 2, "y": 3}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"name: a\ntitle: M\xfcnchen\n", "2: expected UTF-8, found byte 0xfc"),
        (b"name: \xc3\xbc\ntitle: \x07\n", "2: expected YAML, found: control characters are not"),
        (b"name: 2024-13-45\n", " expected YAML, found: month must be in 1..12"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_file(
    root: Path, content: bytes, problem: str
) -> None:
    path = root / "engines" / "fake" / "engine.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=f"^{re.escape(f'{path}:{problem}')}"):
        manifest.load(path)


def test_all_engines_are_checked_at_once(root: Path) -> None:
    edit(root / "engines/fake/engine.yaml", lambda v: v.update(role="main"))
    edit(root / "engines/fake/peers/slow/engine.yaml", lambda v: v.update(name="fast"))
    with pytest.raises(ConfigurationError) as error:
        manifest.discover(root, fakes.study(peers="none"), "fake")
    assert [problem.split(": ", 1)[1] for problem in error.value.problems] == [
        'role: expected one of reference, peer, found "main"',
        "name: expected slow in this folder, found fast",
    ]


def test_engines_agree_on_what_a_scale_and_a_column_mean(root: Path) -> None:
    def change(value: dict[str, Any]) -> None:
        value["benches"][0]["scale"] = "bytes"
        value["benches"][0]["metrics"]["ops"]["better"] = "lower"

    edit(root / "engines/fake/peers/slow/engine.yaml", change)
    with pytest.raises(ConfigurationError) as error:
        manifest.discover(root, fakes.study(), "fake")
    scale, column = error.value.problems
    assert 'benches[0].scale: expected "operations" as in' in scale
    assert 'found "bytes"' in scale
    assert "benches[0].metrics: column operations: expected" in column


def test_the_reference_engine_alone_says_what_is_raced(root: Path) -> None:
    def change(value: dict[str, Any]) -> None:
        next(iter(value["benches"][0]["metrics"].values()))["race"] = "time"

    path = root / "engines/fake/engine.yaml"
    edit(path, change)
    (first, *_) = manifest.load(path).benches
    assert first.races == {next(iter(first.metrics.values())).column: "time"}
    assert "race" not in json.dumps(fakes.made_plan(root, fakes.study()))
    path = root / "engines/fake/peers/slow/engine.yaml"
    (told,) = problems(path, change)
    assert told.endswith("expected nothing of a peer, as the reference engine says it, found time")


def test_the_study_says_who_takes_part(root: Path) -> None:
    edit(root / "engines/fake/peers/slow/engine.yaml", lambda v: v.update(weight="heavy"))

    def names(**changes: Any) -> list[str]:
        return [e.name for e in manifest.discover(root, fakes.study(**changes), "fake")]

    assert names(peers="none") == ["reference"]
    assert names(peers="tier") == names(tier="standard", peers="tier") == ["reference", "twin"]
    assert names(tier="full", peers="tier") == ["reference", "slow", "twin"]
    assert names(peers="all") == ["reference", "slow", "twin"]
    assert names(peers="all", exclude=["fake/twin"]) == ["reference", "slow"]
    assert names(peers=["fake/slow"]) == names(peers=["fake/slow"], tier="smoke")
    assert names(peers=["fake/slow"]) == ["reference", "slow"]


SUBSYSTEM = "a folder below engines/ with an engine.yaml, nearest 'fake'"
PROFILE = "a file below config/hardware/, without .yaml, nearest 'native'"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"subsystems": ["fake", "fkae"]}, f"subsystems[1]: expected {SUBSYSTEM}, found 'fkae'"),
        ({"profiles": ["natve"]}, f"profiles[0]: expected {PROFILE}, found 'natve'"),
        (
            {"more_profiles": {"full": {"fkae": ["edge"]}}},
            f"more_profiles.full.fkae: expected {SUBSYSTEM}, found 'fkae'",
        ),
        (
            {"more_profiles": {"smoke": {"fake": ["natve"]}}},
            f"more_profiles.smoke.fake[0]: expected {PROFILE}, found 'natve'",
        ),
        *(
            (
                {"exclude": ["fake/twin", wrong]},
                f"exclude[1]: expected a peer below engines/, nearest {right!r}, found {wrong!r}",
            )
            for wrong, right in [("fake/twn", "fake/twin"), ("othr/slow", "fake/slow")]
        ),
        (
            {"peers": ["fake/twn"]},
            "peers[0]: expected a peer below engines/, nearest 'fake/twin', found 'fake/twn'",
        ),
    ],
)
def test_a_name_of_the_study_that_nothing_has_is_an_error_with_its_line(
    root: Path, changes: dict[str, Any], problem: str
) -> None:
    usual = json.loads(fakes.study().settings)
    more = usual["more_profiles"] | changes.get("more_profiles", {})
    settings = usual | changes | {"more_profiles": more}
    study = root / "config" / "study.yaml"
    study.write_text(yaml.safe_dump(settings))
    with pytest.raises(ConfigurationError) as error:
        manifest.discover(root, load(settings), "fake")
    [told] = error.value.problems
    assert re.match(rf"{re.escape(str(study))}:\d+: {re.escape(problem)}", told)


def test_variants_are_combinations_and_lists_of_them() -> None:
    path = fakes.HERE / "replay" / "engine.yaml"
    value = yaml.safe_load(path.read_text())["benches"][0]
    value["variants"] = [{"a": [1, 2], "b": ["x", "y"]}, {"a": 3}]
    assert manifest._bench(value).variants == (
        {"a": 1, "b": "x"},
        {"a": 1, "b": "y"},
        {"a": 2, "b": "x"},
        {"a": 2, "b": "y"},
        {"a": 3},
    )


def test_the_source_hash_follows_what_the_build_depends_on(root: Path, tmp_path: Path) -> None:
    path = root / "engines/fake/engine.yaml"

    def hashed() -> str:
        return manifest.source_hash(manifest.load(path))

    first = hashed()
    edit(path, lambda v: v["benches"][0].update(timeout_s=99))
    (path.parent / "notes.txt").write_text("not an input")
    (path.parent / "peers/slow/replay.py").write_text("of a peer")
    assert hashed() == first
    (path.parent / "replay.py").write_text("print()")
    second = hashed()
    assert second != first
    edit(path, lambda v: v["build"].update(command=["cp", "-p", "replay.py", "{build}"]))
    assert hashed() not in {first, second}


def test_a_reference_engine_never_has_the_sources_of_its_peers(root: Path) -> None:
    path = root / "engines/fake/engine.yaml"
    edit(path, lambda v: v["build"].update(inputs=["**/*.py"]))
    assert manifest.sources(manifest.load(path)) == [path.parent / "replay.py"]


def test_placeholders_are_filled_in_two_steps() -> None:
    bound = placeholders.bind(["{a}{b}", "{{a}}"], {"a": "{x}"})
    assert bound == ["{{x}}{b}", "{{a}}"]
    assert placeholders.fill(bound, {"b": 2}) == ["{x}2", "{a}"]
    with pytest.raises(KeyError):
        placeholders.fill(["{c}"], {})


def test_every_manifest_of_the_project_is_valid() -> None:
    for path in sorted((fakes.ROOT / "engines").glob("*/engine.yaml")):
        subsystem = path.parent.name
        study = fakes.study(subsystems=[subsystem], tier="full")
        assert manifest.discover(fakes.ROOT, study, subsystem)[0].role == "reference"


def test_no_shot_names_stores_but_by_their_placeholder() -> None:
    """A shot writes to `{stores}` and nowhere else beside its own folder: to a build it may not."""
    for path in sorted((fakes.ROOT / "engines").glob("**/engine.yaml")):
        for bench in read_yaml(path).get("benches", []):
            words = [*bench.get("setup", []), *bench["command"]]
            told = " ".join(map(str, words)).replace("{stores}", "")
            assert "stores/" not in told, f"{path}: {bench['workload']}"
