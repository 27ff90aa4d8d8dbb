//! The body of a request: what it is, and its bytes.

use super::app::App;
use super::bodies::Share;
use super::header::{digest, link, list};
use super::problem::Problem;
use super::slow;
use axum::body::Body;
use axum::http::header;
use axum::http::{HeaderMap, StatusCode};
use bytes::Bytes;
use futures_util::StreamExt;
use ldp_rdf::Format;
use ldp_repository::{Constraint, Error};
use ldp_store::Model;
use std::io::{self, Read};
use tokio::sync::mpsc;
use tokio::task::block_in_place;

/// What a body is to be stored as.
#[derive(Debug, PartialEq, Eq)]
pub enum Kind {
    /// Triples.
    Rdf(Format, Charset),
    /// Bytes with this media type.
    Binary(String),
}

/// Syntaxes of RDF that are not read; stored as bytes, they would look understood.
const UNREAD: [&str; 6] = [
    "text/n3",
    "text/rdf+n3",
    "application/n-quads",
    "application/trig",
    "text/x-nquads",
    "application/trix",
];

/// What the body is, by `Content-Type` and the model that `Link` asks for; `empty` if there is none.
pub fn kind(headers: &HeaderMap, model: Option<Model>, empty: bool) -> Result<Kind, Problem> {
    let Some(text) = headers.get(header::CONTENT_TYPE) else {
        return Ok(match model {
            Some(Model::Binary) => Kind::Binary("application/octet-stream".into()),
            _ if empty => Kind::Rdf(Format::Turtle, Charset::Utf8),
            _ => Kind::Binary("application/octet-stream".into()),
        });
    };
    let text = text
        .to_str()
        .map_err(|_| Problem::bad_request("header Content-Type is not ASCII"))?;
    if model == Some(Model::Binary) {
        return Ok(Kind::Binary(text.into()));
    }
    let (name, parameters) = essence(text);
    match Format::from_media_type(name) {
        Some(format) => Ok(Kind::Rdf(format, Charset::of(parameters)?)),
        None if model.is_some()
            || UNREAD
                .iter()
                .any(|unread| unread.eq_ignore_ascii_case(name)) =>
        {
            Err(unsupported(
                format!("{name} is not read as RDF"),
                &rdf_types(),
            ))
        }
        None => Ok(Kind::Binary(text.into())),
    }
}

/// The media type without its parameters, and those.
pub fn essence(text: &str) -> (&str, &str) {
    let (name, parameters) = text.split_once(';').unwrap_or((text, ""));
    (name.trim(), parameters)
}

/// How the characters of RDF are written. Its syntaxes are UTF-8; who says otherwise is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// UTF-8, ASCII within it.
    Utf8,
    /// ISO-8859-1: a byte is a character. HTTP's default in former times, still sent by old clients.
    Latin1,
}

impl Charset {
    /// What the parameters of a media type say; UTF-8 if they say nothing.
    pub fn of(parameters: &str) -> Result<Charset, Problem> {
        let charset = list::split(parameters, ';')
            .map(list::parameter)
            .find(|(name, _)| name.eq_ignore_ascii_case("charset"));
        let Some((_, name)) = charset else {
            return Ok(Charset::Utf8);
        };
        match name.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" | "us-ascii" => Ok(Charset::Utf8),
            "iso-8859-1" => Ok(Charset::Latin1),
            _ => Err(unsupported(
                format!("the charset {name} is not read"),
                "UTF-8",
            )),
        }
    }

    /// The characters as text; `what` names it if they are none.
    pub fn text(self, bytes: Bytes, what: &str) -> Result<String, Problem> {
        String::from_utf8(self.to_utf8(bytes).into()).map_err(|error| {
            Problem::bad_request(format!(
                "the {what} is not UTF-8 from byte {} on",
                error.utf8_error().valid_up_to()
            ))
        })
    }

    /// The same characters in UTF-8.
    pub fn to_utf8(self, bytes: Bytes) -> Bytes {
        if self == Charset::Utf8 || bytes.is_ascii() {
            return bytes;
        }
        let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
        text.into()
    }
}

fn rdf_types() -> String {
    Format::ALL.map(Format::media_type).join(", ")
}

/// 415, with what is taken.
pub fn unsupported(what: String, expected: &str) -> Problem {
    Problem::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        format!("{what}; expected {expected}"),
    )
}

