//! Membership triples of direct and indirect containers.

use crate::common::Home;
use ldp_rdf::Format;
use ldp_repository::{Constraint, Error, Options, Preferences, Representation};

const ONLY: Preferences = Preferences {
    user: false,
    managed: false,
    containment: false,
    membership: true,
    inbound: false,
    embedded: false,
};

fn members(home: &Home, uid: &str) -> Vec<String> {
    home.triples(uid, &ONLY).into_iter().collect()
}

fn etag(home: &Home, uid: &str) -> String {
    let view = home.view();
    let of = Representation::Rdf(Format::Turtle, Preferences::default());
    view.etag(&view.get(uid).unwrap(), of).unwrap()
}

#[test]
fn children_of_a_direct_container_are_members() {
    let home = Home::new(Options::default());
    home.put_turtle("/m", "<> :p 1 .").unwrap();
    home.put_turtle(
        "/c",
        "<> ldp:membershipResource <m> ; ldp:hasMemberRelation :has .",
    )
    .unwrap();
    let empty = etag(&home, "/m");
    home.put_turtle("/c/x", "").unwrap();
    home.put_turtle("/c/y z", "").unwrap();
    assert_eq!(
        members(&home, "/m"),
        [
            "<info:fcres/m> <urn:x:has> <info:fcres/c/x>",
            "<info:fcres/m> <urn:x:has> <info:fcres/c/y%20z>"
        ]
    );
    assert!(members(&home, "/c").is_empty());
    let two = etag(&home, "/m");
    assert_ne!(two, empty);
    // A client sends back what it got: members stay computed.
    home.put_turtle("/m", "<> :p 1 ; :has <c/x>, <c/none> .")
        .unwrap();
    assert_eq!(home.user("/m").len(), 2);
    home.remove("/c/x").unwrap();
    assert_eq!(
        members(&home, "/m"),
        ["<info:fcres/m> <urn:x:has> <info:fcres/c/y%20z>"]
    );
    let one = etag(&home, "/m");
    home.put_turtle(
        "/c",
        "<> ldp:membershipResource <m> ; ldp:hasMemberRelation :other .",
    )
    .unwrap();
    assert_eq!(
        members(&home, "/m"),
        ["<info:fcres/m> <urn:x:other> <info:fcres/c/y%20z>"]
    );
    assert_ne!(etag(&home, "/m"), one);
    home.remove("/c").unwrap();
    assert!(members(&home, "/m").is_empty());
    assert_ne!(etag(&home, "/m"), two);
}

#[test]
fn a_container_without_a_membership_resource_is_its_own() {
    let home = Home::new(Options::default());
    home.put_turtle("/c", "<> a ldp:DirectContainer .").unwrap();
    home.put_turtle("/c/x", "").unwrap();
    let own = ["<info:fcres/c> <http://www.w3.org/ns/ldp#member> <info:fcres/c/x>"];
    assert_eq!(members(&home, "/c"), own);
    // A fragment is a part of what it is a fragment of.
    home.put_turtle(
        "/c",
        "<> ldp:membershipResource <#it> ; ldp:hasMemberRelation :has .",
    )
    .unwrap();
    assert_eq!(
        members(&home, "/c"),
        ["<info:fcres/c#it> <urn:x:has> <info:fcres/c/x>"]
    );
    home.put_turtle("/c", "<> ldp:membershipResource <m#it> .")
        .unwrap();
    home.put_turtle("/m", "").unwrap();
    assert!(members(&home, "/c").is_empty());
    assert_eq!(
        members(&home, "/m"),
        ["<info:fcres/m#it> <http://www.w3.org/ns/ldp#member> <info:fcres/c/x>"]
    );
}

#[test]
fn an_inverse_relation_stands_at_the_member() {
    let home = Home::new(Options::default());
    home.put_turtle("/m", "").unwrap();
    home.put_turtle(
        "/c",
        "<> ldp:membershipResource <m> ; ldp:isMemberOfRelation :of .",
    )
    .unwrap();
    home.put_turtle("/c/x", "").unwrap();
    assert_eq!(
        members(&home, "/c/x"),
        ["<info:fcres/c/x> <urn:x:of> <info:fcres/m>"]
    );
    assert!(members(&home, "/m").is_empty());
    let before = etag(&home, "/c/x");
    home.put_turtle(
        "/c",
        "<> ldp:membershipResource <m> ; ldp:isMemberOfRelation :in .",
    )
    .unwrap();
    assert_ne!(etag(&home, "/c/x"), before);
}

#[test]
fn children_of_an_indirect_container_name_the_members() {
    let home = Home::new(Options::default());
    home.put_turtle("/m", "").unwrap();
    let turtle = "<> ldp:membershipResource <m> ; ldp:hasMemberRelation :has ;
        ldp:insertedContentRelation :topic .";
    home.put_turtle("/c", turtle).unwrap();
    home.put_turtle("/c/x", "<> :topic <#it>, <http://else.where/> ; :p <y> .")
        .unwrap();
    assert_eq!(
        members(&home, "/m"),
        [
            "<info:fcres/m> <urn:x:has> <http://else.where/>",
            "<info:fcres/m> <urn:x:has> <info:fcres/c/x#it>"
        ]
    );
    let before = etag(&home, "/m");
    home.put_turtle("/m", "<> :has <c/x#it>, <c/x#other> .")
        .unwrap();
    assert_eq!(
        home.user("/m"),
        ["<info:fcres/m> <urn:x:has> <info:fcres/c/x#other>"]
    );
    home.put_turtle("/c/x", "").unwrap();
    assert!(members(&home, "/m").is_empty());
    assert_ne!(etag(&home, "/m"), before);
}

#[test]
fn contradictions_are_refused() {
    let home = Home::new(Options::default());
    for turtle in [
        "<> ldp:hasMemberRelation :p ; ldp:isMemberOfRelation :q .",
        "<> ldp:hasMemberRelation :p, :q .",
        "<> ldp:membershipResource \"m\" .",
    ] {
        let refused = home.put_turtle("/c", turtle);
        assert!(
            matches!(
                refused,
                Err(Error::Constraint {
                    rule: Constraint::Membership,
                    ..
                })
            ),
            "{turtle}: {refused:?}"
        );
    }
}

#[test]
fn what_the_server_says_is_no_relation_to_members() {
    let home = Home::new(Options::default());
    home.put_turtle("/m", "").unwrap();
    for (namespace, names) in [
        (
            "http://www.w3.org/ns/ldp#",
            "contains membershipResource hasMemberRelation isMemberOfRelation insertedContentRelation",
        ),
        (
            "http://fedora.info/definitions/v4/repository#",
            "created lastModified hasParent anything",
        ),
        (
            "http://www.loc.gov/premis/rdf/v1#",
            "hasSize hasMessageDigest",
        ),
        (
            "http://www.ebu.ch/metadata/ontologies/ebucore/ebucore#",
            "hasMimeType filename",
        ),
        ("http://www.w3.org/1999/02/22-rdf-syntax-ns#", "type"),
    ] {
        for name in names.split(' ') {
            for way in ["hasMemberRelation", "isMemberOfRelation"] {
                let text =
                    format!("<> ldp:membershipResource <m> ; ldp:{way} <{namespace}{name}> .");
                let refused = home.put_turtle("/c", &text);
                assert!(
                    matches!(&refused, Err(Error::Constraint { rule, .. }) if *rule == Constraint::Membership),
                    "{way} {name}: {refused:?}"
                );
            }
        }
    }
}
