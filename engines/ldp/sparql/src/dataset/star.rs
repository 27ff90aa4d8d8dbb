//! Counting the rows of patterns that share their subject, without an evaluator between them.

use super::value::Value;
use super::{Data, Pattern, Triple, is};
use crate::Error;
use ldp_repository::vocabulary::RDF_TYPE;
use spargebra::term::{TermPattern, TriplePattern};

/// The patterns of a star, their variables by number. The subject is number 0.
struct Star {
    patterns: Vec<[Place; 3]>,
    variables: usize,
}

/// A place of a pattern.
enum Place {
    Is(Value),
    Variable(usize),
}

/// The values of the variables so far.
type Row = Vec<Option<Value>>;

impl Data {
    /// How many rows some patterns have in the default graph, if all have the same variable as their
    /// subject. Then all of a row is said of one resource, so a row costs no more than a look at
    /// what is known of it.
    pub fn count_star(&self, patterns: &[TriplePattern]) -> Result<Option<u64>, Error> {
        let Some(star) = self.star(patterns).filter(|_| !self.0.foreign) else {
            return Ok(None);
        };
        let Some((first, others)) = star.patterns.split_first() else {
            return Ok(None);
        };
        let mut row = vec![None; star.variables];
        let mut count = 0;
        for quad in self.scan(pattern(first, &row), false) {
            let quad = quad?;
            let triple = [quad.subject, quad.predicate, quad.object];
            count += self.count_with(triple, first, others, &mut row)?;
        }
        Ok(Some(count))
    }

    /// The rows in which a triple is that of the first pattern.
    fn count_with(
        &self,
        triple: Triple,
        first: &[Place; 3],
        others: &[[Place; 3]],
        row: &mut Row,
    ) -> Result<u64, Error> {
        let mut set = [None; 3];
        let mut fits = true;
        for ((value, place), set) in triple.into_iter().zip(first).zip(&mut set) {
            if let Place::Variable(variable) = place {
                match &row[*variable] {
                    Some(known) => fits &= *known == value,
                    None => {
                        row[*variable] = Some(value);
                        *set = Some(*variable);
                    }
                }
            }
        }
        let count = match fits {
            true => self.count_rest(others, row),
            false => Ok(0),
        };
        set.into_iter().flatten().for_each(|i| row[i] = None);
        count
    }

    fn count_rest(&self, patterns: &[[Place; 3]], row: &mut Row) -> Result<u64, Error> {
        let Some((first, others)) = patterns.split_first() else {
            return Ok(1);
        };
        self.0.go_on()?;
        let mut count = 0;
        for quad in self.of_subject(&pattern(first, row), false)? {
            let triple = [quad.subject, quad.predicate, quad.object];
            count += self.count_with(triple, first, others, row)?;
        }
        Ok(count)
    }

    /// The patterns as a star, the one that has the fewest candidates first, as far as it shows.
    fn star(&self, patterns: &[TriplePattern]) -> Option<Star> {
        let mut names: Vec<String> = Vec::new();
        let mut star = Vec::new();
        let mut number = |name: String| {
            let known = names.iter().position(|other| *other == name);
            known.unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            })
        };
        for pattern in patterns {
            let mut term = |term: &TermPattern| match term {
                TermPattern::NamedNode(node) => Place::Is(self.value(node.clone().into())),
                TermPattern::Literal(literal) => Place::Is(self.value(literal.clone().into())),
                TermPattern::Variable(variable) => Place::Variable(number(variable.to_string())),
                // A variable that has no name outside of the pattern.
                TermPattern::BlankNode(node) => Place::Variable(number(node.to_string())),
            };
            let predicate = TermPattern::from(pattern.predicate.clone());
            let places = [&pattern.subject, &predicate, &pattern.object].map(&mut term);
            if !matches!(places[0], Place::Variable(0)) {
                return None;
            }
            star.push(places);
        }
        star.sort_by_key(|[_, predicate, object]| {
            let type_or_any = match predicate {
                Place::Is(predicate) => is(predicate, RDF_TYPE),
                Place::Variable(_) => true,
            };
            (matches!(object, Place::Variable(_)), type_or_any)
        });
        Some(Star {
            patterns: star,
            variables: names.len(),
        })
    }
}

/// A pattern with what is known in a row.
fn pattern([subject, predicate, object]: &[Place; 3], row: &Row) -> Pattern {
    let value = |place: &Place| match place {
        Place::Is(value) => Some(value.clone()),
        Place::Variable(variable) => row[*variable].clone(),
    };
    Pattern {
        subject: value(subject),
        predicate: value(predicate),
        object: value(object),
    }
}
