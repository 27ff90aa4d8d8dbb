"""Opening, closing, and the names of lakesuperior.api."""

import os
import subprocess
import sys

import ldp
import pytest
from ldp import env
from ldp.api import admin, query, resource


def test_what_was_written_is_there_after_a_restart(tmp_path):
    for durability in ("sync", "none", "bg=50"):
        with ldp.Repository(tmp_path, durability=durability) as repository:
            repository.resource.create("/", durability.strip("=50"))
    with ldp.Repository(tmp_path, read_only=True) as repository:
        for name in ("sync", "none", "bg"):
            assert repository.resource.exists(f"/{name}")
        with pytest.raises(ldp.Error, match="read"):
            repository.resource.create("/", "more")


def test_one_process_writes_and_any_reads(tmp_path):
    def elsewhere(options, use):
        code = f"import ldp; r = ldp.Repository({str(tmp_path)!r}, {options}); print(r.{use})"
        path = os.pathsep.join(sys.path)
        return subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
        )

    with ldp.Repository(tmp_path) as writer:
        writer.resource.create("/", "a")
        assert elsewhere("read_only=True", "resource.exists('/a')").stdout == "True\n"
        refused = elsewhere("", "resource.exists('/a')")
        assert f"ldp.Error: store: process {os.getpid()} writes" in refused.stderr
    assert elsewhere("", "resource.create('/', 'b').uid").stdout == "/b\n"


def test_a_closed_repository_says_so(tmp_path):
    repository = ldp.Repository(tmp_path)
    resources = repository.resource
    rsrc = resources.create("/", "a", stream=b"x")
    repository.close()
    repository.close()
    assert rsrc.uid == "/a"
    for use in (lambda: resources.get("/"), lambda: rsrc.content):
        with pytest.raises(ldp.Error, match="closed"):
            use()
    ldp.Repository(tmp_path).close()


@pytest.mark.parametrize(
    "options", [{"durability": "bg"}, {"durability": "bg=x"}, {"referential_integrity": "maybe"}]
)
def test_unknown_options(tmp_path, options):
    with pytest.raises(ValueError, match=next(iter(options))):
        ldp.Repository(tmp_path / "store", **options)
    assert not (tmp_path / "store").exists()


def test_nothing_to_read(tmp_path):
    with pytest.raises(ldp.Error, match="no store"):
        ldp.Repository(tmp_path / "none", read_only=True)


def test_referential_integrity(tmp_path):
    dangling = "<> <urn:p> <none> ."
    strict = ldp.Repository(tmp_path / "strict", referential_integrity="strict")
    with strict as repository, pytest.raises(ldp.RefIntViolationError, match="none"):
        repository.resource.create("/", "a", rdf_data=dangling)
    with ldp.Repository(tmp_path / "lenient", referential_integrity="lenient") as repository:
        assert len(repository.resource.create("/", "a", rdf_data=dangling).user_data) == 0


def test_names_of_lakesuperior(tmp_path):
    with pytest.raises(RuntimeError, match=r"env\.setup"):
        resource.get("/")
    opened = env.setup(tmp_path / "one")
    event, rsrc = resource.create_or_replace(
        "/a", rdf_data=b"<> <urn:p> 1 .", rdf_fmt="text/turtle"
    )
    assert (event, rsrc.uid) == ("_create_", "/a")
    assert resource.get("/a", repr_options={"incl_children": False}).imr
    env.setup(tmp_path / "two")
    assert not resource.exists("/a")
    with pytest.raises(ldp.Error, match="closed"):
        opened.resource.get("/")
    assert query.sparql_query("ASK {}", "csv").read().strip() == b"true"
    assert admin.integrity_check() == []
