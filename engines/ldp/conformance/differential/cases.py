"""The requests of the differential gate, in the order in which they are sent.

Paths are below the container `/d`, which the first request makes. `{root}` is the URL of the root
of the system; `{name}` the URL of what the request `name` made.
"""

from dataclasses import dataclass, field

TURTLE, UPDATE, TEXT = "text/turtle", "application/sparql-update", "text/plain"
LDP = "http://www.w3.org/ns/ldp#"
PREFIXES = f"""@prefix ldp: <{LDP}> . @prefix ex: <http://example.edu/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . """
# Fedora 4 wants all triples of its own back unless it is told otherwise; the others do not mind.
LENIENT = {"Prefer": 'handling=lenient; received="minimal"'}


@dataclass(frozen=True)
class Case:
    """A request."""

    name: str
    method: str
    path: str
    body: str = ""
    type: str = ""
    headers: dict[str, str] = field(default_factory=dict)


def put(name: str, path: str, turtle: str, **headers: str) -> Case:
    """PUT of Turtle; `headers` have _ for -."""
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return Case(name, "PUT", path, PREFIXES + turtle, TURTLE, LENIENT | named)


def post(name: str, path: str, turtle: str, **headers: str) -> Case:
    """POST of Turtle."""
    return Case(name, "POST", path, PREFIXES + turtle, TURTLE, headers)


def patch(name: str, path: str, update: str) -> Case:
    """PATCH by SPARQL Update."""
    return Case(name, "PATCH", path, "PREFIX ex: <http://example.edu/> " + update, UPDATE)


def get(name: str, path: str, accept: str = TURTLE, **headers: str) -> Case:
    """GET."""
    return Case(name, "GET", path, headers={"Accept": accept} | headers)


LITERALS = """<> ex:plain "a", "ä € 𝄞", "line\\nline\\t\\"quoted\\" \\\\" ; ex:empty "" ;
ex:typed "x"^^ex:type, "2020-01-02"^^xsd:date ;
ex:iri ex:o, <http://example.edu/ü?q=1#f> ; ex:self <> ."""

