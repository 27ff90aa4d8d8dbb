//! The bytes of binaries: up, and down in whole or in ranges.

use super::app::blocking;
use super::header::conditional;
use super::header::digest::{self, Algorithm};
use super::header::range::{self, Selection};
use super::input::{self, ChunkReader};
use super::problem::Problem;
use super::request::Context;
use super::response::{about, put, validators};
use super::stream;
use axum::body::Body;
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use ldp_repository::{Representation, View};
use ldp_store::{Content, Model, Resource, Store};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use tokio::sync::mpsc;

/// Stores a body as the content of a binary. It is in the store for good only once a resource has it.
pub async fn upload(context: &Context, media_type: String, body: Body) -> Result<Content, Problem> {
    let limit = context.app.limits.binary;
    input::refuse_long(&context.headers, limit)?;
    let claims = digest::claims(&context.headers)?;
    let filename = input::filename(&context.headers)?;
    let repository = context.app.repository.clone();
    let (sender, chunks) = mpsc::channel(4);
    let stored = tokio::spawn(blocking(move || -> Result<Content, Problem> {
        let mut hashes: Vec<_> = claims
            .iter()
            .map(|claim| claim.algorithm.hasher())
            .collect();
        let each = |chunk: &[u8]| hashes.iter_mut().for_each(|hash| hash.update(chunk));
        let reader = ChunkReader::new(chunks, each);
        let content = repository
            .store()
            .put_content(reader, &media_type, filename.as_deref())
            .map_err(ldp_repository::Error::from)?;
        for (claim, hash) in claims.iter().zip(hashes) {
            input::verify(claim, &hash.finalize())?;
        }
        Ok(content)
    }));
    let forwarded = input::forward(body, limit, sender).await;
    let stored = stored.await.map_err(|_| {
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the content was not stored",
        )
    })?;
    forwarded?;
    stored
}

/// `fcr:content`
pub async fn get(context: Context) -> Result<Response, Problem> {
    let view = context.view()?;
    let resource = view.get(&context.uid)?;
    if resource.model != Model::Binary {
        let detail = format!("{} is no binary, so it has no fcr:content", context.uid);
        return Err(Problem::new(StatusCode::NOT_FOUND, detail));
    }
    answer(&context, &view, &resource).await
}

/// The bytes of a binary, as conditions and ranges ask.
pub async fn answer(
    context: &Context,
    view: &View,
    resource: &Resource,
) -> Result<Response, Problem> {
    let etag = view.etag(resource, Representation::Content)?;
    let mut headers = about(resource, &context.root, false);
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Datetime"));
    send(context, resource, headers, &etag).await
}

/// The bytes of a binary, with `headers` made before.
pub async fn send(
    context: &Context,
    resource: &Resource,
    mut headers: HeaderMap,
    etag: &str,
) -> Result<Response, Problem> {
    let content = resource.content.clone().ok_or_else(|| {
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("the binary {} has no content", resource.uid),
        )
    })?;
    validators(&mut headers, etag, Some(resource.modified));
    let mut response = Response::new(Body::empty());
    if conditional::not_modified(&context.headers, etag, Some(resource.modified))? {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.headers_mut() = headers;
        return Ok(response);
    }
    if let Some(name) = &content.filename {
        put(&mut headers, header::CONTENT_DISPOSITION, disposition(name));
    }
    let repository = context.app.repository.clone();
    let wanted = digest::wanted(&context.headers);
    let named = content.clone();
    let (file, digests) = blocking(move || -> Result<_, Problem> {
        let digests = digests(repository.store(), &named, wanted)?;
        Ok((open(repository.store(), &named)?, digests))
    })
    .await?;
    headers.extend(digests);
    let selection = match context
        .headers
        .get(header::RANGE)
        .and_then(|value| value.to_str().ok())
    {
        // Ranges count for GET only; HEAD tells of the whole (RFC 9110, section 14.2).
        Some(text) if context.method == Method::GET && still_good(&context.headers, etag) => {
            range::select(text, content.size)
        }
        _ => Selection::All,
    };
    let parts = match selection {
        Selection::Nothing => return Err(unsatisfiable(content.size)),
        Selection::All => None,
        Selection::Parts(parts) => Some(parts),
    };
    let whole = 0..content.size;
    let ranges = match parts {
        None => vec![Piece {
            before: String::new(),
            range: whole,
        }],
        Some(parts) => {
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            pieces(parts, &content, &mut headers)
        }
    };
    if !headers.contains_key(header::CONTENT_TYPE) {
        put(&mut headers, header::CONTENT_TYPE, &content.media_type);
    }
    let length: u64 = ranges
        .iter()
        .map(|piece| piece.before.len() as u64 + piece.range.end - piece.range.start)
        .sum();
    put(&mut headers, header::CONTENT_LENGTH, length.to_string());
    if context.method != Method::HEAD {
        *response.body_mut() = stream::body(move |sink| copy(file, &ranges, sink)).await?;
    }
    *response.headers_mut() = headers;
    Ok(response)
}

