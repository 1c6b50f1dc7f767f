//! All visitors, in memory. Bounded: the one not seen for longest makes room for the thousand-and-first.
//! The mutex is private to this file and never held across an await.

use super::visitor::Visitor;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub const KEPT_VISITORS: usize = 1000;

#[derive(Default)]
pub struct Visitors {
    all: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// Counts visits; a visitor's number says when it was last here.
    visits: u64,
    of: HashMap<String, (u64, Visitor)>,
}

impl Visitors {
    /// Works on a visitor, who is made new if unknown.
    pub fn with<T>(&self, id: &str, work: impl FnOnce(&mut Visitor) -> T) -> T {
        let mut seen = self.seen();
        seen.visits += 1;
        let now = seen.visits;
        if !seen.of.contains_key(id) {
            seen.make_room();
        }
        let (last, visitor) = seen.of.entry(id.to_owned()).or_default();
        *last = now;
        work(visitor)
    }

    /// Reads a visitor without making one: an unknown one reads as new.
    pub fn peek<T>(&self, id: &str, read: impl FnOnce(&Visitor) -> T) -> T {
        match self.seen().of.get(id) {
            Some((_, visitor)) => read(visitor),
            None => read(&Visitor::default()),
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        // A panic while a visitor was worked on leaves that visitor half changed at worst; the shop goes on.
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn make_room(&mut self) {
        if self.of.len() < KEPT_VISITORS {
            return;
        }
        let oldest = self.of.iter().min_by_key(|(_, (last, _))| *last).map(|(id, _)| id.clone());
        if let Some(id) = oldest {
            self.of.remove(&id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_visitor_unseen_for_longest_makes_room() {
        let visitors = Visitors::default();
        let mark = |id: &str| visitors.with(id, |visitor| visitor.opened = true);
        let known = |id: &str| visitors.peek(id, |visitor| visitor.opened);
        for n in 0..KEPT_VISITORS {
            mark(&format!("v{n}"));
        }
        mark("v0");
        mark("one more");
        assert!(known("v0") && known("one more") && known("v2"));
        assert!(!known("v1"));
        assert_eq!(visitors.seen().of.len(), KEPT_VISITORS);
    }
}
