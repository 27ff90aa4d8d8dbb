//! The conformance cases: how many the library answers as recorded.

use std::fs;
use std::path::Path;
use std::time::Instant;

use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use serde::Deserialize;
use serde_json::Value;

use crate::input::{find, same_json, same_wire};
use crate::{Direction, Error, Json, Metrics, Result};

/// A message in one form, and what it must become: bytes, a text, or a refusal.
struct Case {
    name: String,
    message: MessageDescriptor,
    given: Form,
    /// The form that is asked for. `None` where the input must be refused.
    wanted: Option<Form>,
    to_json: bool,
    strict: bool,
    /// The text itself is meant, not only the message that it stands for.
    exact: bool,
}

#[derive(Clone)]
enum Form {
    Json(Vec<u8>),
    Wire(Vec<u8>),
}

/// Counts the cases of a set that pass: `agreed` by all recorded libraries, `required` or
/// `recommended` by the conformance suite. Names the others on the standard error.
pub fn correctness<J: Json>(corpus: &Path, direction: Direction, set: &str) -> Result<Metrics> {
    let cases = match set {
        "agreed" => agreed(corpus, direction)?,
        "required" => suite(corpus, direction, "Required")?,
        "recommended" => suite(corpus, direction, "Recommended")?,
        _ => return Err(format!("there are no {set} cases").into()),
    };
    let start = Instant::now();
    let (passed, failed): (Vec<_>, Vec<_>) = cases.iter().partition(|case| case.passes::<J>());
    let seconds = start.elapsed().as_secs_f64();
    for case in failed {
        eprintln!("not passed: {}", case.name);
    }
    Ok(vec![
        ("seconds", seconds / cases.len() as f64),
        ("cases_passed", passed.len() as f64),
        ("cases_total", cases.len() as f64),
    ])
}

impl Case {
    fn passes<J: Json>(&self) -> bool {
        match (self.answer::<J>(), &self.wanted) {
            (Err(_), None) => true,
            (Ok(Form::Wire(found)), Some(Form::Wire(wanted))) => {
                same_wire(&self.message, &found, wanted).unwrap_or(false)
            }
            (Ok(Form::Json(found)), Some(Form::Json(wanted))) => {
                self.same_text(&found, wanted)
                    || !self.exact && same_json::<J>(&self.message, &found, wanted).unwrap_or(false)
            }
            _ => false,
        }
    }

    fn answer<J: Json>(&self) -> Result<Form> {
        let message = match &self.given {
            Form::Json(text) => J::parse(&self.message, text, self.strict)?,
            Form::Wire(bytes) => DynamicMessage::decode(self.message.clone(), bytes.as_slice())?,
        };
        if !self.to_json {
            return Ok(Form::Wire(message.encode_to_vec()));
        }
        let mut text = Vec::new();
        J::print(&message, &mut text)?;
        Ok(Form::Json(text))
    }

    /// Blanks, the order of members and the spelling of a number do not count.
    fn same_text(&self, found: &[u8], wanted: &[u8]) -> bool {
        let parsed = |text| serde_json::from_slice::<Value>(text).map(as_doubles);
        matches!((parsed(found), parsed(wanted)), (Ok(one), Ok(other)) if one == other)
    }
}

fn as_doubles(value: Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().into(),
        Value::Array(items) => items.into_iter().map(as_doubles).collect(),
        Value::Object(members) => {
            let member = |(name, value)| (name, as_doubles(value));
            members.into_iter().map(member).collect()
        }
        other => other,
    }
}

/// A line of `json_to_proto.jsonl` and of `proto_to_json.jsonl`.
#[derive(Deserialize)]
struct Agreed {
    id: String,
    agree: bool,
    r#type: String,
    json: Option<String>,
    json_hex: Option<String>,
    hex: Option<String>,
    #[serde(default)]
    case_insensitive_enums: bool,
    seed: Option<Answer>,
    #[serde(default)]
    outputs: Vec<Output>,
}

#[derive(Deserialize)]
struct Output {
    options: Vec<String>,
    seed: Answer,
}

