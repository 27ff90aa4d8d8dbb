"""The inputs of the benches: equal for equal arguments, and what libraries take them for."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import messages
import pytest

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "testdata" / "jsonexamples"
BOTH = ["direction=from_json", "direction=to_json"]
CELLS = [
    ("nested_layers", "message=nested", 8),
    ("nested_layers", "message=struct", 8),
    ("nested_stream", "message=struct", 3),
    ("array_length", "type=int32", 100),
    ("array_stream", "type=published", 2),
    ("body_length", "", 1000),
    ("value_type", "type=double", 10),
    ("value_type", "type=string", 10),
    ("string_body", "", 1000),
    ("double_random", "", 100),
    ("string_escaped", "percent=10", 1000),
    ("utf8", "bytes=3", 999),
    ("map_string", "", 20),
    ("any_message", "", 5),
    ("timestamp", "", 50),
    ("json_example", "file=citm", 1),
    ("json_example", "file=twitter", 1),
]


@pytest.fixture
def write(tmp_path):
    """Runs inputs.py as a shot does; returns the folder that it filled."""
    home = tmp_path / "build"
    home.mkdir()
    for path in (*HERE.glob("*.py"), HERE / "benchmark.binpb", *EXAMPLES.glob("*.gz")):
        shutil.copy(path, home)

    def run(name, *arguments):
        folder = tmp_path / name
        folder.mkdir()
        program = [sys.executable, "-S", home / "inputs.py"]
        subprocess.run([*program, *map(str, arguments)], cwd=folder, check=True)
        return folder

    return run


def decoded(folder, name):
    """The message as protoc prints it."""
    if not shutil.which("protoc"):
        pytest.skip("no protoc on this machine")
    type_name = (folder / "type.txt").read_text()
    return subprocess.run(
        ["protoc", f"--decode={type_name}", f"--descriptor_set_in={folder / 'schema.binpb'}"],
        input=(folder / name).read_bytes(),
        capture_output=True,
        check=True,
    ).stdout.decode()


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(("workload", "variant", "scale"), CELLS)
@pytest.mark.parametrize("direction", BOTH)
def test_equal_arguments_give_equal_files(write, workload, variant, scale, direction):
    keys = [*filter(None, [direction, variant]), *(["as=value"] * (workload == "json_example"))]
    one = contents(write("one", workload, *keys, scale, 7))
    assert one == contents(write("two", workload, *keys, scale, 7))
    assert set(one) >= {"schema.binpb", "type.txt"}


def test_another_seed_gives_another_input(write):
    cell = ("array_length", "direction=from_json", "type=int32", 100)
    assert contents(write("one", *cell, 7)) != contents(write("two", *cell, 8))


@pytest.mark.parametrize("kind", ["value", "typed"])
@pytest.mark.parametrize("file", ["citm", "twitter", "canada"])
def test_examples_are_messages_of_their_schema(write, file, kind):
    cell = ("json_example", "direction=from_json", f"file={file}", f"as={kind}", 1, 7)
    folder = write("example", *cell)
    text = decoded(folder, "expected.bin")
    assert len(text) > 100_000
    # A field that the schema does not have would be printed by its number.
    assert not any(line.strip()[:1].isdigit() for line in text.splitlines())


def test_what_is_printed_is_json_with_the_value_that_was_read(write):
    read = write("read", "double_random", "direction=from_json", 50, 7)
    printed = write("printed", "double_random", "direction=to_json", 50, 7)
    assert (read / "expected.bin").read_bytes() == (printed / "input.bin").read_bytes()
    values = json.loads((printed / "expected.json").read_text())
    assert values == json.loads((read / "input.json").read_text())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (-12.5, "-12.5"),
        (0.05, "0.05"),
        (1200.0, "1200"),
        (1e5, "1e+05"),
        (1.5e-7, "1.5e-07"),
        (1372788000000.0, "1.372788e+12"),
        (505874924095815681.0, "505874924095815700"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
    ],
)
def test_numbers_have_the_shorter_of_two_forms(value, text):
    assert messages.number(value) == text
    assert float(text) == value


def test_a_stream_is_an_array_and_frames(write):
    folder = write("stream", "nested_stream", "direction=from_json", "message=nested", 3, 7)
    assert len(json.loads((folder / "input.json").read_text())) == 3
    frames = (folder / "expected.bin").read_bytes()
    length = int.from_bytes(frames[1:5], "big")
    assert len(frames) == 3 * (5 + length)


def test_published_arrays_are_read_as_bytes(write):
    folder = write("bytes", "array_length", "direction=to_json", "type=published", 10, 7)
    assert (folder / "type.txt").read_text() == "transcode.bench.BytesPayload"
    assert decoded(folder, "input.bin").startswith('payload: "')


def test_bindings_complete_the_body(write):
    folder = write("bindings", "bindings_corrected", 2, 7)
    held = json.loads((folder / "input.json").read_text())
    bound = [line.split("=")[0] for line in (folder / "bindings.txt").read_text().splitlines()]
    assert sorted([*held, *bound]) == [f"f{n}" for n in range(1, 9)]


def test_the_descriptor_set_is_that_of_the_proto_file(tmp_path):
    if not shutil.which("protoc"):
        pytest.skip("no protoc on this machine")
    compiled = tmp_path / "compiled.binpb"
    command = ["protoc", f"-I{HERE}", "-o", compiled, HERE / "benchmark.proto"]
    subprocess.run(command, check=True)
    # Behind the imports stands the file itself, as protoc compiles it alone.
    assert (HERE / "benchmark.binpb").read_bytes().endswith(compiled.read_bytes())
