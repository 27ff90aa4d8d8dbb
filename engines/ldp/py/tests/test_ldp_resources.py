"""Reading and writing resources."""

import hashlib
import io
import threading

import ldp
import pytest

LDP = "http://www.w3.org/ns/ldp#"
CONTAINS = LDP + "contains"
SAYS = "urn:x:says"


def test_what_is_written_is_read(repository):
    rsrc = repository.resource.create("/", "note", rdf_data=f"<> <{SAYS}> 'Hello'@en, 7, <#x> .")
    assert (rsrc.uid, rsrc.uri) == ("/note", "info:fcres/note")
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    expected = {
        ("info:fcres/note", SAYS, ldp.Literal("Hello", language="en")),
        ("info:fcres/note", SAYS, ldp.Literal("7", datatype=integer)),
        ("info:fcres/note", SAYS, "info:fcres/note#x"),
    }
    assert set(rsrc.user_data) == expected
    assert expected < set(rsrc.imr)
    assert set(rsrc.imr) - expected == set(rsrc.metadata)
    assert set(repository.resource.get("/note").imr) == set(rsrc.imr)
    assert set(repository.resource.get_metadata("/note")) == set(rsrc.metadata)
    names = ("Resource", "RDFSource", "Container", "BasicContainer")
    assert rsrc.ldp_types == {LDP + name for name in names}
    assert repository.resource.exists("/note") and not repository.resource.exists("/other")


@pytest.mark.parametrize("count", [0, 1, 700])
def test_children_are_triples_when_asked_for(repository, count):
    repository.resource.create("/", "many")
    for i in range(count):
        repository.resource.create_or_replace(f"/many/a b {i}")
    parent = repository.resource.get("/many")
    assert len(parent.imr) == len(list(parent.imr)) == count + len(parent.metadata)
    listed = parent.imr.match(p=CONTAINS)
    assert {o for _, _, o in listed} == {f"info:fcres/many/a%20b%20{i}" for i in range(count)}
    assert {s for s, _, _ in listed} <= {parent.uri}
    first = (parent.uri, CONTAINS, "info:fcres/many/a%20b%200")
    assert parent.imr.match(o=first[2]) == [first][:count]
    assert (first in parent.imr) == (count > 0)
    assert (parent.uri, CONTAINS, "info:fcres/many/none") not in parent.imr
    without = repository.resource.get("/many", {"incl_children": False})
    assert set(without.imr) == set(parent.metadata)


def test_a_resource_stays_as_it_was_read(repository):
    repository.resource.create("/", "a")
    before = repository.resource.get("/")
    repository.resource.create("/", "b")
    repository.resource.delete("/a")
    assert {o for _, _, o in before.imr.match(p=CONTAINS)} == {"info:fcres/a"}


def test_many_resources_can_be_held(repository):
    held = []
    for i in range(300):
        held.append(repository.resource.create("/", f"r{i}"))
        held.append(repository.resource.get("/"))
    assert [len(rsrc.imr.match(p=CONTAINS)) for rsrc in held[1::2]] == list(range(1, 301))


def test_representation_options(repository):
    make = repository.resource.create_or_replace
    make("/a", rdf_data=f"<> <{SAYS}> 'A' .")
    make("/a/b", rdf_data=f"<> <{SAYS}> 'B' .")
    make("/c", rdf_data=f"<> <{SAYS}> <a> .")
    reference = ("info:fcres/c", SAYS, "info:fcres/a")
    assert reference not in repository.resource.get("/a").imr
    assert reference in repository.resource.get("/a", {"incl_inbound": True}).imr
    child = ("info:fcres/a/b", SAYS, ldp.Literal("B"))
    assert child not in repository.resource.get("/a").imr
    assert child in repository.resource.get("/a", {"embed_children": True}).imr
    bare = repository.resource.get("/a", {"incl_srv_mgd": False, "incl_children": False})
    assert set(bare.imr) == {("info:fcres/a", SAYS, ldp.Literal("A"))}
    with pytest.raises(ValueError, match="incl_everything"):
        repository.resource.get("/a", {"incl_everything": True})


