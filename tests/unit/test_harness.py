"""Harnesses: what they run, where their result is, and what is read of what real ones printed."""

import json
import math
import re
from pathlib import Path

import pytest

from assay.raw.harness import HARNESSES, Ended, ParseError, Record, parse
from assay.raw.harness.document import Value, read

RECORDED = Path(__file__).parent / "recorded"


def recorded(name: str) -> str:
    return (RECORDED / name).read_text()


def test_go_gives_every_value_of_every_repetition() -> None:
    records = parse("gobench", recorded("gobench.txt"))
    assert [r.metric for r in records] == ["ns/op", "items/op", "B/op", "allocs/op"] * 3
    assert [r.value for r in records if r.metric == "ns/op"] == [9774, 5334, 5697]


def test_go_verbose_output_is_understood() -> None:
    records = parse("gobench", recorded("gobench-verbose.txt"))
    assert records[0] == Record("ns/op", 11010.0, repeats=1000)
    assert len(records) == 4


def test_google_benchmark_gives_seconds_and_counters_without_aggregates() -> None:
    records = parse("googlebench", recorded("googlebench.json"))
    assert [r.metric for r in records] == ["real_time", "cpu_time", "bytes"] * 3
    assert records[0].value == pytest.approx(6.3542670291303383e-07)
    assert records[3] == Record("real_time", 4.8491113561809845e-01 * 1e-6, repeats=38992)
    assert records[8] == Record("bytes", 8000.0)


def test_google_benchmark_gives_percentiles_of_the_times_that_a_program_computes() -> None:
    records = parse("googlebench", recorded("googlebench-percentiles.json"))
    assert [r.metric for r in records] == [
        f"{time}_{name}"
        for name in ("p25", "p50", "p75", "p90", "p99", "p999")
        for time in ("real_time", "cpu_time")
    ]
    assert records[2] == Record("real_time_p50", 14941.999324946664 * 1e-9)
    assert records[9] == Record("cpu_time_p99", 155301.00000000006 * 1e-9)


def test_hyperfine_gives_the_wall_time() -> None:
    assert parse("hyperfine", recorded("hyperfine.json")) == [Record("time", 0.022283099)]


@pytest.mark.parametrize("name", ["gobench", "googlebench", "jsonlines"])
def test_a_harness_in_the_command_is_run_as_it_is(name: str, tmp_path: Path) -> None:
    harness, ended = HARNESSES[name], Ended(0, "result", "", "")
    assert harness.command(("a", "b c"), tmp_path / "none") == ["a", "b c"]
    assert harness.output(ended, tmp_path / "none") == ended


def test_hyperfine_is_told_the_command_and_where_its_result_goes(tmp_path: Path) -> None:
    exported = tmp_path / "times.json"
    argv = HARNESSES["hyperfine"].command(["a", "b c"], exported)
    assert (argv[0], argv[-1]) == ("hyperfine", "a 'b c'")
    assert argv[argv.index("--export-json") + 1] == str(exported)
    exported.write_text(recorded("hyperfine.json"))
    said = HARNESSES["hyperfine"].output(Ended(0, "Benchmark 1: a", "", ""), exported)
    assert (said.stdout, said.reason) == (recorded("hyperfine.json"), "")


def test_a_failure_under_hyperfine_has_the_last_words_of_the_command(tmp_path: Path) -> None:
    end = "Error: Command terminated with non-zero exit code: 3 in the first benchmark run. Use -i"
    ended = Ended(1, "Benchmark 1: a\nno file", f"\n{end} to go on", "exit code 1")
    said = HARNESSES["hyperfine"].output(ended, tmp_path / "none")
    assert said.reason == "Command terminated with non-zero exit code 3: no file"
    assert said.stdout == ""


def test_json_lines_give_a_record_each() -> None:
    text = (
        '{"metric": "a", "value": 1}\n\n{"metric": "b", "value": 2.5}\n{"value": 3, "metric": "a"}'
    )
    assert parse("jsonlines", text) == [
        Record("a", 1.0),
        Record("b", 2.5),
        Record("a", 3.0),
    ]


