//! The named graphs of a resource, called as Lakesuperior calls them.

use super::value::{INSIDE, Local, Value};
use ldp_repository::is_managed;
use ldp_repository::vocabulary::{RDF_TYPE, ldp};
use oxrdf::{NamedNodeRef, TermRef};

/// A part of what is said of a resource; each is a named graph of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// What users wrote.
    User,
    /// Types, dates, the parent, facts of the content.
    Admin,
    /// Children and membership.
    Structure,
}

impl Aspect {
    pub const ALL: [Aspect; 3] = [Aspect::User, Aspect::Admin, Aspect::Structure];

    /// What the names of its graphs begin with; the path of the resource follows.
    fn prefix(self) -> &'static str {
        match self {
            Aspect::User => "info:fcsystem/graph/userdata/_main/",
            Aspect::Admin => "info:fcsystem/graph/admin/",
            Aspect::Structure => "info:fcsystem/graph/structure/",
        }
    }

    /// The name of its graph for a resource.
    pub fn graph(self, resource: &Local) -> Value {
        let path = resource.iri.strip_prefix(INSIDE).unwrap_or_default();
        Value::Iri([self.prefix(), path].concat().into())
    }

    /// The aspect and the resource that the name of a graph stands for.
    pub fn of_graph(name: &Value) -> Option<(Aspect, Local)> {
        let Value::Iri(name) = name else {
            return None;
        };
        Aspect::ALL.into_iter().find_map(|aspect| {
            let path = name.strip_prefix(aspect.prefix())?;
            let local = Local::new(&[INSIDE, path].concat());
            // A graph has one name: that of the path, without query and fragment.
            (!path.contains(['?', '#'])).then_some((aspect, local))
        })
    }

    /// Those that can say such a triple; none stands for any.
    ///
    /// The server speaks of resources themselves, and has predicates and types of its own for that,
    /// which users may use for fragments and blank nodes only.
    pub fn saying(
        subject: Option<&Value>,
        predicate: Option<NamedNodeRef<'_>>,
        object: Option<TermRef<'_>>,
    ) -> impl Iterator<Item = Aspect> + use<> {
        let itself = match subject {
            None => None,
            Some(Value::Local(local)) => Some(local.is_whole()),
            Some(_) => Some(false),
        };
        let (user, admin) = match predicate.map(NamedNodeRef::as_str) {
            None => (true, itself != Some(false)),
            Some(predicate) => {
                // Only for types does the object decide; an open one can be either kind.
                let open_type = predicate == RDF_TYPE && object.is_none();
                let object = object.unwrap_or(NamedNodeRef::new_unchecked(ldp::RESOURCE).into());
                let managed = is_managed(predicate, object);
                (
                    !managed || itself != Some(true) || open_type,
                    managed && predicate != ldp::CONTAINS && itself != Some(false),
                )
            }
        };
        Aspect::ALL.into_iter().filter(move |aspect| match aspect {
            Aspect::User => user,
            Aspect::Admin => admin,
            // Any predicate can be that of a membership.
            Aspect::Structure => true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ldp_repository::vocabulary::fcrepo;

    #[test]
    fn names_lead_back() {
        for iri in ["info:fcres/", "info:fcres/a/b"] {
            let local = Local::new(iri);
            for aspect in Aspect::ALL {
                let name = aspect.graph(&local);
                let (found, resource) = Aspect::of_graph(&name).expect("a graph");
                assert_eq!((found, &resource), (aspect, &local));
            }
        }
        for other in [
            "info:fcsystem/graph/admin",
            "info:fcsystem/graph/admin/a#b",
            "urn:x",
        ] {
            assert_eq!(Aspect::of_graph(&Value::iri(other)), None, "{other}");
        }
    }

    #[test]
    fn server_and_users_say_different_things() {
        let iri = NamedNodeRef::new_unchecked;
        let resource = Value::iri("info:fcres/a");
        let fragment = Value::iri("info:fcres/a#b");
        let says = |aspect: Aspect, subject, predicate, object: Option<&'static str>| {
            let object = object.map(|object| iri(object).into());
            Aspect::saying(Some(subject), Some(iri(predicate)), object).any(|found| found == aspect)
        };
        let (user, admin) = (Aspect::User, Aspect::Admin);
        assert!(says(admin, &resource, RDF_TYPE, Some(ldp::CONTAINER)));
        assert!(!says(user, &resource, RDF_TYPE, Some(ldp::CONTAINER)));
        assert!(says(user, &fragment, RDF_TYPE, Some(ldp::CONTAINER)));
        assert!(!says(admin, &fragment, RDF_TYPE, Some(ldp::CONTAINER)));
        assert!(says(user, &resource, RDF_TYPE, None) && says(admin, &resource, RDF_TYPE, None));
        assert!(!says(admin, &resource, RDF_TYPE, Some("urn:c")));
        assert!(!says(user, &resource, fcrepo::CREATED, None));
        assert!(!says(admin, &resource, ldp::CONTAINS, None));
        assert!(says(Aspect::Structure, &resource, ldp::CONTAINS, None));
    }
}