def test_events_name_what_happened(repository):
    event, rsrc = repository.resource.create_or_replace("/a/b", graph=[])
    assert (event, rsrc.uid) == ("_create_", "/a/b")
    assert repository.resource.exists("/a")
    graph = [("info:fcres/a/b", SAYS, "urn:x")]
    event, rsrc = repository.resource.create_or_replace("/a/b", graph=graph)
    assert (event, list(rsrc.user_data)) == ("_update_", graph)


def test_a_taken_slug_is_only_a_hint(repository):
    uids = {repository.resource.create("/", "x").uid for _ in range(3)}
    uids |= {repository.resource.create("/").uid for _ in range(3)}
    assert len(uids) == 6 and "/x" in uids


@pytest.mark.parametrize("name", ["turtle", "nt", "xml", "json-ld", "application/rdf+xml"])
def test_formats(repository, name):
    turtle = f"<> <{SAYS}> [ <{SAYS}> 'ü' ] ."
    written = repository.resource.create("/", "a", rdf_data=turtle).user_data
    text = written.serialize(name)
    _, again = repository.resource.create_or_replace("/a", rdf_data=text, rdf_fmt=name)
    assert len(again.user_data) == 2
    ((outer, _, inner),) = again.user_data.match(s="info:fcres/a")
    assert (outer, again.user_data.match(s=inner)[0][2].value) == ("info:fcres/a", "ü")
    with pytest.raises(ValueError, match="n-quads"):
        written.serialize("application/n-quads")


def test_update(repository):
    repository.resource.create("/", "a", rdf_data=f"<> <{SAYS}> 'old' .")
    change = (
        f"DELETE {{ <> <{SAYS}> ?o }} INSERT {{ <> <{SAYS}> 'new' }} WHERE {{ <> <{SAYS}> ?o }}"
    )
    rsrc = repository.resource.update("/a", change)
    assert list(rsrc.user_data) == [("info:fcres/a", SAYS, ldp.Literal("new"))]
    with pytest.raises(ldp.ParseError, match="line 1"):
        repository.resource.update("/a", "INSERT { <> }")
    with pytest.raises(ldp.ResourceNotExistsError):
        repository.resource.update("/b", change)


def test_update_delta(repository):
    iri = "info:fcres/a"
    triples = [(iri, SAYS, ldp.Literal(str(i))) for i in range(3)]
    kept = (iri, "urn:x:other", "urn:y")
    repository.resource.create("/", "a", graph=[*triples, kept])
    add = [(iri, SAYS, ldp.Literal("new"))]
    rsrc = repository.resource.update_delta("/a", [triples[0]], add)
    assert set(rsrc.user_data) == {*triples[1:], kept, *add}
    rsrc = repository.resource.update_delta("/a", [(iri, SAYS, None)], [])
    assert set(rsrc.user_data) == {kept}


def test_binaries(repository):
    data = bytes(range(256)) * 1000
    given = {"mimetype": "image/png", "filename": "a.png", "prov_cksum_algo": "sha1"}
    sha1 = hashlib.sha1(data).hexdigest()
    for name, stream in (("stream", io.BytesIO(data)), ("bytes", data)):
        rsrc = repository.resource.create("/", name, stream=stream, prov_cksum=sha1, **given)
        assert rsrc.ldp_types == {LDP + "Resource", LDP + "NonRDFSource"}
        with rsrc.content as content:
            assert content.read() == data
        assert repository.admin.fixity_check(rsrc.uid) == hashlib.sha256(data).hexdigest()
    with pytest.raises(ldp.ChecksumValidationError, match=sha1):
        repository.resource.create("/", "wrong", stream=b"other", prov_cksum=sha1, **given)
    assert not repository.resource.exists("/wrong")
    assert repository.resource.get("/").content is None
    change = f"INSERT DATA {{ <> <{SAYS}> 'A' }}"
    with pytest.raises(ldp.InvalidResourceError, match="is_metadata"):
        repository.resource.update("/bytes", change)
    described = repository.resource.update("/bytes", change, is_metadata=True)
    assert described.user_data.match(p=SAYS)
    with described.content as content:
        assert content.read() == data


def test_damaged_content_is_found(repository, tmp_path):
    repository.resource.create("/", "a", stream=b"some bytes")
    (path,) = (path for path in (tmp_path / "store" / "bin").rglob("*") if path.is_file())
    path.write_bytes(b"some bytez")
    with pytest.raises(ldp.ChecksumValidationError, match="/a"):
        repository.admin.fixity_check("/a")