@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        ("gobench-two.txt", 6, "expected one benchmark a shot, found BenchmarkSum/n=100000-2"),
        ("googlebench-error.json", 39, "broken failed: the answer is wrong"),
        ("hyperfine-failed.json", 19, "results[0].exit_codes[0]: expected 0, found 3"),
    ],
)
def test_real_output_that_is_no_result_is_refused(name: str, line: int, reason: str) -> None:
    with pytest.raises(ParseError) as error:
        parse(name.split("-")[0].split(".")[0], recorded(name))
    assert error.value.line == line
    assert reason in error.value.reason


@pytest.mark.parametrize(
    ("harness", "text", "message"),
    [
        ("gobench", "", "line 1: expected a result"),
        ("gobench", "PASS\n", "line 2: expected a result"),
        (
            "gobench",
            "BenchmarkA 10 3 ns/op\nok then\n--- FAIL: A\n",
            "line 3: expected a benchmark",
        ),
        ("gobench", "BenchmarkA 10 3 ns/op 4\n", "line 1: expected name, count, pairs"),
        ("gobench", "BenchmarkA ten 3 ns/op\n", "line 1: expected name, count, pairs"),
        ("gobench", "BenchmarkA 10\n", "line 1: expected name, count, pairs"),
        (
            "gobench",
            "BenchmarkA 10 x ns/op\n",
            "line 1: ns/op: expected a finite number, found 'x'",
        ),
        ("gobench", "BenchmarkA 10 NaN ns/op\n", "line 1: ns/op: expected a finite number"),
        ("gobench", "BenchmarkA 0 3 ns/op\n", "line 1: BenchmarkA: expected at least one iter"),
        ("jsonlines", "ready\n", "line 1: expected a JSON document"),
        (
            "jsonlines",
            '{"metric": "a", "value": 1}\n[]\n',
            "line 2: the document: expected an object",
        ),
        ("jsonlines", '{"metric": "a"}\n', "line 1: expected an object with metric and value"),
        ("jsonlines", '{"metric": "a", "value": "1"}\n', "line 1: value: expected a number"),
        ("jsonlines", '{"metric": "a", "value": true}\n', "line 1: value: expected a number"),
        (
            "jsonlines",
            '{"metric": "a", "value": Infinity}\n',
            "line 1: value: expected a finite number",
        ),
        (
            "jsonlines",
            f'\n{{"metric": "a", "value": {"9" * 5_000}}}',
            "line 2: value: expected a finite number",
        ),
        (
            "jsonlines",
            '{"metric": "a", "value": 1, "value": 2}',
            "line 1: expected the key value only once",
        ),
        ("hyperfine", "", "line 1: expected a JSON document"),
        ("hyperfine", '{\n"results": 3}', "line 2: results: expected an array, found 3.0"),
        ("hyperfine", '{\n"runs": []}', "line 1: the document: expected the key results"),
        ("hyperfine", '{"results": []}', "line 1: results: expected one command a shot, found 0"),
        ("googlebench", '{"benchmarks": []}', "line 1: expected a result"),
        ("googlebench", '{"benchmarks": [\n{"run_type": "x"}]}', "line 2: run_type: expected iter"),
    ],
)
def test_what_is_not_understood_is_refused(harness: str, text: str, message: str) -> None:
    with pytest.raises(ParseError) as error:
        parse(harness, text)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("harness", "name", "path"),
    [
        ("hyperfine", "hyperfine.json", ["results", 0, "times", 0]),
        ("googlebench", "googlebench.json", ["benchmarks", 0, "real_time"]),
        ("googlebench", "googlebench.json", ["benchmarks", 0, "time_unit"]),
    ],
)
@pytest.mark.parametrize("wrong", [None, True, "fast", [1], {"a": 1}])
def test_a_value_of_a_wrong_type_is_refused(
    harness: str, name: str, path: list[str | int], wrong: object
) -> None:
    document = json.loads(recorded(name))
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = wrong
    with pytest.raises(ParseError, match="expected"):
        parse(harness, json.dumps(document, indent=1))


