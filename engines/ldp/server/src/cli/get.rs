//! `ldp get`: one resource on standard output.

use super::data::Data;
use ldp_rdf::{Format, Root, Writer};
use ldp_repository::Preferences;
use ldp_repository::vocabulary::PREFIXES;
use std::error::Error;
use std::io::{self, BufWriter, Write};

/// Prints a resource: its triples, or the bytes of a binary.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    data: Data,
    /// turtle, ntriples, rdfxml, jsonld or a media type; given, it prints the description of a binary.
    #[arg(long, value_parser = super::format::rdf)]
    format: Option<Format>,
    /// URL of the root, for IRIs as clients see them; without it they are `info:fcres/…`.
    #[arg(long, value_parser = Root::new)]
    root: Option<Root>,
    /// Path of the resource, such as `/a/b`.
    uid: String,
}

/// Prints.
pub fn run(args: Args) -> Result<(), Box<dyn Error>> {
    let repository = args.data.read()?;
    let view = repository.view();
    let resource = view.get(&args.uid)?;
    let mut out = BufWriter::new(io::stdout().lock());
    if let (Some(content), None) = (&resource.content, args.format) {
        io::copy(&mut repository.store().open_content(content)?, &mut out)?;
        out.flush()?;
        return Ok(());
    }
    let root = args.root.unwrap_or_else(Root::inside_only);
    let format = args.format.unwrap_or(Format::Turtle);
    let mut writer = Writer::new(format, &root, &PREFIXES, out);
    view.describe::<Box<dyn Error>>(&resource, &Preferences::default(), &mut |triple| {
        Ok(writer.triple(triple)?)
    })?;
    writer.finish()?.flush()?;
    Ok(())
}
