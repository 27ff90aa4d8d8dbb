"""Asks the engine and pyoxigraph the same queries over the same triples and compares the answers.

Usage: compare.py LDP, the path of the engine's binary. The triples are those that `ldp get` prints
of each resource, so that the two sides share nothing but them. Exit code 1 names the queries that
differ.
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pyoxigraph as ox

ROOT = "http://h/ldp"
PREFIXES = """
PREFIX ldp: <http://www.w3.org/ns/ldp#>
PREFIX dc: <http://purl.org/dc/terms/>
PREFIX ex: <http://example.org/>
PREFIX fedora: <http://fedora.info/definitions/v4/repository#>
"""
RESOURCES = 40

QUERIES = [
    "SELECT (COUNT(?s) AS ?c) WHERE { ?s a ldp:Resource . ?s a ldp:Container . }",
    "SELECT * WHERE { ?s ?p ?o }",
    "SELECT ?t (COUNT(*) AS ?n) WHERE { ?s a ?t } GROUP BY ?t",
    "SELECT ?s ?t WHERE { ?s a ldp:Container ; dc:title ?t FILTER(CONTAINS(?t, '3')) }",
    "SELECT ?c ?t WHERE { ?p ldp:contains ?c . OPTIONAL { ?c dc:title ?t } }",
    "SELECT ?a ?c WHERE { ?a ex:next/ex:next ?c }",
    "SELECT ?a WHERE { ?a ex:next+ <http://h/ldp/set/r7> }",
    "SELECT ?a ?n WHERE { ?a ex:number ?n FILTER(?n > 10 && ?n < 20.5) } ORDER BY DESC(?n)",
    "SELECT (SUM(?n) AS ?sum) (AVG(?n) AS ?avg) (MIN(?n) AS ?min) WHERE { ?a ex:number ?n }",
    "SELECT ?k (COUNT(?a) AS ?n) WHERE { ?a ex:kind ?k } GROUP BY ?k HAVING (COUNT(?a) > 3)",
    "SELECT ?a WHERE { ?a dc:title ?t FILTER NOT EXISTS { ?a ex:number ?n } }",
    "SELECT ?a WHERE { ?a dc:title ?t MINUS { ?a ex:kind 'even' } }",
    "SELECT ?a ?l WHERE { ?a dc:title ?t BIND(LANG(?t) AS ?l) FILTER(LANGMATCHES(?l, 'de')) }",
    "SELECT ?s ?d WHERE { ?s fedora:hasParent <http://h/ldp/set> ; dc:title ?d }",
    "SELECT ?x WHERE { { ?x ex:kind 'odd' } UNION { ?x ex:next <http://other/x> } }",
    "SELECT ?a ?b WHERE { VALUES ?a { <http://h/ldp/set/r1> <http://h/ldp/none> } ?a ex:next ?b }",
    "SELECT ?s WHERE { ?s ex:part ?f . ?f dc:title 'part 5' }",
    "ASK { <http://h/ldp/set> ldp:contains <http://h/ldp/set/r0> }",
    "ASK { <http://h/ldp/set> ldp:contains <http://h/ldp/set/none> }",
]


def document(i: int) -> str:
    """The Turtle of the i-th resource."""
    lines = [f'<> dc:title "resource {i}" ; ex:next <r{(i + 1) % RESOURCES}> .']
    if i % 3:
        lines.append(f"<> ex:number {i}, {i}.5 .")
    lines.append(f"<> ex:kind '{'odd' if i % 2 else 'even'}' ; ex:part <#f> .")
    lines.append(f'<#f> dc:title "part {i}" .')
    if i % 5 == 0:
        lines.append(f'<> dc:title "Quelle {i}"@de-AT ; ex:next <http://other/x> .')
    return PREFIXES + "\n".join(lines)


def run(binary: str, *arguments: str) -> bytes:
    return subprocess.run([binary, *arguments], check=True, capture_output=True).stdout


def rows(result: dict) -> object:
    """The boolean, or the rows with how often each comes, from SPARQL results as JSON."""
    if "boolean" in result:
        return result["boolean"]
    bindings = result["results"]["bindings"]
    for term in (term for row in bindings for term in row.values()):
        # pyoxigraph stores times by value, without the zeros at the end of a fraction.
        if term.get("datatype", "").endswith("#dateTime"):
            seconds, dot, fraction = term["value"].removesuffix("Z").partition(".")
            term["value"] = (seconds + dot + fraction.rstrip("0")).rstrip(".")
    return Counter(json.dumps(row, sort_keys=True) for row in bindings)


def main() -> int:
    binary = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        data, documents = f"{folder}/data", Path(folder, "documents")
        documents.mkdir()
        for i in range(RESOURCES):
            (documents / f"r{i}.ttl").write_text(document(i))
        run(binary, "load", "--data", data, "--root", ROOT, "--parent", "/set", str(documents))
        plain = ox.Store()
        for uid in ["/", "/set", *(f"/set/r{i}" for i in range(RESOURCES))]:
            triples = run(
                binary, "get", "--data", data, "--root", ROOT, "--format", "ntriples", uid
            )
            plain.load(triples, format=ox.RdfFormat.N_TRIPLES)
        wrong = []
        for query in QUERIES:
            text = PREFIXES + query
            arguments = ["--data", data, "--root", ROOT, "--format", "json", text]
            ours = rows(json.loads(run(binary, "query", *arguments)))
            theirs = plain.query(text).serialize(format=ox.QueryResultsFormat.JSON)
            theirs = rows(json.loads(theirs))
            if ours != theirs or ours == Counter():
                wrong.append(f"{query}\n  engine: {ours}\n  pyoxigraph: {theirs}")
    print("\n".join(wrong) or f"{len(QUERIES)} queries, {len(plain)} triples: equal")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
