//! All visitors, at most a thousand: a new one replaces the least recently seen. With a data folder, every
//! change is written to its file before the response is sent, so that no crash of the service can undo an
//! order that a visitor has seen. The mutex is private to this file and never held across an await.

pub(crate) mod storage;
pub(crate) mod visit;
pub(crate) mod visitor;

use crate::demo::visitors::storage::ShopFile;
use crate::demo::visitors::visitor::Visitor;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub const KEPT_VISITORS: usize = 1000;

#[derive(Default)]
pub struct Visitors {
    all: Mutex<VisitorTable>,
    file: Option<ShopFile>,
}

#[derive(Default)]
struct VisitorTable {
    /// Number of visits. A visitor's number tells when it was last seen.
    visits: u64,
    by_id: HashMap<String, (u64, Visitor)>,
}

impl Visitors {
    pub fn kept_in(file: ShopFile) -> Self {
        let mut seen = VisitorTable::default();
        for (id, visitor) in file.read() {
            *seen.visitor(&id) = visitor;
        }
        Self { all: Mutex::new(seen), file: Some(file) }
    }

    /// Changes a visitor, creating it if unknown.
    pub fn change<T>(&self, id: &str, work: impl FnOnce(&mut Visitor) -> T) -> T {
        let mut seen = self.lock_table();
        let result = work(seen.visitor(id));
        if let Some(file) = &self.file {
            file.write(&seen.in_order());
        }
        result
    }

    /// Reads a visitor without creating one: an unknown one reads as new.
    pub fn read<T>(&self, id: &str, read: impl FnOnce(&Visitor) -> T) -> T {
        let mut seen = self.lock_table();
        match seen.by_id.contains_key(id) {
            true => read(seen.visitor(id)),
            false => read(&Visitor::default()),
        }
    }

    /// Sets the message of the visitor's next page. It is not written to the file.
    pub fn say(&self, id: &str, text: String) {
        self.lock_table().visitor(id).flash = Some(text);
    }

    /// Takes the message of the visitor's next page.
    pub fn take_message(&self, id: &str) -> Option<String> {
        self.lock_table().by_id.get_mut(id).and_then(|(_, visitor)| visitor.flash.take())
    }

    fn lock_table(&self) -> MutexGuard<'_, VisitorTable> {
        // After a panic a visitor may be half changed at worst; the shop continues.
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl VisitorTable {
    /// Returns the visitor, creating it if unknown, and marks it as seen now.
    fn visitor(&mut self, id: &str) -> &mut Visitor {
        self.visits += 1;
        if !self.by_id.contains_key(id) {
            self.make_room();
        }
        let (last, visitor) = self.by_id.entry(id.to_owned()).or_default();
        *last = self.visits;
        visitor
    }

    fn make_room(&mut self) {
        if self.by_id.len() < KEPT_VISITORS {
            return;
        }
        let oldest = self.by_id.iter().min_by_key(|(_, (last, _))| *last).map(|(id, _)| id.clone());
        if let Some(id) = oldest {
            self.by_id.remove(&id);
        }
    }

    /// Returns all visitors, the least recently seen first.
    fn in_order(&self) -> Vec<(&str, &Visitor)> {
        let mut all: Vec<_> = self.by_id.iter().collect();
        all.sort_by_key(|(_, (last, _))| *last);
        all.into_iter().map(|(id, (_, visitor))| (id.as_str(), visitor)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_absent_visitor_is_dropped_first() {
        let visitors = Visitors::default();
        let mark = |id: &str| visitors.change(id, |visitor| visitor.orders_made = 1);
        let known = |id: &str| visitors.lock_table().by_id.contains_key(id);
        for n in 0..KEPT_VISITORS {
            mark(&format!("v{n}"));
        }
        visitors.read("v0", |visitor| assert_eq!(visitor.orders_made, 1));
        visitors.read("unknown", |visitor| assert_eq!(visitor.orders_made, 0));
        mark("one more");
        assert!(known("v0") && known("one more") && known("v2"));
        assert!(!known("v1") && !known("unknown"));
        assert_eq!(visitors.lock_table().by_id.len(), KEPT_VISITORS);
        assert_eq!(visitors.lock_table().in_order().first().map(|(id, _)| *id), Some("v2"));
    }
}
