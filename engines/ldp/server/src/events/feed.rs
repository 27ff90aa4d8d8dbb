//! The last events, for any number of readers that come and go at their own pace.

use ldp_repository::Event;
use std::collections::VecDeque;
use std::fmt::{Display, Formatter};
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// How many events are kept: a reader that is further behind is told that it missed some.
const KEPT: usize = if cfg!(test) { 4 } else { 4096 };

/// The place of an event among all: `BATCH.PLACE`. Later ones are greater, those of an earlier
/// process too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Number {
    batch: u64,
    place: u32,
}

impl Number {
    /// Behind all events of a batch.
    fn end_of(batch: u64) -> Number {
        let place = u32::MAX;
        Number { batch, place }
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.batch, self.place)
    }
}

impl FromStr for Number {
    type Err = String;

    fn from_str(text: &str) -> Result<Number, String> {
        let parts = text.split_once('.');
        let read = parts.and_then(|(batch, place)| {
            let (batch, place) = (batch.parse().ok()?, place.parse().ok()?);
            Some(Number { batch, place })
        });
        read.ok_or_else(|| format!("{text:?} is no number of an event, expected one like 12.0"))
    }
}

/// What a reader is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// The next event.
    Changed(Number, Arc<Event>),
    /// The events between the last one and this number, with it, are not kept.
    Missed(Number),
}

/// The last events. Share it by `Arc`.
pub struct Feed {
    kept: Mutex<Kept>,
    /// The number of the newest event; none when there will be no more.
    newest: watch::Sender<Option<Number>>,
}

struct Kept {
    events: VecDeque<(Number, Arc<Event>)>,
    /// Up to this one, events are not kept.
    dropped: Number,
}

impl Feed {
    /// A feed of what happens behind the batch of number `since`.
    pub fn new(since: u64) -> Feed {
        let dropped = Number::end_of(since);
        Feed {
            kept: Mutex::new(Kept {
                events: VecDeque::with_capacity(KEPT),
                dropped,
            }),
            newest: watch::Sender::new(Some(dropped)),
        }
    }

    /// Adds the events of one batch.
    pub fn push(&self, events: &[Event]) {
        let mut kept = self.lock();
        for (place, event) in (0..).zip(events) {
            let batch = event.batch;
            if kept.events.len() == KEPT
                && let Some((number, _)) = kept.events.pop_front()
            {
                kept.dropped = number;
            }
            let number = Number { batch, place };
            kept.events.push_back((number, Arc::new(event.clone())));
        }
        let newest = kept.newest();
        drop(kept);
        self.newest
            .send_if_modified(|told| told.as_mut().is_some_and(|told| replace(told, newest)));
    }

    /// Ends all readers once they have read what is there.
    pub fn close(&self) {
        self.newest.send_replace(None);
    }

