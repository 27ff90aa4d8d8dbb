//! Why the repository refuses.

use ldp_rdf::SyntaxError;
use std::fmt;

/// Why a request was refused. Nothing has changed then, unless the error is of the store.
#[derive(Clone, Debug)]
pub enum Error {
    /// Nothing is or was there. (404)
    NotFound {
        /// The path asked for.
        uid: String,
    },
    /// It was deleted. (410)
    Gone {
        /// The path asked for.
        uid: String,
        /// Whose tombstone stands for it: itself or an ancestor.
        tombstone: String,
    },
    /// A path that no resource can have. (400; 414 if `too_long`)
    Path {
        /// The path.
        uid: String,
        /// What is wrong with it.
        why: String,
        /// Whether it is only too long.
        too_long: bool,
    },
    /// The body is not in its syntax. (400)
    Syntax(SyntaxError),
    /// What the request does can never be done to this resource. (405)
    NotAllowed {
        /// The resource.
        uid: String,
        /// What it is, and what was tried.
        why: String,
    },
    /// The body is of a kind that this resource does not take: RDF for a binary, or bytes for an
    /// RDF source. (415)
    Kind {
        /// The resource.
        uid: String,
        /// What it is, and what came.
        why: String,
    },
    /// The body says what clients may not say; see the kind. (409 with `constrainedBy`)
    Constraint {
        /// The resource.
        uid: String,
        /// Which rule.
        rule: Constraint,
        /// The triple or the term that broke it.
        what: String,
    },
    /// A condition of the request does not hold. (412)
    Precondition {
        /// The resource.
        uid: String,
        /// Which condition, and the present state.
        why: String,
    },
    /// The repository wants `If-Match` for a change of a resource. (428)
    PreconditionRequired {
        /// The resource.
        uid: String,
    },
    /// An open transaction holds the resource. (409)
    Held {
        /// The resource.
        uid: String,
        /// The identifier of the transaction that holds it.
        transaction: String,
    },
    /// The transaction is not open: never begun, ended, or expired. (404)
    NotOpen {
        /// The identifier of the transaction.
        transaction: String,
    },
    /// The transaction would hold too much with this change; it stays open without it. (409)
    Full {
        /// The identifier of the transaction.
        transaction: String,
        /// How many bytes it may hold.
        most: usize,
    },
    /// No such version. (404)
    NoVersion {
        /// The resource.
        uid: String,
        /// The label or time.
        version: String,
    },
    /// The label is taken. (409)
    VersionTaken {
        /// The resource.
        uid: String,
        /// The label.
        label: String,
    },
    /// Too much goes on at once; the same request may go through later. (503 with `Retry-After`)
    Busy {
        /// What is too much.
        why: String,
    },
    /// The store failed or is full.
    Store(ldp_store::Error),
}

/// The rules for what a body may say. The names are those of `fragment`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// A triple that only the server says.
    ServerManaged,
    /// A subject that is neither the resource, nor a fragment of it, nor a blank node.
    ForeignSubject,
    /// A reference to a resource of this repository that is not there.
    DanglingReference,
    /// An interaction model that differs from that of the resource that is there.
    Model,
    /// A path within what contains nothing.
    Parent,
    /// A membership container that says too little or contradicts itself.
    Membership,
    /// Content that lies elsewhere.
    ExternalContent,
}

impl Constraint {
    /// Names the rule in a document of constraints, as a fragment.
    pub fn fragment(self) -> &'static str {
        match self {
            Constraint::ServerManaged => "server-managed",
            Constraint::ForeignSubject => "foreign-subject",
            Constraint::DanglingReference => "dangling-reference",
            Constraint::Model => "model",
            Constraint::Parent => "parent",
            Constraint::Membership => "membership",
            Constraint::ExternalContent => "external-content",
        }
    }

    /// The rule in a sentence.
    pub fn rule(self) -> &'static str {
        match self {
            Constraint::ServerManaged => {
                "Only the server says ldp:contains, the types of LDP and Fedora, and Fedora's properties."
            }
            Constraint::ForeignSubject => {
                "Subjects are the resource itself, its fragments, or blank nodes."
            }
            Constraint::DanglingReference => {
                "A reference into the repository names a resource that is there."
            }
            Constraint::Model => "The interaction model of a resource does not change.",
            Constraint::Parent => "A resource lies in a container.",
            Constraint::Membership => {
                "A direct or indirect container names one membership resource and one relation."
            }
            Constraint::ExternalContent => {
                "The bytes of a binary come in the body: content elsewhere is neither fetched nor led to."
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotFound { uid } => write!(f, "there is no resource {uid}"),
            Error::Gone { uid, tombstone } if uid == tombstone => {
                write!(f, "resource {uid} was deleted; its tombstone is there")
            }
            Error::Gone { uid, tombstone } => {
                write!(f, "resource {uid} was deleted together with {tombstone}")
            }
            Error::Path { uid, why, .. } => write!(f, "path {uid:?}: {why}"),
            Error::Syntax(error) => {
                if let Some((line, column)) = error.place {
                    write!(f, "line {line}, column {column}: ")?;
                }
                f.write_str(&error.message)
            }
            Error::NotAllowed { uid, why } | Error::Kind { uid, why } => {
                write!(f, "resource {uid}: {why}")
            }
            Error::Constraint { uid, rule, what } => {
                write!(f, "resource {uid}: {what}. {}", rule.rule())
            }
            Error::Precondition { uid, why } => write!(f, "resource {uid}: {why}"),
            Error::PreconditionRequired { uid } => {
                write!(f, "resource {uid} is changed only with If-Match")
            }
            Error::Held { uid, transaction } => {
                write!(f, "resource {uid} is held by transaction {transaction}")
            }
            Error::NotOpen { transaction } => write!(
                f,
                "transaction {transaction} is not open: never begun, ended, or expired"
            ),
            Error::Full { transaction, most } => write!(
                f,
                "transaction {transaction} would hold more than {most} bytes with this change: \
                 commit it first"
            ),
            Error::NoVersion { uid, version } => {
                write!(f, "resource {uid} has no version {version}")
            }
            Error::VersionTaken { uid, label } => {
                write!(f, "resource {uid} has a version {label} already")
            }
            Error::Busy { why } => write!(f, "{why}, try again later"),
            Error::Store(error) => write!(f, "store: {error}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<ldp_store::Error> for Error {
    fn from(error: ldp_store::Error) -> Error {
        Error::Store(error)
    }
}

impl From<SyntaxError> for Error {
    fn from(error: SyntaxError) -> Error {
        Error::Syntax(error)
    }
}
