//! Sending each event to a URL, in order.

use super::{MEDIA_TYPE, Reader, activity};
use axum::http::{Request, Uri, header};
use bytes::Bytes;
use http_body_util::Full;
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use ldp_rdf::Root;
use std::error::Error;
use std::time::Duration;

/// How long one request may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// The pause before the second try; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Reads the URL of a receiver.
pub fn url(text: &str) -> Result<Uri, String> {
    let url = text.parse::<Uri>().map_err(|error| error.to_string())?;
    match (url.scheme_str(), url.host()) {
        (Some("http"), Some(_)) => Ok(url),
        _ => {
            Err("expected an absolute URL of http, like http://127.0.0.1:9000/changes".to_string())
        }
    }
}

/// What became of one request.
enum Answer {
    Taken,
    /// It will not be taken at another time either.
    Refused(String),
    /// Perhaps later.
    Failed(String),
}

/// Sends what `reader` reads to `url`, as activities, until the feed ends. An event is sent again
/// until it is taken, or refused for good; events that come meanwhile wait in the feed.
pub async fn deliver(url: Uri, root: Root, mut reader: Reader) {
    let client: Client<HttpConnector, Full<Bytes>> =
        Client::builder(TokioExecutor::new()).build_http();
    while let Some(notice) = reader.next().await {
        let body = Bytes::from(activity(&notice, &root, "/"));
        let mut pause = FIRST_PAUSE;
        loop {
            match post(&client, &url, body.clone()).await {
                Answer::Taken => break,
                Answer::Refused(why) => {
                    eprintln!("ldp: webhook {url}: {why}; this event is not sent again");
                    break;
                }
                // Once for each row of failures.
                Answer::Failed(why) if pause == FIRST_PAUSE => {
                    eprintln!("ldp: webhook {url}: {why}; it is tried again until it is taken");
                }
                Answer::Failed(_) => {}
            }
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = reader.closed() => return,
            }
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }
}

/// `client error (Connect): tcp connect error: Connection refused (os error 111)`
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

async fn post(client: &Client<HttpConnector, Full<Bytes>>, url: &Uri, body: Bytes) -> Answer {
    let request = Request::post(url.clone())
        .header(header::CONTENT_TYPE, MEDIA_TYPE)
        .body(Full::new(body));
    let request = match request {
        Ok(request) => request,
        Err(error) => return Answer::Refused(error.to_string()),
    };
    match tokio::time::timeout(PATIENCE, client.request(request)).await {
        Err(_) => Answer::Failed(format!("no answer within {} s", PATIENCE.as_secs())),
        Ok(Err(error)) => Answer::Failed(with_causes(&error)),
        Ok(Ok(response)) => match response.status().as_u16() {
            200..=299 => Answer::Taken,
            status @ (408 | 429) => Answer::Failed(format!("answered {status}")),
            status @ 400..=499 => Answer::Refused(format!("answered {status}")),
            status => Answer::Failed(format!("answered {status}")),
        },
    }
}