@pytest.mark.parametrize("depth", [950, 980, 2_000, 100_000])
@pytest.mark.parametrize(
    "text",
    ["{0}", "{0}{1}", '{{"metric": "a", "value": {0}{1}}}', '{{"results": {0}1{1}}}'],
    ids=["open", "closed", "line", "document"],
)
@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("harness", ["jsonlines", "hyperfine", "googlebench"])
def test_deep_nesting_is_refused(harness: str, opening: str, text: str, depth: int) -> None:
    closing = "]" if opening == "[" else "}"
    with pytest.raises(ParseError, match=r"^line 1: .*expected"):
        parse(harness, text.format(opening * depth, closing * depth))


@pytest.mark.parametrize("space", ["\t", "\r", "\r\n", " ", "\n"])
def test_a_document_is_read_with_any_white_space_of_json(space: str) -> None:
    text = f'{{{space}"results"{space}:{space}[{{"times":[{space}1.5{space}],"exit_codes":[0]}}]}}'
    assert parse("hyperfine", text) == [Record("time", 1.5)]


@pytest.mark.parametrize(
    "character",
    [*map(chr, [*b' "#:%', *range(0x7F, 0xA1), 0x2028, 0xD800, 0xFEFF, 0xFFFE, 0xFFFF, 0x1F600])],
)
def test_text_may_hold_every_character_that_json_allows(character: str) -> None:
    written = "\\u0022" if character == '"' else character
    line = f'{{"metric": "{written}", "value": 1}}'
    assert parse("jsonlines", f"{line}\n{line}") == [
        Record(character, 1.0),
        Record(character, 1.0),
    ]
    document = f'{{"{written}": "{written}", "results": [{{"times": [2], "exit_codes": [0]}}]}}'
    assert parse("hyperfine", document) == [Record("time", 2.0)]


def test_google_benchmark_says_why_it_skipped() -> None:
    text = recorded("googlebench-error.json").replace("error_message", "skip_message")
    with pytest.raises(ParseError, match="broken was skipped: the answer is wrong"):
        parse("googlebench", text)


def test_google_benchmark_without_an_iteration_is_no_result() -> None:
    document = json.loads(recorded("googlebench.json"))
    document["benchmarks"][0]["iterations"] = 0
    with pytest.raises(ParseError, match="expected at least one iteration"):
        parse("googlebench", json.dumps(document))


def test_the_line_of_every_value_of_a_document_is_known() -> None:
    text = json.dumps(json.loads(recorded("googlebench.json")), indent=1)

    def check(value: Value) -> int:
        if isinstance(value.content, dict):
            return sum(check(value[key]) for key in value.content)
        if isinstance(value.content, list):
            return sum(map(check, value))
        shown = text.split("\n")[value.line - 1].rpartition('": ')[2].strip().removesuffix(",")
        assert json.loads(shown) == value.content
        return 1

    assert check(read(text)) > 50


HOSTILE = [
    "1" + "0" * 400, "-1e999", "1e-999", "0.5", "NaN", "[" * 200_000, "]" * 9, "{" * 50_000,
    '"\\ud800"', "\x00", "\u0661", "null", "true", '""', "9" * 5_000, "{}", "[[]]", "e", "-", " ",
]  # fmt: skip
"""Each takes the place of a word of what a harness prints."""


@pytest.mark.parametrize(
    ("harness", "text"),
    [
        ("gobench", "goos: linux\nBenchmarkSum-2 1000 11010 ns/op 8 B/op\nPASS\n"),
        ("jsonlines", '{"metric": "a", "value": 1}\n{"metric": "b", "value": 2}\n'),
        ("hyperfine", '{"results": [{"exit_codes": [0], "times": [1.5]}]}'),
        (
            "googlebench",
            '{"benchmarks": [{"run_type": "iteration", "run_name": "a", "iterations": 10,'
            ' "real_time": 5, "cpu_time": 4, "time_unit": "us", "items": 3}]}',
        ),
    ],
)
def test_whatever_stands_where_a_word_did_is_read_or_refused(harness: str, text: str) -> None:
    words = list(re.finditer(r'"[^"]*"|[^\s:,{}\[\]]+|[:,{}\[\]]', text))
    assert len(words) > 8
    for word in words:
        for hostile in HOSTILE:
            changed = text[: word.start()] + hostile + text[word.end() :]
            try:
                records = parse(harness, changed)
            except ParseError:
                continue
            assert all(math.isfinite(r.value) and math.isfinite(r.repeats) for r in records)