    /// Reads what comes behind the event `after`; without one, what comes from now on.
    pub fn reader(self: &Arc<Feed>, after: Option<Number>) -> Reader {
        let kept = self.lock();
        let newest = kept.newest();
        // A number that was never given is one of another repository: anything may differ.
        let unknown = after.is_some_and(|after| after > newest);
        Reader {
            after: after.filter(|_| !unknown).unwrap_or(newest),
            missed: unknown,
            feed: self.clone(),
            newest: self.newest.subscribe(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn newest(&self) -> Number {
        self.events
            .back()
            .map_or(self.dropped, |(number, _)| *number)
    }
}

fn replace(old: &mut Number, new: Number) -> bool {
    let changed = *old < new;
    *old = new.max(*old);
    changed
}

/// One who reads a feed.
pub struct Reader {
    feed: Arc<Feed>,
    newest: watch::Receiver<Option<Number>>,
    /// The last event that was read.
    after: Number,
    /// It asked for events behind one that never was.
    missed: bool,
}

impl Reader {
    /// Waits for the next notice; none when the feed is closed, and all of it is read.
    pub async fn next(&mut self) -> Option<Notice> {
        loop {
            let open = self.newest.borrow_and_update().is_some();
            if let Some(notice) = self.kept() {
                return Some(notice);
            }
            if !open {
                return None;
            }
            self.newest.changed().await.ok()?;
        }
    }

    /// Waits until the feed is closed.
    pub async fn closed(&mut self) {
        // An error is a feed that has gone: closed, too.
        let _ = self.newest.wait_for(Option::is_none).await;
    }

    fn kept(&mut self) -> Option<Notice> {
        let kept = self.feed.lock();
        if std::mem::take(&mut self.missed) {
            return Some(Notice::Missed(self.after));
        }
        if self.after < kept.dropped {
            self.after = kept.dropped;
            return Some(Notice::Missed(self.after));
        }
        let next = kept
            .events
            .partition_point(|(number, _)| *number <= self.after);
        let (number, event) = kept.events.get(next)?;
        self.after = *number;
        Some(Notice::Changed(*number, event.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ldp_repository::EventKind;
    use ldp_store::Model;
    use std::time::Duration;

    fn push(feed: &Feed, batch: u64, uids: &[&str]) {
        let event = |uid: &&str| Event {
            kind: EventKind::Created,
            at: 0,
            batch,
            uid: uid.to_string(),
            model: Model::RdfSource,
        };
        feed.push(&uids.iter().map(event).collect::<Vec<_>>());
    }

    /// The next notices that are there: numbers, and paths or `missed`.
    async fn read(reader: &mut Reader) -> Vec<String> {
        let mut rows = Vec::new();
        while let Ok(notice) = tokio::time::timeout(Duration::ZERO, reader.next()).await {
            match notice {
                Some(Notice::Changed(number, event)) => {
                    rows.push(format!("{number} {}", event.uid))
                }
                Some(Notice::Missed(number)) => rows.push(format!("{number} missed")),
                None => {
                    rows.push("end".to_string());
                    break;
                }
            }
        }
        rows
    }

    fn after(text: &str) -> Option<Number> {
        Some(text.parse().expect("a number"))
    }

    #[tokio::test]
    async fn readers_see_what_happens_from_when_they_came_or_asked_for() {
        let feed = Arc::new(Feed::new(5));
        let mut early = feed.reader(None);
        assert!(read(&mut early).await.is_empty());
        push(&feed, 6, &["/a", "/"]);
        let mut late = feed.reader(None);
        let mut again = feed.reader(after("6.0"));
        push(&feed, 7, &["/b"]);
        assert_eq!(read(&mut early).await, ["6.0 /a", "6.1 /", "7.0 /b"]);
        assert_eq!(read(&mut late).await, ["7.0 /b"]);
        assert_eq!(read(&mut again).await, ["6.1 /", "7.0 /b"]);
        feed.close();
        assert_eq!(read(&mut early).await, ["end"]);
    }

    #[tokio::test]
    async fn who_is_too_far_behind_is_told_so_and_goes_on() {
        let feed = Arc::new(Feed::new(5));
        let mut slow = feed.reader(None);
        push(&feed, 6, &["/a", "/b", "/c"]);
        push(&feed, 7, &["/d", "/e", "/f"]);
        let last = ["6.1 missed", "6.2 /c", "7.0 /d", "7.1 /e", "7.2 /f"];
        assert_eq!(read(&mut slow).await, last);
        push(&feed, 8, &["/g"]);
        assert_eq!(read(&mut slow).await, ["8.0 /g"]);
    }

    #[tokio::test]
    async fn numbers_of_an_earlier_process_or_of_none_are_missed_events() {
        let feed = Arc::new(Feed::new(5));
        for before in ["4.0", "5.3", "0.0"] {
            let mut reader = feed.reader(after(before));
            let missed = format!("5.{} missed", u32::MAX);
            assert_eq!(read(&mut reader).await, [missed], "{before}");
        }
        push(&feed, 6, &["/a"]);
        let mut reader = feed.reader(after("900.0"));
        assert_eq!(read(&mut reader).await, ["6.0 missed"]);
        for bad in ["", "6", "6.", ".6", "6.x", "-1.0"] {
            assert!(bad.parse::<Number>().is_err(), "{bad:?}");
        }
    }
}
