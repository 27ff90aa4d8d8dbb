//! Terms as the evaluation holds them: cheap to clone, compared by what they say.

use ldp_rdf::{Root, uid_of};
use ldp_store::{Model, Rid};
use oxrdf::{BlankNode, Literal, NamedNode, NamedNodeRef, NamedOrBlankNodeRef, Term, TermRef};
use std::cell::OnceCell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// What inside IRIs begin with.
pub const INSIDE: &str = "info:fcres/";

/// An RDF term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An inside IRI.
    Local(Rc<Local>),
    /// Another IRI.
    Iri(Rc<str>),
    /// A blank node. Those of the graph of resource 12 are called `r12b0`, `r12b1`, …
    Blank(Rc<str>),
    /// A literal.
    Literal(Rc<Literal>),
}

/// An inside IRI, and the resource that it or its part before the fragment names, once known.
#[derive(Debug)]
pub struct Local {
    /// The IRI.
    pub iri: Box<str>,
    /// The live resource, if there is one.
    pub resource: OnceCell<Option<Known>>,
}

/// What patterns ask of a resource again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    pub rid: Rid,
    pub model: Model,
    pub is_root: bool,
    /// Whether the IRI is the resource's own: that of no fragment, and spelled as in all answers.
    pub itself: bool,
}

impl PartialEq for Local {
    fn eq(&self, other: &Self) -> bool {
        self.iri == other.iri
    }
}

impl Eq for Local {}

impl Hash for Local {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.iri.hash(state);
    }
}

impl Local {
    pub fn new(iri: &str) -> Self {
        Self {
            iri: iri.into(),
            resource: OnceCell::new(),
        }
    }

    /// Whether the IRI can name a resource rather than a part of one.
    pub fn is_whole(&self) -> bool {
        !self.iri.contains(['?', '#'])
    }

    /// The path that the IRI names, if a resource can have it.
    pub fn uid(&self) -> Option<std::borrow::Cow<'_, str>> {
        uid_of(&self.iri)
    }
}

impl Value {
    /// The value of an IRI with inside form.
    pub fn iri(iri: &str) -> Self {
        if iri.starts_with(INSIDE) {
            Self::Local(Rc::new(Local::new(iri)))
        } else {
            Self::Iri(iri.into())
        }
    }

    /// The value of a term of the graph of a resource.
    pub fn of(term: TermRef<'_>, rid: Rid) -> Self {
        match term {
            TermRef::NamedNode(node) => Self::iri(node.as_str()),
            TermRef::BlankNode(node) => Self::Blank(format!("r{rid}{}", node.as_str()).into()),
            TermRef::Literal(literal) => Self::Literal(Rc::new(literal.into_owned())),
        }
    }

    /// The value of a term as clients see it.
    pub fn from_outside(term: Term, root: &Root) -> Self {
        match term {
            Term::NamedNode(node) => Self::iri(&root.inside(node.as_str())),
            Term::BlankNode(node) => Self::Blank(node.as_str().into()),
            Term::Literal(literal) => Self::Literal(Rc::new(literal)),
        }
    }

    /// The term as clients see it.
    pub fn to_outside(&self, root: &Root) -> Term {
        match self {
            Self::Local(local) => NamedNode::new_unchecked(root.outside(&local.iri)).into(),
            Self::Iri(iri) => NamedNode::new_unchecked(&**iri).into(),
            Self::Blank(label) => BlankNode::new_unchecked(&**label).into(),
            Self::Literal(literal) => Literal::clone(literal).into(),
        }
    }

    /// The IRI, if it is one.
    pub fn as_iri(&self) -> Option<NamedNodeRef<'_>> {
        match self {
            Self::Local(local) => Some(NamedNodeRef::new_unchecked(&local.iri)),
            Self::Iri(iri) => Some(NamedNodeRef::new_unchecked(iri)),
            Self::Blank(_) | Self::Literal(_) => None,
        }
    }

    /// The term as the graph of a resource has it; none if it can have no such term, as the blank
    /// nodes of others.
    pub fn within(&self, rid: Rid) -> Option<TermRef<'_>> {
        match self {
            Self::Blank(label) => {
                let (of, node) = blank_node(label)?;
                (of == rid).then(|| oxrdf::BlankNodeRef::new_unchecked(node).into())
            }
            Self::Literal(literal) => Some(Literal::as_ref(literal).into()),
            Self::Local(_) | Self::Iri(_) => self.as_iri().map(TermRef::from),
        }
    }

    /// As [`Value::within`], for a place where no literal can be.
    pub fn node_within(&self, rid: Rid) -> Option<NamedOrBlankNodeRef<'_>> {
        match self.within(rid)? {
            TermRef::NamedNode(node) => Some(node.into()),
            TermRef::BlankNode(node) => Some(node.into()),
            TermRef::Literal(_) => None,
        }
    }
}

/// The resource and the own name of a blank node: 12 and `b0` of `r12b0`.
pub fn blank_node(label: &str) -> Option<(Rid, &str)> {
    let rest = label.strip_prefix('r')?;
    let (rid, _) = rest.split_once('b')?;
    Some((rid.parse().ok()?, &rest[rid.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_and_back() {
        let root = Root::new("http://h/ldp").expect("a root");
        for (outside, is_local) in [
            ("http://h/ldp/a#x", true),
            ("http://h/ldp/", true),
            ("http://h/ldpx", false),
        ] {
            let term = Term::from(NamedNode::new_unchecked(outside));
            let value = Value::from_outside(term.clone(), &root);
            assert_eq!(matches!(value, Value::Local(_)), is_local, "{outside}");
            assert_eq!(value.to_outside(&root), term);
        }
    }

    #[test]
    fn blank_nodes_belong_to_one_graph() {
        let node = oxrdf::BlankNodeRef::new_unchecked("b7");
        let value = Value::of(node.into(), 12);
        assert_eq!(value, Value::Blank("r12b7".into()));
        assert_eq!(value.within(12), Some(node.into()));
        assert_eq!(value.within(1), None);
        for other in ["", "r", "rb", "r12", "rxb0", "12b0", "b0"] {
            assert_eq!(blank_node(other), None, "{other}");
        }
    }
}