/// A range of the content and what stands before it in the body.
struct Piece {
    before: String,
    range: Range<u64>,
}

/// One part is sent as it is, several as `multipart/byteranges`.
fn pieces(parts: Vec<Range<u64>>, content: &Content, headers: &mut HeaderMap) -> Vec<Piece> {
    let of =
        |range: &Range<u64>| format!("bytes {}-{}/{}", range.start, range.end - 1, content.size);
    if let [range] = &parts[..] {
        put(headers, header::CONTENT_RANGE, of(range));
        return vec![Piece {
            before: String::new(),
            range: range.clone(),
        }];
    }
    // It must not occur in the content: 128 bits of its hash do not, but by intent.
    let boundary: String = content.sha256[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    put(
        headers,
        header::CONTENT_TYPE,
        format!("multipart/byteranges; boundary={boundary}"),
    );
    let mut pieces: Vec<Piece> = parts
        .into_iter()
        .map(|range| Piece {
            before: format!(
                "\r\n--{boundary}\r\nContent-Type: {}\r\nContent-Range: {}\r\n\r\n",
                content.media_type,
                of(&range)
            ),
            range,
        })
        .collect();
    pieces.push(Piece {
        before: format!("\r\n--{boundary}--\r\n"),
        range: 0..0,
    });
    pieces
}

fn copy(mut file: File, pieces: &[Piece], sink: &mut impl Write) -> Result<(), Problem> {
    for Piece { before, range } in pieces {
        sink.write_all(before.as_bytes())?;
        file.seek(SeekFrom::Start(range.start))?;
        let length = range.end - range.start;
        if io::copy(&mut (&mut file).take(length), sink)? < length {
            return Err(Problem::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the content is shorter than its record says",
            ));
        }
    }
    Ok(())
}

fn unsatisfiable(size: u64) -> Problem {
    let detail = format!("no range lies within the content, which has {size} bytes");
    Problem::new(StatusCode::RANGE_NOT_SATISFIABLE, detail)
        .with(header::CONTENT_RANGE, &format!("bytes */{size}"))
}

/// `If-Range`: ranges of another state than the client knows would not fit together.
fn still_good(headers: &HeaderMap, etag: &str) -> bool {
    headers
        .get(header::IF_RANGE)
        .is_none_or(|value| value.as_bytes() == etag.as_bytes())
}

fn disposition(name: &str) -> String {
    let ascii: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_graphic() && c != '"' && c != '\\' || c == ' ' {
                c
            } else {
                '_'
            }
        })
        .collect();
    if ascii == name {
        return format!("attachment; filename=\"{name}\"");
    }
    let encoded = percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC);
    format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{encoded}")
}

fn open(store: &Store, content: &Content) -> Result<File, Problem> {
    Ok(store
        .open_content(content)
        .map_err(ldp_repository::Error::from)?)
}

fn digests(
    store: &Store,
    content: &Content,
    (old, new): (Option<Algorithm>, Option<Algorithm>),
) -> Result<HeaderMap, Problem> {
    let mut headers = HeaderMap::new();
    if let Some(algorithm) = old {
        let value = hash(store, content, algorithm)?;
        put(
            &mut headers,
            HeaderName::from_static("digest"),
            digest::old_style(algorithm, &value),
        );
    }
    if let Some(algorithm) = new {
        let value = hash(store, content, algorithm)?;
        put(
            &mut headers,
            HeaderName::from_static("repr-digest"),
            digest::new_style(algorithm, &value),
        );
    }
    Ok(headers)
}

/// The hash of a content; that of its name needs no reading.
fn hash(store: &Store, content: &Content, algorithm: Algorithm) -> Result<Vec<u8>, Problem> {
    if algorithm == Algorithm::Sha256 {
        return Ok(content.sha256.to_vec());
    }
    read_hash(store, content, algorithm)
}

/// The hash of the bytes as they are on disk.
pub fn read_hash(
    store: &Store,
    content: &Content,
    algorithm: Algorithm,
) -> Result<Vec<u8>, Problem> {
    let mut file = open(store, content)?;
    let mut hash = algorithm.hasher();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.finalize().to_vec()),
            length => hash.update(&buffer[..length]),
        }
    }
}