/// The interaction model that `Link: <…>; rel="type"` asks for: the most special one named.
pub fn model(headers: &HeaderMap) -> Result<Option<Model>, Problem> {
    let mut found: Option<Model> = None;
    let mut source = false;
    for target in link::targets(headers, "type") {
        let Some(name) = target.strip_prefix("http://www.w3.org/ns/ldp#") else {
            continue;
        };
        let model = match name {
            "RDFSource" => {
                source = true;
                continue;
            }
            "BasicContainer" => Model::BasicContainer,
            "DirectContainer" => Model::DirectContainer,
            "IndirectContainer" => Model::IndirectContainer,
            "NonRDFSource" => Model::Binary,
            // They leave open which kind it is.
            "Resource" | "Container" => continue,
            _ => {
                return Err(Problem::bad_request(format!(
                    "Link: {target} is no interaction model of LDP"
                )));
            }
        };
        if found.is_some_and(|other| other != model) {
            return Err(Problem::bad_request(
                "Link: two interaction models that exclude each other",
            ));
        }
        found = Some(model);
    }
    if source && found == Some(Model::Binary) {
        return Err(Problem::bad_request(
            "Link: a resource cannot be both RDFSource and NonRDFSource",
        ));
    }
    Ok(found.or(source.then_some(Model::RdfSource)))
}

/// [`Constraint::ExternalContent`] for a `Link` to it, or a body that only says where it is.
pub fn refuse_external(uid: &str, headers: &HeaderMap) -> Result<(), Error> {
    const RELATION: &str = "http://fedora.info/definitions/fcrepo#ExternalContent";
    let sent = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .filter(|text| {
            essence(text)
                .0
                .eq_ignore_ascii_case("message/external-body")
        });
    match link::targets(headers, RELATION).next().or(sent) {
        None => Ok(()),
        Some(target) => Err(Error::Constraint {
            uid: uid.to_owned(),
            rule: Constraint::ExternalContent,
            what: format!("the request leads to {target}"),
        }),
    }
}

/// The whole body, at most `limit` bytes, and of the hash that the client says; and its share of the
/// memory of all bodies, to be dropped with it.
pub async fn read(
    app: &App,
    headers: &HeaderMap,
    body: Body,
    limit: usize,
) -> Result<(Bytes, Share), Problem> {
    let claims = digest::claims(headers)?;
    refuse_long(headers, limit as u64)?;
    let mut share = app.bodies.share();
    let mut stream = body.into_data_stream();
    // A body that comes in one piece stays as it is; pieces would each hold the buffer they came in.
    let (mut first, mut joined) = (Bytes::new(), Vec::new());
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|error| cut(&error))?;
        let length = first.len() + joined.len() + chunk.len();
        if length > limit {
            return Err(too_long(limit as u64));
        }
        share.grow(length)?;
        if length == chunk.len() {
            first = chunk;
        } else {
            joined.extend_from_slice(&std::mem::take(&mut first));
            joined.extend_from_slice(&chunk);
        }
    }
    let bytes = if joined.is_empty() {
        first
    } else {
        joined.into()
    };
    if !claims.is_empty() {
        block_in_place(|| {
            claims.iter().try_for_each(|claim| {
                let mut hash = claim.algorithm.hasher();
                hash.update(&bytes);
                verify(claim, &hash.finalize())
            })
        })?;
    }
    Ok((bytes, share))
}

/// 413 before the body is read, if the client says how long it is.
pub fn refuse_long(headers: &HeaderMap, limit: u64) -> Result<(), Problem> {
    let length: Option<u64> = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse().ok());
    match length {
        Some(length) if length > limit => Err(too_long(limit)),
        _ => Ok(()),
    }
}

fn too_long(limit: u64) -> Problem {
    Problem::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        format!("the body has more than {limit} bytes"),
    )
}

/// A body that did not come to its end.
fn cut(error: &axum::Error) -> Problem {
    match slow::is_late(error) {
        true => Problem::new(StatusCode::REQUEST_TIMEOUT, "the body did not come in time"),
        false => Problem::bad_request(format!("the body broke off: {error}")),
    }
}

/// 409 if a hash is not what the client said.
pub fn verify(claim: &digest::Claim, value: &[u8]) -> Result<(), Problem> {
    if claim.value == value {
        return Ok(());
    }
    let detail = format!(
        "the body has the digest {}, the request says {}",
        digest::old_style(claim.algorithm, value),
        digest::old_style(claim.algorithm, &claim.value)
    );
    Err(Problem::new(StatusCode::CONFLICT, detail))
}

