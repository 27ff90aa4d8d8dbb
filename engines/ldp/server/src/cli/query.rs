//! `ldp query`: a SPARQL query over a store that no server needs to serve.

use super::data::Data;
use super::exit::At;
use ldp_rdf::Root;
use ldp_sparql::{Format, Limits, Options};
use std::error::Error;
use std::io;
use std::time::Duration;

/// Answers a SPARQL query.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    data: Data,
    /// json, xml, csv or tsv; turtle, ntriples, rdfxml or jsonld for triples; or a media type.
    #[arg(long, value_parser = super::format::answer)]
    format: Option<Format>,
    /// URL of the root, for IRIs as clients see them; without it they are `info:fcres/…`.
    #[arg(long, value_parser = Root::new)]
    root: Option<Root>,
    /// Seconds after which the query is given up.
    #[arg(long, default_value_t = 30.0)]
    timeout: f64,
    /// The query; @FILE for one in a file, - for standard input.
    query: String,
}

/// Answers.
pub fn run(args: Args) -> Result<(), Box<dyn Error>> {
    let text = match args.query.strip_prefix('@') {
        Some(path) => std::fs::read_to_string(path).map_err(|error| At::new(path, error))?,
        None if args.query == "-" => io::read_to_string(io::stdin())?,
        None => args.query,
    };
    let time = Duration::try_from_secs_f64(args.timeout)
        .map_err(|error| format!("timeout {}: {error}", args.timeout))?;
    let options = Options {
        limits: Limits {
            time,
            ..Limits::default()
        },
        ..Options::default()
    };
    let repository = args.data.read()?;
    let root = args.root.unwrap_or_else(Root::inside_only);
    ldp_sparql::query(
        &repository.view(),
        &root,
        &text,
        &options,
        |form| args.format.or_else(|| form.formats().first().copied()),
        &mut io::stdout(),
    )?;
    Ok(())
}
