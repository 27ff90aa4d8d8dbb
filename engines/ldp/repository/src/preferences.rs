//! Which triples a reader wants of a resource.

use crate::vocabulary::{fcrepo, ldp};

/// What a description holds, beside the triples that users wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Preferences {
    /// What users wrote; left out only on purpose.
    pub user: bool,
    /// Types, dates, parent, facts of the content.
    pub managed: bool,
    /// `ldp:contains`.
    pub containment: bool,
    /// Membership triples of direct and indirect containers, to and from members.
    pub membership: bool,
    /// Triples of other resources whose object is this one.
    pub inbound: bool,
    /// The description of each child.
    pub embedded: bool,
}

impl Default for Preferences {
    /// What a GET without `Prefer` shows: all but inbound references and embedded children.
    fn default() -> Preferences {
        Preferences {
            user: true,
            managed: true,
            containment: true,
            membership: true,
            inbound: false,
            embedded: false,
        }
    }
}

impl Preferences {
    /// Reads the IRIs of `Prefer: return=representation; include="…"; omit="…"`. Unknown ones do
    /// nothing. What is included wins over what is omitted, as LDP 7.2.2 says; an included minimal
    /// container takes containment and membership away unless they are included by name.
    pub fn from_iris<'a>(
        include: impl IntoIterator<Item = &'a str>,
        omit: impl IntoIterator<Item = &'a str>,
    ) -> Preferences {
        let mut preferences = Preferences::default();
        for iri in omit {
            preferences.set(iri, false);
        }
        let included: Vec<&str> = include.into_iter().collect();
        let minimal = [ldp::PREFER_MINIMAL_CONTAINER, ldp::PREFER_EMPTY_CONTAINER];
        if included.iter().any(|iri| minimal.contains(iri)) {
            preferences.containment = false;
            preferences.membership = false;
        }
        for iri in included {
            preferences.set(iri, true);
        }
        preferences
    }

    fn set(&mut self, iri: &str, wanted: bool) {
        match iri {
            ldp::PREFER_CONTAINMENT | fcrepo::CHILDREN => self.containment = wanted,
            ldp::PREFER_MEMBERSHIP => self.membership = wanted,
            fcrepo::PREFER_INBOUND_REFERENCES | fcrepo::INBOUND_REFERENCES => self.inbound = wanted,
            fcrepo::EMBED_RESOURCES => self.embedded = wanted,
            fcrepo::SERVER_MANAGED | fcrepo::PREFER_SERVER_MANAGED => self.managed = wanted,
            // To omit the minimal container is to want nothing but what is in it.
            ldp::PREFER_MINIMAL_CONTAINER | ldp::PREFER_EMPTY_CONTAINER if !wanted => {
                self.user = false;
                self.managed = false;
            }
            _ => {}
        }
    }

    /// One bit a choice, for an entity tag.
    pub(crate) fn bits(self) -> u8 {
        [
            self.user,
            self.managed,
            self.containment,
            self.membership,
            self.inbound,
            self.embedded,
        ]
        .iter()
        .fold(0, |bits, &on| bits << 1 | u8::from(on))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimal_container_leaves_no_children() {
        let minimal = Preferences::from_iris([ldp::PREFER_MINIMAL_CONTAINER], []);
        assert!(!minimal.containment && !minimal.membership && minimal.managed && minimal.user);
        let with_members =
            Preferences::from_iris([ldp::PREFER_MINIMAL_CONTAINER, ldp::PREFER_MEMBERSHIP], []);
        assert!(!with_members.containment && with_members.membership);
    }

    #[test]
    fn names_of_all_years_are_known() {
        for name in [fcrepo::SERVER_MANAGED, fcrepo::PREFER_SERVER_MANAGED] {
            assert!(!Preferences::from_iris([], [name]).managed, "{name}");
        }
    }

    #[test]
    fn what_is_included_wins() {
        let both = Preferences::from_iris([ldp::PREFER_CONTAINMENT], [ldp::PREFER_CONTAINMENT]);
        assert!(both.containment);
        let omitted = Preferences::from_iris([], [ldp::PREFER_CONTAINMENT, "urn:unknown"]);
        assert_eq!(
            omitted,
            Preferences {
                containment: false,
                ..Preferences::default()
            }
        );
        assert_ne!(omitted.bits(), Preferences::default().bits());
    }
}