/// The name in `Content-Disposition: attachment; filename="…"; filename*=UTF-8''…` (RFC 6266). The
/// second one is preferred; bytes of the first that are not ASCII are UTF-8, or else ISO-8859-1.
pub fn filename(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(sent) = headers.get(header::CONTENT_DISPOSITION) else {
        return Ok(None);
    };
    let text = match std::str::from_utf8(sent.as_bytes()) {
        Ok(text) => text.to_owned(),
        Err(_) => sent.as_bytes().iter().copied().map(char::from).collect(),
    };
    let parameters: Vec<_> = list::split(&text, ';').map(list::parameter).collect();
    let named = |wanted: &str| {
        let mut found = parameters.iter();
        found.find_map(|(name, value)| name.eq_ignore_ascii_case(wanted).then_some(value))
    };
    let name = named("filename*")
        .and_then(|value| extended(value))
        .or_else(|| named("filename").cloned());
    match name {
        // No header could tell of it.
        Some(name) if name.chars().any(char::is_control) => Err(Problem::bad_request(format!(
            "header Content-Disposition: the file name {name:?} has a control character"
        ))),
        name => Ok(name),
    }
}

/// A value with its charset and its language before it (RFC 8187): `UTF-8'en'%E2%82%AC`.
fn extended(value: &str) -> Option<String> {
    let (charset, value) = value.split_once('\'')?;
    let (_language, value) = value.split_once('\'')?;
    let mut digits = value.split('%').skip(1).map(|behind| behind.get(..2));
    if !digits.all(|two| two.is_some_and(|two| two.bytes().all(|byte| byte.is_ascii_hexdigit()))) {
        return None;
    }
    let bytes: Vec<u8> = percent_encoding::percent_decode_str(value).collect();
    match charset.to_ascii_lowercase().as_str() {
        "utf-8" => String::from_utf8(bytes).ok(),
        "iso-8859-1" => Some(bytes.into_iter().map(char::from).collect()),
        _ => None,
    }
}

/// Sends the body to a [`ChunkReader`] on another thread; the error is that of the client's end.
pub async fn forward(
    body: Body,
    limit: u64,
    chunks: mpsc::Sender<io::Result<Bytes>>,
) -> Result<(), Problem> {
    let mut stream = body.into_data_stream();
    let mut sum = 0;
    while let Some(chunk) = stream.next().await {
        let chunk = match chunk {
            Ok(chunk) => chunk,
            Err(error) => {
                let problem = cut(&error);
                let told = io::Error::other(problem.detail.clone());
                let _ = chunks.send(Err(told)).await;
                return Err(problem);
            }
        };
        if chunk.is_empty() {
            continue;
        }
        sum += chunk.len() as u64;
        if sum > limit {
            let _ = chunks
                .send(Err(io::Error::other("the body is too long")))
                .await;
            return Err(too_long(limit));
        }
        if chunks.send(Ok(chunk)).await.is_err() {
            // The reader has failed, and tells why itself.
            return Ok(());
        }
    }
    // An empty chunk is the end: a sender that is only dropped was cut off.
    let _ = chunks.send(Ok(Bytes::new())).await;
    Ok(())
}

/// Reads what [`forward`] sends and shows it to `each`.
pub struct ChunkReader<F: FnMut(&[u8])> {
    chunks: mpsc::Receiver<io::Result<Bytes>>,
    current: Bytes,
    ended: bool,
    each: F,
}

impl<F: FnMut(&[u8])> ChunkReader<F> {
    /// A reader of one body.
    pub fn new(chunks: mpsc::Receiver<io::Result<Bytes>>, each: F) -> Self {
        ChunkReader {
            chunks,
            current: Bytes::new(),
            ended: false,
            each,
        }
    }
}

