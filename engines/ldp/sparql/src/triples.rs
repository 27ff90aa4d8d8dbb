use crate::Error;
use oxrdf::Triple;
use std::io::Write;

/// Writes triples, at most `limit`, with the IRIs that they have.
pub(crate) fn write(
    triples: impl Iterator<Item = Result<Triple, Error>>,
    _format: ldp_rdf::Format,
    limit: u64,
    sink: &mut impl Write,
) -> Result<u64, Error> {
    let mut count = 0;
    for triple in triples {
        let triple = triple?;
        if count == limit {
            return Err(Error::Rows(limit));
        }
        writeln!(sink, "{triple} .")?;
        count += 1;
    }
    Ok(count)
}
