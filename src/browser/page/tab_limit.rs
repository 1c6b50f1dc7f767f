//! Limit on the pages of a page context. It applies to pages that open by themselves, not to those that we
//! open: otherwise a page that reached the limit could not even be left.

use std::cell::{Cell, RefCell};
use tokio::sync::Notify;

/// Maximum number of pages, after which a page cannot open further ones.
const MOST_TABS: usize = 20;

#[derive(Debug, Default)]
pub(crate) struct TabLimit {
    /// Number of pages that are being set up.
    coming: Cell<usize>,
    /// Number of pages that we are opening and whose ids are not known yet: a page may attach before the
    /// reply with its id.
    ordering: Cell<usize>,
    /// Ids of pages that we opened and that have not been set up yet.
    ordered: RefCell<Vec<String>>,
}

/// Counts one more until dropped.
pub(crate) struct CountGuard<'a>(&'a Cell<usize>, Option<&'a Notify>);

impl<'a> CountGuard<'a> {
    fn in_(count: &'a Cell<usize>, told: Option<&'a Notify>) -> Self {
        count.set(count.get() + 1);
        Self(count, told)
    }
}

impl Drop for CountGuard<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
        if let Some(told) = self.1 {
            told.notify_waiters();
        }
    }
}

/// A page that we are opening, whose id is not known yet.
pub(crate) struct OpeningTab<'a> {
    limit: &'a TabLimit,
    _counted: CountGuard<'a>,
}

/// A page that we opened and wait for.
pub(crate) struct OpenedTab<'a> {
    limit: &'a TabLimit,
    target: String,
}

impl<'a> OpeningTab<'a> {
    pub fn with_target(self, target: &str) -> OpenedTab<'a> {
        self.limit.ordered.borrow_mut().push(target.to_owned());
        OpenedTab { limit: self.limit, target: target.to_owned() }
    }
}

impl Drop for OpenedTab<'_> {
    fn drop(&mut self) {
        self.limit.ordered.borrow_mut().retain(|ordered| *ordered != self.target);
    }
}

impl TabLimit {
    pub fn ordering<'a>(&'a self, changed: &'a Notify) -> OpeningTab<'a> {
        OpeningTab { limit: self, _counted: CountGuard::in_(&self.ordering, Some(changed)) }
    }

    /// Reserves a place for a page that attached, until it is among the open ones. Returns `None` if there
    /// are too many and we did not open the page.
    pub async fn reserve(
        &self,
        target: &str,
        open: impl Fn() -> usize,
        changed: &Notify,
    ) -> Option<CountGuard<'_>> {
        loop {
            let heard = changed.notified();
            let ours = self.ordered.borrow().iter().any(|ordered| ordered == target);
            if ours || open() + self.coming.get() < MOST_TABS {
                return Some(CountGuard::in_(&self.coming, None));
            }
            if self.ordering.get() == 0 {
                return None;
            }
            heard.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[test]
    fn windows_that_open_at_once_are_counted_and_own_tabs_have_a_slot() {
        let (limit, changed) = (TabLimit::default(), Notify::new());
        let place = |target: &'static str| limit.reserve(target, || 15, &changed);
        let coming: Vec<_> = (0..5).map(|_| place("popped").now_or_never().unwrap().unwrap()).collect();
        assert!(place("popped").now_or_never().unwrap().is_none());
        let ordering = limit.ordering(&changed);
        // The id of the page that we opened is not known yet.
        let (mut other, mut ours) = (Box::pin(place("popped")), Box::pin(place("ours")));
        assert!((&mut other).now_or_never().is_none() && (&mut ours).now_or_never().is_none());
        let ordered = ordering.with_target("ours");
        assert!((&mut other).now_or_never().unwrap().is_none());
        assert!((&mut ours).now_or_never().unwrap().is_some());
        drop(ordered);
        assert!(place("ours").now_or_never().unwrap().is_none());
        drop(coming);
        assert!(place("popped").now_or_never().unwrap().is_some());
    }
}
