//! Runs the W3C's tests of RDF 1.1 and SPARQL, from the folder of a package.

mod results;
mod sparql;
mod syntaxes;

fn main() {
    syntaxes::all_pass();
    sparql::all_but_the_listed_pass();
    println!("the W3C's tests of RDF and SPARQL pass");
}