def test_a_stream_that_raises_writes_nothing(repository):
    class Broken(io.RawIOBase):
        def read(self, size=-1):
            raise OSError("no more")

    with pytest.raises(OSError, match="no more"):
        repository.resource.create("/", "a", stream=Broken())
    assert not repository.resource.exists("/a")


def test_versions(repository):
    repository.resource.create("/", "a", rdf_data=f"<> <{SAYS}> 1 .")
    assert repository.resource.create_version("/a", "one") == "one"
    repository.resource.create_or_replace("/a", rdf_data=f"<> <{SAYS}> 2 .")
    label = repository.resource.create_version("/a")
    versions = repository.resource.get_version_info("/a")
    assert [version.uid for version in versions] == ["one", label]
    assert versions[0].created < versions[1].created
    assert versions[0].created.utcoffset().total_seconds() == 0
    kept = [repository.resource.get_version("/a", version.uid) for version in versions]
    assert [graph.match(p=SAYS)[0][2].value for graph in kept] == ["1", "2"]
    reverted = repository.resource.revert_to_version("/a", "one")
    assert reverted.user_data.match(p=SAYS)[0][2].value == "1"
    with pytest.raises(ldp.ResourceNotExistsError, match="none"):
        repository.resource.get_version("/a", "none")
    with pytest.raises(ldp.ResourceExistsError, match="one"):
        repository.resource.create_version("/a", "one")


def test_delete_and_resurrect(repository):
    make = repository.resource.create_or_replace
    make("/a", rdf_data=f"<> <{SAYS}> 'A' .")
    make("/a/b")
    repository.resource.delete("/a")
    for uid in ("/a", "/a/b"):
        assert not repository.resource.exists(uid)
        with pytest.raises(ldp.TombstoneError):
            repository.resource.get(uid)
    with pytest.raises(ldp.TombstoneError):
        make("/a")
    assert repository.resource.resurrect("/a").user_data.match(p=SAYS)
    assert repository.resource.exists("/a/b")
    repository.resource.delete("/a", soft=False)
    with pytest.raises(ldp.ResourceNotExistsError):
        repository.resource.get("/a")
    with pytest.raises(ValueError, match="inbound"):
        repository.resource.delete("/", inbound=False)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"rdf_data": "<> <urn:p> ."}, ldp.ParseError, "line 1"),
        ({"rdf_data": "", "stream": b""}, ValueError, "one of graph, rdf_data and stream"),
        ({"rdf_data": 7}, TypeError, "bytes or str, not int"),
        ({"rdf_fmt": "n-quads"}, ValueError, "n-quads"),
        ({"graph": [("urn:a", "urn:b")]}, ValueError, "3"),
        ({"graph": [("a", "b", "c")]}, ValueError, "IRI"),
        ({"graph": [("urn:a", 7, "urn:c")]}, TypeError, "not int"),
        ({"graph": [(ldp.Literal("a"), "urn:b", "urn:c")]}, ValueError, "subject"),
        ({"stream": b"", "prov_cksum": "00"}, ValueError, "go together"),
        ({"stream": b"", "prov_cksum": "00", "prov_cksum_algo": "crc"}, ValueError, "crc"),
        ({"handling": "kind"}, ValueError, "kind"),
        ({"colour": "red"}, TypeError, "colour"),
        (
            {"rdf_data": f"<> <{CONTAINS}> <x> .", "handling": "strict"},
            ldp.ServerManagedTermError,
            "contains",
        ),
    ],
)
def test_what_is_refused(repository, given, error, words):
    with pytest.raises(error, match=words):
        repository.resource.create("/", "a", **given)
    assert not repository.resource.exists("/a")


@pytest.mark.parametrize("uid", ["", "a", "/a/", "/a//b", "/a/../b", "/a\0", "/fcr:versions"])
def test_bad_uids(repository, uid):
    with pytest.raises(ldp.InvalidResourceError):
        repository.resource.get(uid)
    with pytest.raises(ldp.InvalidResourceError):
        repository.resource.create_or_replace(uid)


def test_threads_write_at_once(repository):
    def write(thread):
        for i in range(50):
            repository.resource.create("/", f"t{thread}-{i}", rdf_data="<> <urn:p> 1 .")

    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(repository.resource.get("/").imr.match(p=CONTAINS)) == 200
