//! The IRIs that the repository gives meaning to.

/// Names for documents that are written, and their namespaces.
pub const PREFIXES: [(&str, &str); 5] = [
    ("dcterms", "http://purl.org/dc/terms/"),
    ("fcrepo", "http://fedora.info/definitions/v4/repository#"),
    ("ldp", "http://www.w3.org/ns/ldp#"),
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("xsd", "http://www.w3.org/2001/XMLSchema#"),
];

/// `http://www.w3.org/1999/02/22-rdf-syntax-ns#type`
pub const RDF_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/// Linked Data Platform 1.0.
pub mod ldp {
    /// The namespace.
    pub const NAMESPACE: &str = "http://www.w3.org/ns/ldp#";
    /// Any resource.
    pub const RESOURCE: &str = "http://www.w3.org/ns/ldp#Resource";
    /// A resource whose state is a graph.
    pub const RDF_SOURCE: &str = "http://www.w3.org/ns/ldp#RDFSource";
    /// A resource whose state is bytes.
    pub const NON_RDF_SOURCE: &str = "http://www.w3.org/ns/ldp#NonRDFSource";
    /// Any container.
    pub const CONTAINER: &str = "http://www.w3.org/ns/ldp#Container";
    /// A container without membership triples.
    pub const BASIC_CONTAINER: &str = "http://www.w3.org/ns/ldp#BasicContainer";
    /// A container whose children are members of a resource.
    pub const DIRECT_CONTAINER: &str = "http://www.w3.org/ns/ldp#DirectContainer";
    /// A container whose children name the members of a resource.
    pub const INDIRECT_CONTAINER: &str = "http://www.w3.org/ns/ldp#IndirectContainer";
    /// From a container to what was made in it.
    pub const CONTAINS: &str = "http://www.w3.org/ns/ldp#contains";
    /// From a resource to its members, where no other predicate is said.
    pub const MEMBER: &str = "http://www.w3.org/ns/ldp#member";
    /// Whose members the children are.
    pub const MEMBERSHIP_RESOURCE: &str = "http://www.w3.org/ns/ldp#membershipResource";
    /// The predicate from that resource to a member.
    pub const HAS_MEMBER_RELATION: &str = "http://www.w3.org/ns/ldp#hasMemberRelation";
    /// The predicate from a member to that resource.
    pub const IS_MEMBER_OF_RELATION: &str = "http://www.w3.org/ns/ldp#isMemberOfRelation";
    /// The predicate by which a child names the member.
    pub const INSERTED_CONTENT_RELATION: &str = "http://www.w3.org/ns/ldp#insertedContentRelation";
    /// As that predicate: the child itself is the member.
    pub const MEMBER_SUBJECT: &str = "http://www.w3.org/ns/ldp#MemberSubject";
    /// Preference: what the container would be if it were empty.
    pub const PREFER_MINIMAL_CONTAINER: &str = "http://www.w3.org/ns/ldp#PreferMinimalContainer";
    /// The same by its name before the recommendation.
    pub const PREFER_EMPTY_CONTAINER: &str = "http://www.w3.org/ns/ldp#PreferEmptyContainer";
    /// Preference: the `ldp:contains` triples.
    pub const PREFER_CONTAINMENT: &str = "http://www.w3.org/ns/ldp#PreferContainment";
    /// Preference: the membership triples.
    pub const PREFER_MEMBERSHIP: &str = "http://www.w3.org/ns/ldp#PreferMembership";
}

/// Fedora's repository vocabulary.
pub mod fcrepo {
    /// The namespace.
    pub const NAMESPACE: &str = "http://fedora.info/definitions/v4/repository#";
    /// Any resource.
    pub const RESOURCE: &str = "http://fedora.info/definitions/v4/repository#Resource";
    /// Any container.
    pub const CONTAINER: &str = "http://fedora.info/definitions/v4/repository#Container";
    /// A resource whose state is bytes.
    pub const BINARY: &str = "http://fedora.info/definitions/v4/repository#Binary";
    /// The root.
    pub const REPOSITORY_ROOT: &str = "http://fedora.info/definitions/v4/repository#RepositoryRoot";
    /// When it was made.
    pub const CREATED: &str = "http://fedora.info/definitions/v4/repository#created";
    /// When it last changed.
    pub const LAST_MODIFIED: &str = "http://fedora.info/definitions/v4/repository#lastModified";
    /// The container that it is in.
    pub const HAS_PARENT: &str = "http://fedora.info/definitions/v4/repository#hasParent";
    /// Preference: triples of other resources that refer to this one.
    pub const PREFER_INBOUND_REFERENCES: &str =
        "http://fedora.info/definitions/fcrepo#PreferInboundReferences";
    /// The same by its older name.
    pub const INBOUND_REFERENCES: &str =
        "http://fedora.info/definitions/v4/repository#InboundReferences";
    /// Preference: the descriptions of the children.
    pub const EMBED_RESOURCES: &str = "http://fedora.info/definitions/v4/repository#EmbedResources";
    /// Preference: what the server alone says of the resource.
    pub const SERVER_MANAGED: &str = "http://fedora.info/definitions/v4/repository#ServerManaged";
    /// The same by its name of 2018.
    pub const PREFER_SERVER_MANAGED: &str = "http://fedora.info/definitions/fcrepo#ServerManaged";
    /// Preference: the children, as containment.
    pub const CHILDREN: &str = "http://fedora.info/definitions/v4/repository#Children";
}

/// Facts of a binary's content.
pub mod content {
    /// Size in bytes.
    pub const SIZE: &str = "http://www.loc.gov/premis/rdf/v1#hasSize";
    /// `urn:sha-256:` and the digest in hex.
    pub const DIGEST: &str = "http://www.loc.gov/premis/rdf/v1#hasMessageDigest";
    /// Media type.
    pub const MEDIA_TYPE: &str =
        "http://www.ebu.ch/metadata/ontologies/ebucore/ebucore#hasMimeType";
    /// Name of the file.
    pub const FILENAME: &str = "http://www.ebu.ch/metadata/ontologies/ebucore/ebucore#filename";
}

/// Datatypes of the triples that the server says.
pub mod xsd {
    /// A date and a time.
    pub const DATE_TIME: &str = "http://www.w3.org/2001/XMLSchema#dateTime";
    /// A whole number.
    pub const LONG: &str = "http://www.w3.org/2001/XMLSchema#long";
    /// Text.
    pub const STRING: &str = "http://www.w3.org/2001/XMLSchema#string";
}