#[derive(Deserialize)]
struct Answer {
    ok: bool,
    hex: Option<String>,
    /// What was written, where it is too deep to be read again.
    raw_hex: Option<String>,
    json: Option<String>,
}

fn agreed(corpus: &Path, direction: Direction) -> Result<Vec<Case>> {
    let pool = pool(corpus, "transcode_corpus.desc")?;
    let to_json = direction == Direction::ToJson;
    let file = if to_json {
        "proto_to_json.jsonl"
    } else {
        "json_to_proto.jsonl"
    };
    let rows = lines::<Agreed>(&corpus.join(file))?.into_iter();
    rows.filter(|row| row.agree && !row.case_insensitive_enums)
        .map(|row| {
            let by_default = |output: Output| output.options.is_empty().then_some(output.seed);
            let answer = row
                .seed
                .or_else(|| row.outputs.into_iter().find_map(by_default));
            let answer = answer.ok_or("a case has no answer")?;
            let text = match (row.json, row.json_hex) {
                (None, Some(digits)) => Some(bytes(&digits)?),
                (text, _) => text.map(String::into_bytes),
            };
            Ok(Case {
                name: row.id,
                message: find(&pool, &row.r#type)?,
                given: form(text, row.hex)?,
                wanted: answer
                    .ok
                    .then(|| {
                        form(
                            answer.json.map(String::into_bytes),
                            answer.hex.or(answer.raw_hex),
                        )
                    })
                    .transpose()?,
                to_json,
                strict: false,
                exact: false,
            })
        })
        .collect()
}

/// A line of `conformance.jsonl`.
#[derive(Deserialize)]
struct Recorded {
    name: String,
    level: String,
    r#type: String,
    output: String,
    json: Option<String>,
    hex: Option<String>,
    #[serde(default)]
    ignore_unknown_fields: bool,
    expect: Expect,
}

#[derive(Deserialize)]
struct Expect {
    json: Option<String>,
    hex: Option<String>,
}

fn suite(corpus: &Path, direction: Direction, level: &str) -> Result<Vec<Case>> {
    let pool = pool(corpus, "test_messages.desc")?;
    let from_json = direction == Direction::FromJson;
    let rows = lines::<Recorded>(&corpus.join("conformance.jsonl"))?.into_iter();
    rows.filter(|row| row.level == level && row.json.is_some() == from_json)
        .map(|row| {
            let refused = row.expect.json.is_none() && row.expect.hex.is_none();
            let wanted = || form(row.expect.json.map(String::into_bytes), row.expect.hex);
            Ok(Case {
                message: find(&pool, &row.r#type)?,
                given: form(row.json.map(String::into_bytes), row.hex)?,
                wanted: (!refused).then(wanted).transpose()?,
                to_json: row.output == "json",
                strict: !row.ignore_unknown_fields,
                exact: row.name.ends_with(".Validator"),
                name: row.name,
            })
        })
        .collect()
}

fn form(text: Option<Vec<u8>>, digits: Option<String>) -> Result<Form> {
    match (text, digits) {
        (Some(text), _) => Ok(Form::Json(text)),
        (None, Some(digits)) => Ok(Form::Wire(bytes(&digits)?)),
        (None, None) => Err("a case has neither json nor hex".into()),
    }
}

fn pool(corpus: &Path, name: &str) -> Result<DescriptorPool> {
    Ok(DescriptorPool::decode(
        fs::read(corpus.join(name))?.as_slice(),
    )?)
}

fn lines<'a, T: serde::de::DeserializeOwned + 'a>(path: &Path) -> Result<Vec<T>> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let parsed = |(i, line)| {
        let place = |e| Error::from(format!("{}:{}: {e}", path.display(), i + 1));
        serde_json::from_str(line).map_err(place)
    };
    text.lines().enumerate().map(parsed).collect()
}

fn bytes(digits: &str) -> Result<Vec<u8>> {
    let pair = |i| u8::from_str_radix(&digits[i..i + 2], 16);
    Ok((0..digits.len())
        .step_by(2)
        .map(pair)
        .collect::<std::result::Result<_, _>>()?)
}
