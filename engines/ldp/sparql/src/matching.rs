use crate::Error;
use crate::dataset::{Data, Pattern};
use ldp_rdf::Root;
use ldp_repository::View;
use oxrdf::{NamedNodeRef, NamedOrBlankNodeRef, TermRef, Triple};
use spareval::CancellationToken;

/// The triples of a pattern, in the default graph of queries (see [`query`](crate::query)); none
/// stands for any. IRIs are those that clients see.
pub fn matching(
    view: &View,
    root: &Root,
    subject: Option<NamedOrBlankNodeRef<'_>>,
    predicate: Option<NamedNodeRef<'_>>,
    object: Option<TermRef<'_>>,
) -> Result<impl Iterator<Item = Result<Triple, Error>> + use<>, Error> {
    let data = Data::new(view, root, &CancellationToken::new())?;
    let term = |term: TermRef<'_>| data.value(term.into_owned());
    let pattern = Pattern {
        subject: subject.map(|subject| term(subject.into())),
        predicate: predicate.map(|predicate| term(predicate.into())),
        object: object.map(term),
    };
    Ok(data.triples(pattern))
}
