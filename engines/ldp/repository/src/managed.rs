//! The triples that only the server says of a resource. They are not stored, but computed.

use crate::vocabulary::{RDF_TYPE, content, fcrepo, ldp, xsd};
use ldp_rdf::{LiteralRef, NamedNodeRef, TermRef, TripleRef, iri_of};
use ldp_store::{Model, Resource, Time};
use std::time::{Duration, SystemTime};

/// The types of a resource of a model; the root has [`fcrepo::REPOSITORY_ROOT`] beside them.
pub fn types_of(model: Model) -> &'static [&'static str] {
    macro_rules! container {
        ($own:expr) => {
            &[
                ldp::RESOURCE,
                ldp::RDF_SOURCE,
                ldp::CONTAINER,
                $own,
                fcrepo::RESOURCE,
                fcrepo::CONTAINER,
            ]
        };
    }
    match model {
        Model::RdfSource => &[ldp::RESOURCE, ldp::RDF_SOURCE, fcrepo::RESOURCE],
        Model::BasicContainer => container!(ldp::BASIC_CONTAINER),
        Model::DirectContainer => container!(ldp::DIRECT_CONTAINER),
        Model::IndirectContainer => container!(ldp::INDIRECT_CONTAINER),
        Model::Binary => &[
            ldp::RESOURCE,
            ldp::NON_RDF_SOURCE,
            fcrepo::RESOURCE,
            fcrepo::BINARY,
        ],
    }
}

/// Whether clients may not say such a triple of a resource itself.
pub fn is_managed(predicate: &str, object: TermRef<'_>) -> bool {
    if predicate == RDF_TYPE {
        let TermRef::NamedNode(class) = object else {
            return false;
        };
        let class = class.as_str();
        return class.starts_with(ldp::NAMESPACE) || class.starts_with(fcrepo::NAMESPACE);
    }
    is_managed_predicate(predicate)
}

/// Whether only the server says anything by a predicate.
pub(crate) fn is_managed_predicate(predicate: &str) -> bool {
    predicate == ldp::CONTAINS
        || predicate.starts_with(fcrepo::NAMESPACE)
        || [
            content::SIZE,
            content::DIGEST,
            content::MEDIA_TYPE,
            content::FILENAME,
        ]
        .contains(&predicate)
}

/// Gives each triple that follows from the record of a resource to `each`: types, dates, the parent
/// (whose path is `parent`), facts of the content. Not its children.
pub fn managed_triples<E>(
    resource: &Resource,
    parent: Option<&str>,
    mut each: impl FnMut(TripleRef<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let iri = iri_of(&resource.uid);
    let subject = NamedNodeRef::new_unchecked(&iri);
    let mut say = |predicate: &str, object: TermRef<'_>| {
        each(TripleRef::new(
            subject,
            NamedNodeRef::new_unchecked(predicate),
            object,
        ))
    };
    let root = (resource.parent.is_none()).then_some(fcrepo::REPOSITORY_ROOT);
    for &class in types_of(resource.model).iter().chain(root.as_ref()) {
        say(RDF_TYPE, NamedNodeRef::new_unchecked(class).into())?;
    }
    for (predicate, time) in [
        (fcrepo::CREATED, resource.created),
        (fcrepo::LAST_MODIFIED, resource.modified),
    ] {
        say(predicate, typed(&date_time(time), xsd::DATE_TIME))?;
    }
    if let Some(parent) = parent {
        say(
            fcrepo::HAS_PARENT,
            NamedNodeRef::new_unchecked(&iri_of(parent)).into(),
        )?;
    }
    if let Some(facts) = &resource.content {
        say(content::SIZE, typed(&facts.size.to_string(), xsd::LONG))?;
        let digest = format!("urn:sha-256:{}", hex(&facts.sha256));
        say(content::DIGEST, NamedNodeRef::new_unchecked(&digest).into())?;
        let media_type = LiteralRef::new_simple_literal(&facts.media_type);
        say(content::MEDIA_TYPE, media_type.into())?;
        if let Some(name) = &facts.filename {
            say(
                content::FILENAME,
                LiteralRef::new_simple_literal(name).into(),
            )?;
        }
    }
    Ok(())
}

fn typed<'a>(value: &'a str, datatype: &'a str) -> TermRef<'a> {
    LiteralRef::new_typed_literal(value, NamedNodeRef::new_unchecked(datatype)).into()
}

/// A time as `xsd:dateTime` in UTC with microseconds: `2026-01-31T23:59:59.123456Z`.
pub fn date_time(time: Time) -> String {
    // Beyond the year 9999 the notation ends; no clock gives such a time.
    const LAST: Time = 253_402_300_799_999_999;
    let time = SystemTime::UNIX_EPOCH + Duration::from_micros(time.min(LAST));
    humantime::format_rfc3339_micros(time).to_string()
}

/// Bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        assert_eq!(date_time(0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(
            date_time(951_782_400_000_001),
            "2000-02-29T00:00:00.000001Z"
        );
        assert_eq!(date_time(u64::MAX), "9999-12-31T23:59:59.999999Z");
    }

    #[test]
    fn types_of_ldp_are_managed_and_others_are_not() {
        let class = |iri| TermRef::from(NamedNodeRef::new_unchecked(iri));
        assert!(is_managed(RDF_TYPE, class(ldp::CONTAINER)));
        assert!(is_managed(fcrepo::CREATED, class("urn:x")));
        assert!(is_managed(ldp::CONTAINS, class("urn:x")));
        assert!(!is_managed(RDF_TYPE, class("urn:x")));
        assert!(!is_managed(ldp::HAS_MEMBER_RELATION, class("urn:x")));
    }
}
