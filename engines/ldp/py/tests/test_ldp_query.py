"""Questions to the whole repository."""

import json

import ldp
import pytest
import rdflib

LDP = "http://www.w3.org/ns/ldp#"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
SIZE = "urn:x:size"


@pytest.fixture
def filled(repository):
    for i in range(5):
        said = f"<{SIZE}> {i} ; <urn:x:name> 'n{i}'@en ; <urn:x:next> <{i + 1}> ; <urn:x:has> []"
        repository.resource.create_or_replace(f"/{i}", rdf_data=f"<> {said} .")
    return repository


def test_sparql_sees_users_and_the_server(filled):
    count = f"SELECT (COUNT(*) AS ?n) {{ ?s a <{LDP}Resource> ; <{SIZE}> ?o }}"
    assert filled.query.sparql_query(count, "csv") == b"n\r\n5\r\n"
    rows = json.loads(filled.query.sparql_query(f"SELECT * {{ ?s <{SIZE}> 3 }}"))
    value = {"type": "uri", "value": "info:fcres/3"}
    assert rows["results"]["bindings"] == [{"s": value}]
    made = f"CONSTRUCT {{ ?s <urn:x:is> ?o }} WHERE {{ ?s <{SIZE}> ?o }}"
    for name, syntax in ((None, "turtle"), ("xml", "xml"), ("nt", "nt"), ("json-ld", "json-ld")):
        if name == "xml":
            # The name of a syntax of rows and of triples: the query decides.
            name = "application/rdf+xml"
        text = filled.query.sparql_query(made, name)
        assert len(rdflib.Graph().parse(data=text, format=syntax)) == 5
    with pytest.raises(ldp.ParseError, match="line 1"):
        filled.query.sparql_query("SELECT")
    with pytest.raises(ldp.Error, match="text/turtle"):
        filled.query.sparql_query(made, "csv")
    with pytest.raises(ValueError, match="timeout"):
        filled.query.sparql_query(made, timeout=-1)
    slow = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"
    with pytest.raises(ldp.Error, match="time"):
        filled.query.sparql_query(slow, timeout=0.05)


def test_triple_match(filled):
    iris = {f"info:fcres/{i}" for i in range(5)}
    assert filled.query.triple_match(p=SIZE) == iris
    assert filled.query.triple_match(None, TYPE, LDP + "Resource") == iris | {"info:fcres/"}
    assert filled.query.triple_match(p="urn:x:none") == set()
    full = filled.query.triple_match("info:fcres/2", "urn:x:name", return_full=True)
    assert full == {("info:fcres/2", "urn:x:name", ldp.Literal("n2", language="en"))}
    assert filled.query.triple_match(o=rdflib.Literal("n2", lang="en")) == {"info:fcres/2"}
    assert filled.query.triple_match(o="info:fcres/3") == {"info:fcres/2", "info:fcres/"}


@pytest.mark.parametrize(
    ("terms", "or_logic", "expected"),
    [
        ([{"pred": SIZE, "op": ">=", "val": 3}], False, "34"),
        ([(SIZE, "<", 1.5)], False, "01"),
        ([(SIZE, ">", 0), ("urn:x:name", "!=", "n2")], False, "134"),
        ([(SIZE, "=", 0), ("urn:x:name", "=", "n2")], True, "02"),
        ([("urn:x:next", "_id", "info:fcres/3")], False, "2"),
        ([(rdflib.URIRef("urn:x:name"), "_id", rdflib.Literal("n1", lang="en"))], False, "1"),
        ([("urn:x:name", "_id", ldp.Literal("n1"))], False, ""),
    ],
)
def test_term_query(filled, terms, or_logic, expected):
    assert filled.query.term_query(terms, or_logic) == {f"info:fcres/{i}" for i in expected}


def test_terms_that_are_none(filled):
    with pytest.raises(ValueError, match="~"):
        filled.query.term_query([(SIZE, "~", 1)])
    with pytest.raises(TypeError, match="object"):
        filled.query.term_query([(SIZE, "=", object())])
    with pytest.raises(KeyError):
        filled.query.term_query([{"pred": SIZE}])


def test_integrity_and_figures(filled, tmp_path):
    filled.resource.create("/", "binary", stream=b"some bytes")
    assert filled.admin.integrity_check() == []
    assert filled.admin.stats()["records"] == 7
    (path,) = (path for path in (tmp_path / "store" / "bin").rglob("*") if path.is_file())
    path.unlink()
    (damage,) = filled.admin.integrity_check()
    assert path.name in damage
