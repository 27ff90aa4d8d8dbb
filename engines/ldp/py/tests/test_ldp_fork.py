"""A handle belongs to the process that opened it."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
from unittest import mock

import ldp
import pytest

DATA = "<> <urn:w> 1 ."


def in_child(work):
    """What a forked process reports of some work: its value, or its error."""
    to_read, to_write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(to_read)
            try:
                said = work()
            except BaseException as error:
                said = f"{type(error).__name__}: {error}"
            os.write(to_write, repr(said).encode())
        finally:
            os._exit(0)
    os.close(to_write)
    with os.fdopen(to_read) as pipe:
        said = pipe.read()
    assert os.waitpid(child, 0)[1] == 0, "the child ended by a signal"
    return said


def calls(repository, binary):
    """Every call, by name."""
    resource, query, admin = repository.resource, repository.query, repository.admin
    return {
        "exists": lambda: resource.exists("/"),
        "get": lambda: resource.get("/"),
        "get_metadata": lambda: resource.get_metadata("/"),
        "get_version_info": lambda: resource.get_version_info("/"),
        "get_version": lambda: resource.get_version("/", "v"),
        "create": lambda: resource.create("/", "j", rdf_data=DATA),
        "create stream": lambda: resource.create("/", "j", stream=b"x"),
        "create_or_replace": lambda: resource.create_or_replace("/j", rdf_data=DATA),
        "update": lambda: resource.update("/", "INSERT DATA { <> <urn:w> 2 }"),
        "update_delta": lambda: resource.update_delta("/", set(), set()),
        "create_version": lambda: resource.create_version("/", "v"),
        "revert_to_version": lambda: resource.revert_to_version("/", "v"),
        "delete": lambda: resource.delete("/j"),
        "resurrect": lambda: resource.resurrect("/j"),
        "triple_match": lambda: query.triple_match(p="urn:w"),
        "term_query": lambda: query.term_query([("urn:w", "=", 1)]),
        "sparql_query": lambda: query.sparql_query("ASK {}"),
        "stats": admin.stats,
        "integrity_check": admin.integrity_check,
        "fixity_check": lambda: admin.fixity_check("/b"),
        "content": lambda: binary.content,
        "close": repository.close,
    }


def test_every_call_is_named():
    """A new method of the package is to be in the list above."""
    named = {name.split()[0] for name in calls(mock.MagicMock(), None)}
    for kind in (ldp.Resources, ldp.Query, ldp.Admin):
        for name in vars(kind):
            assert name.startswith("_") or name in named, name


@pytest.mark.parametrize("read_only", [False, True])
def test_each_call_in_a_forked_process_is_an_error(tmp_path, read_only):
    with ldp.Repository(tmp_path) as repository:
        repository.resource.create("/", "b", stream=b"x")
    with ldp.Repository(tmp_path, read_only=read_only) as repository:
        binary = repository.resource.get("/b")
        for name, call in calls(repository, binary).items():
            said = in_child(call)
            assert f"process {os.getpid()} opened this store" in said, name
            assert said.startswith(('"Error:', "'Error:")), name
        assert repository.resource.get("/b").content.read() == b"x"
        # What was read before is the child's.
        assert in_child(lambda: len(binary.user_data)) == "0"
    with ldp.Repository(tmp_path, read_only=True) as repository:
        assert not repository.resource.exists("/j")
        assert repository.admin.integrity_check() == []


def job(i):
    return REPOSITORY.resource.create("/", f"j{i}", rdf_data=DATA).uid


def test_a_pool_of_forked_processes_gets_errors(tmp_path):
    global REPOSITORY
    with ldp.Repository(tmp_path) as REPOSITORY:
        forked = multiprocessing.get_context("fork").Pool(4)
        with forked as pool, pytest.raises(ldp.Error, match="opened this store"):
            pool.map(job, range(40))
        assert job(0) == "/j0"
        found = REPOSITORY.query.sparql_query("SELECT (COUNT(*) AS ?n) { ?s <urn:w> ?o }", "csv")
        assert found.split() == [b"n", b"1"]


def test_a_handle_does_not_go_to_a_spawned_process(tmp_path):
    with ldp.Repository(tmp_path) as repository:
        for handle in (repository, repository.resource, repository.query, repository.admin):
            with pytest.raises(TypeError, match="pickle"):
                pickle.dumps(handle)
        repository.resource.create("/", "a", rdf_data=DATA)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            assert pool.apply(read, (str(tmp_path),))


def read(path):
    with ldp.Repository(path, read_only=True) as repository:
        return repository.resource.exists("/a")


@pytest.mark.parametrize("how", ["exit", "with", "del"])
@pytest.mark.parametrize("durability", ["sync", "bg=10000", "none"])
def test_a_forked_process_that_ends_leaves_the_lock_and_the_log(tmp_path, how, durability):
    # In a process of its own, which ends as Python ends: with all that it still has.
    script = f"""
    import os, signal, sys
    import ldp
    repository = ldp.Repository({str(tmp_path)!r}, durability={durability!r})
    for i in range(5):
        repository.resource.create("/", f"p{{i}}", rdf_data="{DATA}")
    child = os.fork()
    if child == 0:
        how = {how!r}
        if how == "with":
            with repository:
                sys.exit(0)
        if how == "del":
            del repository
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
    try:
        ldp.Repository({str(tmp_path)!r})
    except ldp.Error as error:
        assert "writes to this store" in str(error), error
    child = os.fork()
    if child == 0:
        try:
            ldp.Repository({str(tmp_path)!r})
        except ldp.Error as error:
            assert f"process {{os.getppid()}} writes to this store" in str(error), error
            sys.exit(0)
        sys.exit(1)
    assert os.waitpid(child, 0)[1] == 0
    repository.resource.create("/", "last", rdf_data="{DATA}")
    os.kill(os.getpid(), signal.SIGKILL)
    """
    killed = run(script)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    with ldp.Repository(tmp_path) as repository:
        for name in ["p0", "p1", "p2", "p3", "p4", "last"]:
            assert repository.resource.exists(f"/{name}")
        assert repository.admin.integrity_check() == []


def run(script):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_child_that_outlives_its_parent_does_not_keep_the_lock(tmp_path):
    script = f"""
    import os, signal, time
    import ldp
    repository = ldp.Repository({str(tmp_path)!r})
    repository.resource.create("/", "a", rdf_data="{DATA}")
    child = os.fork()
    if child == 0:
        os.close(1), os.close(2)
        time.sleep(60)
    print(child, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
    """
    child = int(run(script).stdout)
    try:
        with ldp.Repository(tmp_path) as repository:
            assert repository.resource.exists("/a")
    finally:
        os.kill(child, signal.SIGKILL)


def test_a_daemon_opens_the_repository_anew(tmp_path):
    script = f"""
    import os
    import ldp
    repository = ldp.Repository({str(tmp_path)!r})
    repository.resource.create("/", "before", rdf_data="{DATA}")
    to_read, to_write = os.pipe()
    if os.fork():
        os.close(to_read)
        os._exit(0)  # the parent of a daemon ends without a word
    os.close(to_write)
    os.setsid()
    if os.fork():
        os._exit(0)
    os.read(to_read, 1)  # until the first process has gone
    repository = ldp.Repository({str(tmp_path)!r})
    assert repository.resource.exists("/before")
    repository.resource.create("/", "after", rdf_data="{DATA}")
    repository.admin.integrity_check()
    repository.close()
    print("done")
    """
    done = run(script)
    assert done.stdout == "done\n", done.stderr
    with ldp.Repository(tmp_path, read_only=True) as repository:
        assert repository.resource.exists("/after")
        assert repository.admin.integrity_check() == []


def test_forked_workers_read_beside_the_writer(tmp_path):
    def read():
        with ldp.Repository(tmp_path, read_only=True) as reader:
            found = reader.resource.exists("/a")
            try:
                ldp.Repository(tmp_path, read_only=True)
            except ldp.Error as error:
                return found, "already" in str(error)
        with ldp.Repository(tmp_path, read_only=True) as again:
            return found and again.resource.exists("/a"), None

    with ldp.Repository(tmp_path) as repository:
        repository.resource.create("/", "a", rdf_data=DATA)
        for _ in range(3):
            assert in_child(read) == "(True, True)"
        repository.resource.create("/", "b", rdf_data=DATA)
        repository.admin.integrity_check()


def test_a_stream_that_forks_keeps_its_bytes(tmp_path):
    class Forks:
        def __init__(self):
            self.blocks = [b"one ", b"two", b""]
            self.child = None

        def read(self, _size):
            if self.child is None:
                self.child = os.fork()
            return self.blocks.pop(0)

    with ldp.Repository(tmp_path) as repository:
        before, stream, ended = os.getpid(), Forks(), None
        try:
            made = repository.resource.create("/", "b", stream=stream)
        except ldp.Error:
            ended = 0
        finally:
            if os.getpid() != before:
                os._exit(1 if ended is None else ended)
        assert os.waitpid(stream.child, 0)[1] == 0
        assert made.content.read() == b"one two"
