//! Every write with what it came to, and what each procedure made of it.

use std::sync::{Arc, Mutex};

use breaker::attribute::{Attribute, Attributes};
use breaker::clock::Timestamp;
use breaker::event::Transition;
use breaker::item::{Item, name};
use breaker::procedure::{Next, Procedure};
use breaker::update::{Assignment, Condition, Update, Written};

/// One write.
#[derive(Clone, Debug)]
pub struct Write {
    /// The token of the execution that made it.
    pub token: String,
    /// What it was to write.
    pub update: Update,
    /// What it came to; none where the answer got lost.
    pub written: Option<Written>,
}

impl Write {
    /// The item as this write left it. A grant may be repeated: then the refusal shows the item that its first attempt made.
    pub fn left(&self) -> Option<Item> {
        match &self.written {
            Some(Written::Applied(item)) => Some(item.clone().into()),
            Some(Written::Refused(item)) if self.update.repeatable => {
                let item = Item::from(item.clone());
                let is_ours = item.probe_token() == Some(&self.token) && Some(item.epoch()) == self.begins();
                is_ours.then_some(item)
            }
            _ => None,
        }
    }

    /// The epoch that it was decided on, as the item had it; none where there was none.
    pub fn decided_on(&self) -> Option<&Attribute> {
        self.update.conditions.iter().find_map(|condition| match condition {
            Condition::Equals(attribute, found) if attribute == name::EPOCH => Some(found),
            _ => None,
        })
    }

    /// The epoch that it was to begin; none where it is a count.
    pub fn begins(&self) -> Option<u64> {
        self.update.assignments.iter().find_map(|assignment| match assignment {
            Assignment::Set(attribute, epoch) if attribute == name::EPOCH => epoch.as_count(),
            _ => None,
        })
    }

    /// The slice that it was to count to, if it is a count.
    pub fn counts_to(&self) -> Option<&str> {
        self.update.assignments.iter().find_map(|assignment| match assignment {
            Assignment::Add(slice, _) => Some(slice.as_str()),
            _ => None,
        })
    }
}

/// What all executions of a race wrote and announced.
#[derive(Debug, Default)]
pub struct Journal {
    writes: Mutex<Vec<Write>>,
    announced: Mutex<Vec<Transition>>,
}

impl Journal {
    /// All writes, in the order of their answers, which need not be the one that they were made in.
    pub fn writes(&self) -> Vec<Write> {
        self.writes.lock().unwrap().clone()
    }

    /// All transitions that were announced.
    pub fn announced(&self) -> Vec<Transition> {
        self.announced.lock().unwrap().clone()
    }

    /// Keeps an announcement.
    pub fn announce(&self, transition: Transition) {
        self.announced.lock().unwrap().push(transition);
    }

    fn keep(&self, write: Write) {
        self.writes.lock().unwrap().push(write);
    }
}

/// A known bad design: what it makes of an update of ours, which was decided on an item. The journal keeps ours.
pub type Sabotage = fn(Update, &Item) -> Update;

/// A procedure whose writes are kept in a journal.
pub struct Kept<P> {
    procedure: P,
    token: String,
    journal: Arc<Journal>,
    under_way: Option<Update>,
    sabotage: Option<(Sabotage, Item)>,
}

impl<P: Procedure> Kept<P> {
    /// Keeps what `procedure` writes for the execution of `token`.
    pub fn new(procedure: P, token: &str, journal: Arc<Journal>) -> Self {
        Self {
            procedure,
            token: token.to_owned(),
            journal,
            under_way: None,
            sabotage: None,
        }
    }

    /// Writes what a bad design makes of each update instead, on the item that the procedure begins with.
    #[must_use]
    pub fn sabotaged(mut self, sabotage: Option<Sabotage>, seen: &Item) -> Self {
        self.sabotage = sabotage.map(|sabotage| (sabotage, seen.clone()));
        self
    }

    fn next(&mut self, next: Next<P::Answer>) -> Next<P::Answer> {
        match (next, &self.sabotage) {
            (Next::Write(update), sabotage) => {
                self.under_way = Some(update.clone());
                Next::Write(match sabotage {
                    Some((sabotage, seen)) => sabotage(update, seen),
                    None => update,
                })
            }
            (done, _) => done,
        }
    }
}

impl<P> Kept<P> {
    fn came_to(&mut self, written: Option<Written>) {
        if let Some(update) = self.under_way.take() {
            self.journal.keep(Write {
                token: self.token.clone(),
                update,
                written,
            });
        }
    }
}

impl<P: Procedure> Procedure for Kept<P> {
    type Answer = P::Answer;

    fn begin(&mut self, now: Timestamp) -> Next<P::Answer> {
        let next = self.procedure.begin(now);
        self.next(next)
    }

    fn resume(&mut self, written: Written, now: Timestamp) -> Next<P::Answer> {
        self.came_to(Some(written.clone()));
        let next = self.procedure.resume(written, now);
        self.next(next)
    }
}

impl<P> Drop for Kept<P> {
    /// A write that nothing came of: its answer got lost.
    fn drop(&mut self) {
        self.came_to(None);
    }
}

/// An item from its attributes, for a race to begin with.
pub fn item<const N: usize>(attributes: [(&str, Attribute); N]) -> Item {
    Attributes::from(attributes.map(|(name, value)| (name.to_owned(), value))).into()
}