CASES = [
    # Resources of RDF.
    put("container", "", ""),
    put("literals", "/a", LITERALS),
    get("literals in Turtle", "/a"),
    get("literals in N-Triples", "/a", "application/n-triples"),
    get("literals in RDF/XML", "/a", "application/rdf+xml"),
    get("literals in JSON-LD", "/a", "application/ld+json"),
    Case("HEAD", "HEAD", "/a"),
    Case("OPTIONS", "OPTIONS", "/a"),
    put("replace", "/a", "<> ex:plain 'b' ; a ex:Type ."),
    get("replaced", "/a"),
    put("languages", "/languages", "<> ex:p 'colour'@en-gb, 'Farbe'@de ."),
    get("languages read", "/languages"),
    put("numbers", "/numbers", "<> ex:p 42, -7, true, 1.5 ."),
    get("numbers read", "/numbers"),
    put("empty", "/empty", ""),
    get("empty read", "/empty"),
    put("hash subject", "/hash", "<> ex:part <#h> . <#h> ex:name 'h' ."),
    get("hash subject read", "/hash"),
    put("blank nodes", "/blank", "<> ex:p [ ex:q 'x' ; ex:r [ ex:s 1 ] ], [ ex:q 'y' ] ."),
    get("blank nodes read", "/blank"),
    put("list", "/list", "<> ex:items ( 1 'two' ex:three ) ."),
    get("list read", "/list"),
    put("relative reference", "/b", "<> ex:see <../d/a>, </elsewhere>, <a> ."),
    get("relative reference read", "/b"),
    put("reference", "/c", "<> ex:see <{root}/d/a> ."),
    get("reference read", "/c"),
    put("dangling reference", "/dangling", "<> ex:see <{root}/d/nothing> ; ex:kept 'k' ."),
    get("dangling reference read", "/dangling"),
    put("letters in names", "/names/caf%C3%A9", "<> ex:p 'é' ."),
    get("letters in names read", "/names/caf%C3%A9"),
    put("blank in names", "/blanks/a%20b", "<> ex:p 'blank' ."),
    get("blank in names read", "/blanks/a%20b"),
    get("container of all", ""),
    # What is refused.
    put("malformed", "/bad", "<> ex:p "),
    get("malformed not made", "/bad"),
    Case("containment", "PUT", "/bad", f"<> <{LDP}contains> <{{root}}/d/a> .", TURTLE),
    Case("no RDF type", "PUT", "/bad2", "<> <x:p> 'y' .", "text/unknown+rdf"),
    get("nothing", "/nothing"),
    get("not acceptable", "/a", "application/n-quads"),
    put("If-Match wrong", "/a", "<> ex:plain 'lost' .", If_Match='"no-such-tag"'),
    put("If-None-Match on existing", "/a", "<> ex:plain 'lost' .", If_None_Match="*"),
    get("conditions kept it", "/a"),
    # Creating by POST.
    post("slug", "", "<> ex:p 'slug' ; ex:self <> .", Slug="posted"),
    get("slug read", "{slug}"),
    post("slug taken", "", "<> ex:p 'again' .", Slug="posted"),
    get("slug taken read", "{slug taken}"),
    post("no slug", "", "<> ex:p 'none' ."),
    get("no slug read", "{no slug}"),
    post("parent missing", "/nothing", "<> ex:p 'x' ."),
    # Paths.
    put("deep", "/x/y/z", "<> ex:p 'deep' ."),
    get("deep read", "/x/y/z"),
    get("implied parent", "/x/y"),
    # Changing.
    patch("insert", "/a", "INSERT DATA { <> ex:added 'i', ex:o }"),
    get("inserted", "/a"),
    patch(
        "change", "/a", "DELETE { <> ex:added ?o } INSERT { <> ex:was ?o } WHERE { <> ex:added ?o }"
    ),
    get("changed", "/a"),
    patch("delete absent", "/a", "DELETE DATA { <> ex:never 'x' }"),
    patch("change nothing", "/a", "DELETE { <> ex:never ?o } WHERE { <> ex:never ?o }"),
    get("unchanged", "/a"),
    patch("insert blank nodes", "/c", "INSERT { <> ex:node [ ex:q 'n' ] } WHERE { }"),
    get("blank nodes inserted", "/c"),
    patch("update malformed", "/a", "INSERT DATA { <> "),
    Case("update of wrong type", "PATCH", "/a", "<> <x:p> 1 .", TURTLE),
    patch("update of nothing", "/nothing", "INSERT DATA { <> ex:p 'x' }"),
    # Binaries.
    Case("binary", "PUT", "/bin", "0123456789", TEXT),
    get("binary read", "/bin", "*/*"),
    Case("part", "GET", "/bin", headers={"Range": "bytes=2-5"}),
    get("description", "/bin/fcr:metadata"),
    patch("describe", "/bin/fcr:metadata", "INSERT DATA { <{root}/d/bin> ex:about 'digits' }"),
    get("described", "/bin/fcr:metadata"),
    Case("binary replaced", "PUT", "/bin", "abc", TEXT),
    get("binary replaced read", "/bin", "*/*"),
    Case("POST into binary", "POST", "/bin", "x", TEXT),
    Case("binary by POST", "POST", "", "posted", TEXT, {"Slug": "file"}),
    get("binary by POST read", "{binary by POST}", "*/*"),
    Case("RDF over binary", "PUT", "/bin", "<> <x:p> 'q' .", TURTLE),
    # Containers of other kinds.
    put("members", "/members", "<> ex:p 'm' ."),
    put(
        "direct container",
        "/direct",
        "<> a ldp:DirectContainer ; ldp:membershipResource <{root}/d/members> ;"
        " ldp:hasMemberRelation ex:member .",
        Link=f'<{LDP}DirectContainer>; rel="type"',
    ),
    put("direct member", "/direct/one", "<> ex:p 'one' ."),
    get("direct container read", "/direct"),
    get("direct membership", "/members"),
    put(
        "indirect container",
        "/indirect",
        "<> a ldp:IndirectContainer ; ldp:membershipResource <{root}/d/members> ;"
        " ldp:hasMemberRelation ex:proxied ;"
        " ldp:insertedContentRelation ex:for .",
        Link=f'<{LDP}IndirectContainer>; rel="type"',
    ),
    put("indirect member", "/indirect/one", "<> ex:for <{root}/d/a> ."),
    get("indirect membership", "/members"),
    # Preferences.
    get("without containment", "", Prefer=f'return=representation; omit="{LDP}PreferContainment"'),
    get("minimal", "/x", Prefer=f'return=representation; include="{LDP}PreferMinimalContainer"'),
    # Versions.
    Case("version", "POST", "/a/fcr:versions", headers={"Slug": "v1"}),
    patch("change after version", "/a", "INSERT DATA { <> ex:after 'v1' }"),
    get("current", "/a"),
    # Deleting.
    Case("delete", "DELETE", "/empty"),
    get("deleted", "/empty"),
    put("PUT of deleted", "/empty", "<> ex:p 'back' ."),
    Case("forget", "DELETE", "/empty/fcr:tombstone"),
    get("forgotten", "/empty"),
    put("PUT of forgotten", "/empty", "<> ex:p 'back' ."),
    get("PUT of forgotten read", "/empty"),
    put("referrer", "/referrer", "<> ex:see <{root}/d/c> ; ex:p 'r' ."),
    Case("delete referenced", "DELETE", "/c"),
    get("referenced deleted", "/c"),
    get("referrer left", "/referrer"),
    Case("delete tree", "DELETE", "/x"),
    get("tree deleted", "/x"),
    get("leaf deleted", "/x/y/z"),
    Case("resurrect", "POST", "/x/fcr:tombstone"),
    get("resurrected", "/x"),
    get("container at the end", ""),
]

# Asked after all of them, of systems that have an endpoint.
QUERIES = {
    "all with a predicate": "SELECT ?s ?o WHERE { ?s ex:p ?o }",
    "a resource": "SELECT ?p ?o WHERE { <{root}/d/a> ?p ?o FILTER(STRSTARTS(STR(?p), STR(ex:))) }",
    "join": "SELECT ?s ?n WHERE { ?s ex:part ?h . ?h ex:name ?n }",
    "containers": f"SELECT ?s WHERE {{ ?s a <{LDP}Container> ; ex:p ?o }}",
    "count": "SELECT (COUNT(?s) AS ?n) WHERE { ?s ex:p ?o }",
    "filter": "SELECT ?s ?o WHERE { ?s ex:p ?o FILTER(?o > 'm') }",
    "optional": "SELECT ?s ?q WHERE { ?s ex:p ?o OPTIONAL { ?s ex:self ?q } }",
    "children": f"SELECT ?c WHERE {{ <{{root}}/d> <{LDP}contains> ?c . ?c ex:p ?o }}",
    "none": "SELECT ?s WHERE { ?s ex:nowhere ?o }",
}
