//! What a repository of containers does, said as plainly as possible: a map from paths to states,
//! where every question is a scan. It shares nothing with the crate.

use std::collections::{BTreeMap, BTreeSet};

/// A triple: of the resource itself or its fragment `#x`, with a predicate and an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    pub fragment: bool,
    pub predicate: u32,
    pub object: Object,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Object {
    Number(u32),
    /// A path, and whether its fragment `#x` is meant.
    Resource(String, bool),
}

pub type Facts = BTreeSet<Fact>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Life {
    Live,
    /// Dead; the path whose tombstone stands for it.
    Dead(String),
}

#[derive(Clone, Debug)]
pub struct Entry {
    pub life: Life,
    pub facts: Facts,
    pub versions: Vec<(String, Facts)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Off,
    Lenient,
    Strict,
}

/// Why nothing happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum No {
    Missing,
    Gone,
    NotAllowed,
    Dangling,
    Versionless,
    VersionTaken,
}

#[derive(Clone, Debug)]
pub struct Naive {
    pub mode: Mode,
    pub entries: BTreeMap<String, Entry>,
}

impl Fact {
    pub fn to_ntriples(&self, uid: &str) -> String {
        let fragment = if self.fragment { "#x" } else { "" };
        let object = match &self.object {
            Object::Number(n) => format!("\"{n}\"^^<http://www.w3.org/2001/XMLSchema#integer>"),
            Object::Resource(uid, false) => format!("<info:fcres{uid}>"),
            Object::Resource(uid, true) => format!("<info:fcres{uid}#x>"),
        };
        format!(
            "<info:fcres{uid}{fragment}> <urn:x:p{}> {object}",
            self.predicate
        )
    }

    fn refers_to(&self, target: &str) -> bool {
        matches!(&self.object, Object::Resource(uid, _) if uid == target)
    }
}

fn ancestors(uid: &str) -> Vec<String> {
    let mut found = vec!["/".to_string()];
    found.extend(
        uid.char_indices()
            .skip(1)
            .filter(|(_, c)| *c == '/')
            .map(|(i, _)| uid[..i].to_string()),
    );
    found.retain(|ancestor| ancestor != uid);
    found
}

fn is_below(uid: &str, top: &str) -> bool {
    uid.starts_with(&format!("{}/", top.trim_end_matches('/')))
}

impl Naive {
    pub fn new(mode: Mode) -> Naive {
        let mut new = Naive {
            mode,
            entries: BTreeMap::new(),
        };
        new.make("/", Facts::new());
        new
    }

    fn make(&mut self, uid: &str, facts: Facts) {
        let entry = Entry {
            life: Life::Live,
            facts,
            versions: Vec::new(),
        };
        self.entries.insert(uid.to_string(), entry);
    }

    pub fn is_live(&self, uid: &str) -> bool {
        self.entries
            .get(uid)
            .is_some_and(|entry| entry.life == Life::Live)
    }

    pub fn live(&self, uid: &str) -> Result<(), No> {
        match self.entries.get(uid).map(|entry| &entry.life) {
            None => Err(No::Missing),
            Some(Life::Live) => Ok(()),
            Some(Life::Dead(_)) => Err(No::Gone),
        }
    }

    pub fn children(&self, of: &str) -> Vec<String> {
        let depth = |uid: &str| uid.matches('/').count() - usize::from(uid == "/");
        let child =
            |uid: &&String| is_below(uid, of) && depth(uid) == depth(of) + 1 && self.is_live(uid);
        self.entries.keys().filter(child).cloned().collect()
    }

    /// What the mode leaves of facts, where some paths come to life with them.
    fn whole(&self, facts: Facts, coming: &[String]) -> Result<Facts, No> {
        if self.mode == Mode::Off {
            return Ok(facts);
        }
        let (good, bad): (Facts, Facts) = facts.into_iter().partition(|fact| match &fact.object {
            Object::Resource(target, _) => self.is_live(target) || coming.contains(target),
            Object::Number(_) => true,
        });
        if self.mode == Mode::Strict && !bad.is_empty() {
            Err(No::Dangling)
        } else {
            Ok(good)
        }
    }

    /// Whether it was made.
    pub fn put(&mut self, uid: &str, facts: Facts) -> Result<bool, No> {
        if self.live(uid) == Err(No::Gone) {
            return Err(No::Gone);
        }
        let mut coming = ancestors(uid);
        if coming
            .iter()
            .any(|ancestor| self.live(ancestor) == Err(No::Gone))
        {
            return Err(No::Gone);
        }
        coming.push(uid.to_string());
        let facts = self.whole(facts, &coming)?;
        let new = !self.is_live(uid);
        for ancestor in ancestors(uid) {
            if !self.is_live(&ancestor) {
                self.make(&ancestor, Facts::new());
            }
        }
        if new {
            self.make(uid, facts);
        } else if let Some(entry) = self.entries.get_mut(uid) {
            entry.facts = facts;
        }
        Ok(new)
    }

