//! A notice as an activity of ActivityStreams 2.0 (<https://www.w3.org/TR/activitystreams-core/>).

use super::feed::Notice;
use ldp_rdf::Root;
use ldp_repository::{EventKind, date_time, types_of};
use serde::Serialize;

/// How activities are called in Content-Type.
pub const MEDIA_TYPE: &str = "application/activity+json";

#[derive(Serialize)]
struct Activity {
    #[serde(rename = "@context")]
    context: &'static str,
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'static str>,
    object: Object,
}

#[derive(Serialize)]
struct Object {
    id: String,
    #[serde(rename = "type", skip_serializing_if = "<[_]>::is_empty")]
    types: &'static [&'static str],
}

/// A notice in JSON, for who sees the repository at `root` and asked for the changes of the resource
/// `scope` and below. Missed events are an `Update` of the scope: any of it may have changed.
pub fn activity(notice: &Notice, root: &Root, scope: &str) -> String {
    let (number, kind, published, summary, uid, types) = match notice {
        Notice::Changed(number, event) => {
            let (at, types) = (date_time(event.at), types_of(event.model));
            (number, name(event.kind), Some(at), None, &*event.uid, types)
        }
        Notice::Missed(number) => {
            let why = "earlier changes are not kept: anything here may be different";
            (number, "Update", None, Some(why), scope, [].as_slice())
        }
    };
    let activity = Activity {
        context: "https://www.w3.org/ns/activitystreams",
        id: format!("{}/fcr:events#{number}", root.as_str()),
        kind,
        published,
        summary,
        object: Object {
            id: root.url(uid),
            types,
        },
    };
    serde_json::to_string(&activity).expect("strings have a form in JSON")
}

fn name(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Created => "Create",
        EventKind::Updated => "Update",
        EventKind::Deleted => "Delete",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ldp_repository::Event;
    use ldp_store::Model;
    use serde_json::{Value, json};
    use std::sync::Arc;

    fn read(notice: &Notice) -> Value {
        let root = Root::new("http://h/ldp").expect("a root");
        serde_json::from_str(&activity(notice, &root, "/é")).expect("JSON")
    }

    #[test]
    fn a_change_is_an_activity_about_a_resource() {
        let event = Event {
            kind: EventKind::Deleted,
            at: 951_782_400_000_001,
            batch: 7,
            uid: "/é/b".into(),
            model: Model::Binary,
        };
        let notice = Notice::Changed("7.1".parse().expect("a number"), Arc::new(event));
        let expected = json!({
            "@context": "https://www.w3.org/ns/activitystreams",
            "id": "http://h/ldp/fcr:events#7.1",
            "type": "Delete",
            "published": "2000-02-29T00:00:00.000001Z",
            "object": {"id": "http://h/ldp/%C3%A9/b", "type": types_of(Model::Binary)},
        });
        assert_eq!(read(&notice), expected);
    }

    #[test]
    fn missed_events_are_an_update_of_all_that_was_asked_for() {
        let told = read(&Notice::Missed("7.1".parse().expect("a number")));
        assert_eq!(told["type"], "Update");
        assert_eq!(told["object"], json!({"id": "http://h/ldp/%C3%A9"}));
        assert!(told["summary"].is_string());
    }
}
