//! The time of one message, from one form to the other.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use prost::Message as _;
use prost_reflect::DynamicMessage;

use crate::count::allocated;
use crate::input::{Input, same_json, same_wire};
use crate::process::cpu_seconds;
use crate::{Direction, Json, Metrics, Result};

/// How long the message is translated before the clock starts, and how long at least with it.
const WARM_UP_S: f64 = 0.02;
const TIMED_S: f64 = 0.06;

/// Checks the output of the message in `dir`, then times it if that is asked for.
pub fn codec<J: Json>(dir: &Path, direction: Direction, timed: bool) -> Result<Metrics> {
    let input = Input::read(dir, direction)?;
    let mut out = Vec::new();
    match direction {
        Direction::FromJson => {
            to_wire::<J>(&input, &mut out)?;
            if !same_wire(&input.message, &out, &input.wire)? {
                return Err("the output is another message than expected.bin".into());
            }
            measure(timed, input.json.len(), || to_wire::<J>(&input, &mut out))
        }
        Direction::ToJson => {
            to_json::<J>(&input, &mut out)?;
            if !same_json::<J>(&input.message, &out, &input.json)? {
                return Err("the output is another message than expected.json".into());
            }
            measure(timed, input.wire.len(), || to_json::<J>(&input, &mut out))
        }
    }
}

fn to_wire<J: Json>(input: &Input, out: &mut Vec<u8>) -> Result<()> {
    out.clear();
    let message = J::parse(&input.message, black_box(&input.json), false)?;
    message.encode(out)?;
    black_box(out);
    Ok(())
}

fn to_json<J: Json>(input: &Input, out: &mut Vec<u8>) -> Result<()> {
    out.clear();
    let message = DynamicMessage::decode(input.message.clone(), black_box(input.wire.as_slice()))?;
    J::print(&message, out)?;
    black_box(out);
    Ok(())
}

/// Repeats `work`, whose input has `bytes`, as often as the warm-up says that it takes.
fn measure(timed: bool, bytes: usize, mut work: impl FnMut() -> Result<()>) -> Result<Metrics> {
    if !timed {
        return Ok(Vec::new());
    }
    let start = Instant::now();
    let mut warm = 0.0;
    while start.elapsed().as_secs_f64() < WARM_UP_S {
        work()?;
        warm += 1.0;
    }
    let count = (TIMED_S * warm / start.elapsed().as_secs_f64()).max(1.0) as u64;

    let before = allocated();
    let (cpu, start) = (cpu_seconds(), Instant::now());
    for _ in 0..count {
        work()?;
    }
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let after = allocated();

    let count = count as f64;
    Ok(vec![
        ("wall_seconds", seconds / count),
        ("cpu_seconds", cpu / count),
        ("cpu_seconds_per_byte", cpu / count / bytes as f64),
        ("allocs_per_op", (after.0 - before.0) as f64 / count),
        ("heap_bytes_per_op", (after.1 - before.1) as f64 / count),
    ])
}
