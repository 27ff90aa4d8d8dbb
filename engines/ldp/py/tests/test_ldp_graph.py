"""Terms and graphs, and those of rdflib."""

import ldp
import pytest
import rdflib
from rdflib.compare import isomorphic

TURTLE = """
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<> <urn:p> "a", "b"@en, "01"^^xsd:integer, "x\\ny\\"z", [], _:b ;
   <urn:q> <#h>, <http://example.org/é>, "1"^^<urn:t> .
_:b <urn:r> _:b .
"""


@pytest.fixture
def graph(repository):
    return repository.resource.create("/", "a", rdf_data=TURTLE).user_data


def parsed(text, syntax):
    return rdflib.Graph().parse(data=text, format=syntax, publicID="info:fcres/a")


def test_terms():
    literal = ldp.Literal("a", language="en")
    assert literal == ldp.Literal("a", language="en") != ldp.Literal("a")
    assert len({literal, ldp.Literal("a", language="en"), ldp.Literal("a")}) == 2
    assert str(literal) == "a"
    assert (literal.value, literal.language) == ("a", "en")
    assert ldp.Literal("1").datatype == "http://www.w3.org/2001/XMLSchema#string"
    assert repr(ldp.Literal("1", datatype="urn:t")) == 'Literal("1"^^<urn:t>)'
    assert ldp.BlankNode("x") == ldp.BlankNode("x") != ldp.BlankNode("y")
    with pytest.raises(ValueError, match="not both"):
        ldp.Literal("a", datatype="urn:t", language="en")
    with pytest.raises(ValueError, match="no iri"):
        ldp.Literal("a", datatype="no iri")
    with pytest.raises(ValueError, match="blank node"):
        ldp.BlankNode("a b")


def test_rdflib_gets_the_same_triples(graph):
    copy = graph.to_rdflib()
    assert len(copy) == len(graph) == 10
    # rdflib reads "01" as "1" unless told not to; ours keeps what was written.
    written = rdflib.Literal("01", datatype=rdflib.XSD.integer, normalize=False)
    assert str(written) in {str(literal) for literal in copy.objects()}
    assert isomorphic(parsed(copy.serialize(format="nt"), "nt"), parsed(TURTLE, "turtle"))


def test_rdflib_terms_are_taken(repository, graph):
    copy = repository.resource.create_or_replace("/a", graph=graph.to_rdflib())[1]
    assert isomorphic(copy.user_data.to_rdflib(), graph.to_rdflib())


def test_match(graph):
    assert len(graph.match()) == 10
    assert len(graph.match(p=rdflib.URIRef("urn:p"))) == 6
    assert len(graph.match(s="info:fcres/a")) == 9
    assert len(graph.match(o=rdflib.Literal("b", lang="en"))) == 1
    assert len(graph.match("info:fcres/a", "urn:q", "info:fcres/a#h")) == 1
    assert graph.match(o=ldp.Literal("b")) == []
    (loop,) = graph.match(p="urn:r")
    assert loop[0] == loop[2] and isinstance(loop[0], ldp.BlankNode)
    assert loop in graph
    assert ("info:fcres/a", "urn:p", ldp.Literal("b")) not in graph


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (("urn:s", "urn:p"), ValueError),
        (("urn:s", ldp.BlankNode("b"), "urn:o"), ValueError),
        (7, TypeError),
    ],
)
def test_what_is_no_triple(graph, bad, error):
    with pytest.raises(error):
        graph.__contains__(bad)


@pytest.mark.parametrize("name", ["turtle", "nt", "xml", "json-ld"])
def test_serialized_text_means_the_same(graph, name):
    assert isomorphic(parsed(graph.serialize(name), name), parsed(TURTLE, "turtle"))