    /// The path, unless another is to be minted.
    pub fn post(&mut self, parent: &str, slug: &str, facts: Facts) -> Result<Option<String>, No> {
        self.live(parent)?;
        let uid = format!("{}/{slug}", parent.trim_end_matches('/'));
        if self.entries.contains_key(&uid) {
            return Ok(None);
        }
        self.put(&uid, facts).map(|_| Some(uid))
    }

    pub fn edit(&mut self, uid: &str, edit: impl FnOnce(&mut Facts)) -> Result<(), No> {
        self.live(uid)?;
        let mut facts = self.entries[uid].facts.clone();
        edit(&mut facts);
        self.put(uid, facts).map(|_| ())
    }

    pub fn delete(&mut self, uid: &str, tombstone: bool) -> Result<(), No> {
        self.live(uid)?;
        if uid == "/" {
            return Err(No::NotAllowed);
        }
        let goes = |other: &&String| *other == uid || is_below(other, uid);
        let mut all: Vec<String> = self.entries.keys().filter(goes).cloned().collect();
        all.retain(|other| self.is_live(other));
        for other in &all {
            if tombstone {
                self.entries.get_mut(other).unwrap().life = Life::Dead(uid.to_string());
            } else {
                self.entries.remove(other);
            }
        }
        for entry in self.entries.values_mut() {
            if entry.life == Life::Live && self.mode != Mode::Off {
                entry
                    .facts
                    .retain(|fact| !all.iter().any(|other| fact.refers_to(other)));
            }
        }
        Ok(())
    }

    fn tombstone(&self, uid: &str) -> Result<(), No> {
        match self.entries.get(uid).map(|entry| &entry.life) {
            None => Err(No::Missing),
            Some(Life::Live) => Err(No::NotAllowed),
            Some(Life::Dead(top)) if top == uid => Ok(()),
            Some(Life::Dead(_)) => Err(No::Gone),
        }
    }

    fn under(&self, top: &str) -> Vec<String> {
        let same = |entry: &Entry| entry.life == Life::Dead(top.to_string());
        self.entries
            .iter()
            .filter(|(_, entry)| same(entry))
            .map(|(uid, _)| uid.clone())
            .collect()
    }

    pub fn resurrect(&mut self, uid: &str) -> Result<(), No> {
        self.tombstone(uid)?;
        if ancestors(uid)
            .iter()
            .any(|ancestor| self.live(ancestor) == Err(No::Gone))
        {
            return Err(No::Gone);
        }
        for ancestor in ancestors(uid) {
            if !self.is_live(&ancestor) {
                self.make(&ancestor, Facts::new());
            }
        }
        let back = self.under(uid);
        for uid in &back {
            self.entries.get_mut(uid).unwrap().life = Life::Live;
        }
        for uid in &back {
            self.drop_dangling(uid);
        }
        Ok(())
    }

    fn drop_dangling(&mut self, uid: &str) {
        let lenient = Naive {
            mode: Mode::Lenient,
            ..self.clone()
        };
        if self.mode != Mode::Off {
            let entry = self.entries.get_mut(uid).unwrap();
            entry.facts = lenient.whole(entry.facts.clone(), &[]).unwrap();
        }
    }

    pub fn forget(&mut self, uid: &str) -> Result<(), No> {
        self.tombstone(uid)?;
        for uid in self.under(uid) {
            self.entries.remove(&uid);
        }
        Ok(())
    }

    pub fn create_version(&mut self, uid: &str, label: &str) -> Result<(), No> {
        self.live(uid)?;
        let entry = self.entries.get_mut(uid).unwrap();
        if entry.versions.iter().any(|(known, _)| known == label) {
            return Err(No::VersionTaken);
        }
        entry
            .versions
            .push((label.to_string(), entry.facts.clone()));
        Ok(())
    }

    pub fn revert(&mut self, uid: &str, label: &str) -> Result<(), No> {
        self.live(uid)?;
        let entry = self.entries.get_mut(uid).unwrap();
        let found = entry.versions.iter().find(|(known, _)| known == label);
        entry.facts = found.ok_or(No::Versionless)?.1.clone();
        self.drop_dangling(uid);
        Ok(())
    }

    /// Takes over what another one has below a path.
    pub fn take(&mut self, other: Naive, top: &str) {
        self.entries.retain(|uid, _| !is_below(uid, top));
        self.entries.extend(
            other
                .entries
                .into_iter()
                .filter(|(uid, _)| is_below(uid, top)),
        );
    }
}