impl<F: FnMut(&[u8])> Read for ChunkReader<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.current.is_empty() && !self.ended {
            let cut = || {
                Err(io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    "the client has gone",
                ))
            };
            self.current = self.chunks.blocking_recv().unwrap_or_else(cut)?;
            self.ended = self.current.is_empty();
            (self.each)(&self.current);
        }
        let length = buffer.len().min(self.current.len());
        buffer[..length].copy_from_slice(&self.current.split_to(length));
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = pairs
            .iter()
            .map(|(n, v)| (HeaderName::from_static(n), v.parse().unwrap()));
        pairs.collect()
    }

    #[test]
    fn the_body_is_what_its_headers_say() {
        let turtle = ("content-type", "text/turtle; charset=UTF-8");
        for (pairs, model, expected) in [
            (
                &[turtle][..],
                None,
                Some(Kind::Rdf(Format::Turtle, Charset::Utf8)),
            ),
            (
                &[turtle],
                Some(Model::Binary),
                Some(Kind::Binary("text/turtle; charset=UTF-8".into())),
            ),
            (
                &[("content-type", "text/turtle; charset=utf-16")],
                None,
                None,
            ),
            (&[("content-type", "text/n3")], None, None),
            (
                &[("content-type", "image/png")],
                None,
                Some(Kind::Binary("image/png".into())),
            ),
            (
                &[("content-type", "image/png")],
                Some(Model::BasicContainer),
                None,
            ),
        ] {
            let found = kind(&headers(pairs), model, false);
            assert_eq!(found.ok(), expected, "{pairs:?}");
        }
        let untyped = |empty| kind(&HeaderMap::new(), None, empty).ok();
        assert_eq!(
            untyped(true),
            Some(Kind::Rdf(Format::Turtle, Charset::Utf8))
        );
        let bytes = Kind::Binary("application/octet-stream".into());
        assert_eq!(untyped(false), Some(bytes));
    }

    #[test]
    fn names_of_files_have_all_characters() {
        for (sent, expected) in [
            (r#"attachment; filename="f.txt""#, Some("f.txt")),
            ("attachment; filename=f.txt", Some("f.txt")),
            (r#"attachment; filename="a\"b;c.txt""#, Some("a\"b;c.txt")),
            ("attachment; filename*=UTF-8''%E2%82%AC.txt", Some("€.txt")),
            (
                "attachment; FileName*=utf-8'en'%e2%82%ac%20a.txt",
                Some("€ a.txt"),
            ),
            ("attachment; filename*=iso-8859-1''%E9.txt", Some("é.txt")),
            (
                r#"attachment; filename="f.txt"; filename*=UTF-8''%E2%82%AC.txt"#,
                Some("€.txt"),
            ),
            (
                r#"attachment; filename*=UTF-8''%E2%82%AC.txt; filename="f.txt""#,
                Some("€.txt"),
            ),
            (r#"attachment; filename="é.txt""#, Some("é.txt")),
            // What cannot be read leaves the other one.
            (
                r#"attachment; filename="f.txt"; filename*=UTF-8''%E2%82.txt"#,
                Some("f.txt"),
            ),
            (
                r#"attachment; filename="f.txt"; filename*=UTF-8''%zz"#,
                Some("f.txt"),
            ),
            (
                r#"attachment; filename="f.txt"; filename*=KOI8-R''%C1"#,
                Some("f.txt"),
            ),
            ("attachment", None),
        ] {
            let mut headers = HeaderMap::new();
            let value = HeaderValue::from_bytes(sent.as_bytes()).unwrap();
            headers.insert(header::CONTENT_DISPOSITION, value);
            assert_eq!(filename(&headers).unwrap().as_deref(), expected, "{sent}");
        }
        let mut headers = HeaderMap::new();
        let latin1 = HeaderValue::from_bytes(b"attachment; filename=\"\xE9.txt\"").unwrap();
        headers.insert(header::CONTENT_DISPOSITION, latin1);
        assert_eq!(filename(&headers).unwrap().as_deref(), Some("é.txt"));
        let control = HeaderValue::from_static("attachment; filename*=UTF-8''a%0D%0Ab");
        headers.insert(header::CONTENT_DISPOSITION, control);
        assert!(filename(&headers).is_err());
    }

    #[test]
    fn the_most_special_model_is_taken() {
        const LDP: &str = "http://www.w3.org/ns/ldp#";
        for (names, expected) in [
            ("Resource", Some(None)),
            ("Resource RDFSource", Some(Some(Model::RdfSource))),
            (
                "RDFSource DirectContainer Container",
                Some(Some(Model::DirectContainer)),
            ),
            ("BasicContainer DirectContainer", None),
            ("NonRDFSource RDFSource", None),
            ("Thing", None),
        ] {
            let links = names
                .split(' ')
                .map(|name| format!("<{LDP}{name}>; rel=type"))
                .collect::<Vec<_>>();
            let mut headers = HeaderMap::new();
            headers.insert(header::LINK, links.join(", ").parse().unwrap());
            assert_eq!(model(&headers).ok(), expected, "{names}");
        }
    }
}
