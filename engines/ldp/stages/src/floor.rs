//! Single steps of a PUT or a GET with nothing around them: no engine can be quicker.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use heed::CommitOrAbort;
use heed::types::Bytes;
use ldp_load::Documents;
use oxttl::TurtleParser;

use crate::{Result, loopback};

/// How often each step is timed, after some that are not.
const TIMES: usize = 300;
const WARM: usize = 50;
const CHILDREN: usize = 10_000;

/// The median time of a step, in seconds.
///
/// * `parse`: reading a document of 200 triples with the parser that the engine uses
/// * `append`: writing a document to the end of a file, not synced
/// * `sync`: writing it over what a file has there already, and fdatasync
/// * `loopback`: sending it over HTTP to a server that does nothing, on a new connection
/// * `scan`: listing 10,000 children in LMDB as Turtle
pub fn measure(part: &str, seed: u64) -> Result<Vec<(&'static str, f64)>> {
    let documents = Documents::new(seed);
    let document = |i| documents.turtle(i, "http://127.0.0.1:8000/ldp/pomegranate/previous");
    let median = match part {
        "parse" => repeat(document, |text| parse(&text))?,
        "append" => {
            let mut file = File::create("append")?;
            repeat(document, |text| Ok(file.write_all(text.as_bytes())?))?
        }
        "sync" => sync(document)?,
        "loopback" => {
            let address = loopback::serve()?;
            repeat(document, |text| loopback::put(address, &text))?
        }
        "scan" => scan(&documents)?,
        _ => {
            return Err(
                format!("expected parse, append, sync, loopback or scan, found {part}").into(),
            );
        }
    };
    Ok(vec![("time", median)])
}

/// The median time of `step` on what `make` makes, which is not timed.
fn repeat<T>(make: impl Fn(usize) -> T, mut step: impl FnMut(T) -> Result<()>) -> Result<f64> {
    let mut times: Vec<Duration> = Vec::with_capacity(TIMES);
    for i in 0..WARM + TIMES {
        let input = make(i);
        let start = Instant::now();
        step(input)?;
        if i >= WARM {
            times.push(start.elapsed());
        }
    }
    times.sort_unstable();
    Ok(times[TIMES / 2].as_secs_f64())
}

fn parse(text: &str) -> Result<()> {
    let parser = TurtleParser::new().with_base_iri("http://127.0.0.1:8000/ldp/pomegranate/a")?;
    let mut count = 0;
    for triple in parser.for_slice(text) {
        std::hint::black_box(triple?);
        count += 1;
    }
    if count != 200 {
        return Err(format!("expected 200 triples, found {count}").into());
    }
    Ok(())
}

fn sync(document: impl Fn(usize) -> String) -> Result<f64> {
    const PLACE: usize = 24 << 10;
    let file = OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .open("sync")?;
    for i in 0..WARM + TIMES {
        file.write_all_at(&[0; PLACE], (i * PLACE) as u64)?;
    }
    file.sync_all()?;
    let mut at = 0;
    repeat(document, |text| {
        file.write_all_at(text.as_bytes(), at)?;
        at += PLACE as u64;
        Ok(file.sync_data()?)
    })
}

fn scan(documents: &Documents) -> Result<f64> {
    std::fs::create_dir_all("scan")?;
    // SAFETY: nobody else opens this folder, which was made for this process.
    let env = unsafe {
        heed::EnvOpenOptions::new()
            .map_size(64 << 20)
            .open("scan")?
    };
    let made = env.create_databases_and_commit(env.write_txn()?, |opener, txn| {
        let children = opener.create_database::<Bytes, Bytes>(txn, None)?;
        Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit(children))
    })?;
    let CommitOrAbort::Commit(children) = made else {
        return Err("the database of children was not made".into());
    };
    let mut names: Vec<String> = (0..CHILDREN).map(|i| documents.name(i)).collect();
    names.sort_unstable();
    let mut txn = env.write_txn()?;
    for name in &names {
        children.put(&mut txn, name.as_bytes(), &[0; 8])?;
    }
    txn.commit()?;
    repeat(
        |_| Vec::with_capacity(1 << 20),
        |mut text| {
            let txn = env.read_txn()?;
            text.extend_from_slice(
                b"<http://127.0.0.1:8000/ldp/pomegranate> <http://www.w3.org/ns/ldp#contains> ",
            );
            for child in children.iter(&txn)? {
                text.extend_from_slice(b"<http://127.0.0.1:8000/ldp/pomegranate/");
                text.extend_from_slice(child?.0);
                text.extend_from_slice(b"> ,\n");
            }
            if std::hint::black_box(&text).len() < 70 * CHILDREN {
                return Err("the listing is too short".into());
            }
            Ok(())
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_that_of_what_is_timed() {
        let mut done = 0;
        let median = repeat(
            |i| i,
            |i| {
                assert_eq!(i, done);
                done += 1;
                Ok(())
            },
        );
        assert!(median.unwrap() < 1e-3);
        assert_eq!(done, WARM + TIMES);
        measure("colour", 1).unwrap_err();
    }

    #[test]
    fn documents_are_parsed_and_what_is_none_is_refused() {
        parse(&Documents::new(1).turtle(0, "http://a/b")).unwrap();
        parse("<> <x:p> 1 .").unwrap_err();
        parse("<> <x:p> ").unwrap_err();
    }
}
