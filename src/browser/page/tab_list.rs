//! Tabs of a page context, and the limit on their number. The limit applies to pages that open by themselves,
//! not to those that we open: otherwise a page that reached the limit could not even be left.

use crate::browser::cdp::message::CdpEvents;
use crate::browser::page::tab::Tab;
use tokio::sync::watch;

/// Maximum number of pages, after which a page cannot open further ones.
const MOST_TABS: usize = 20;

/// The tabs, for which futures wait to change.
#[derive(Debug, Default)]
pub(crate) struct TabList(watch::Sender<TabListState>);

#[derive(Debug, Default)]
pub(crate) struct TabListState {
    pub(crate) open: Vec<OpenTab>,
    /// Index of the tab in front.
    pub(crate) current: usize,
    /// Number of pages that are being set up.
    coming: usize,
    /// Number of pages that we are opening and whose ids are not known yet: a page may attach before the
    /// reply with its id.
    opening: usize,
    /// Ids of pages that we opened and that have not been set up yet.
    awaited: Vec<String>,
    /// Ids of those that crashed meanwhile.
    crashed: Vec<String>,
    /// Id of the page that was looked at last.
    looked_at: String,
}

#[derive(Debug)]
pub(crate) struct OpenTab {
    pub(crate) tab: Tab,
    /// Events since the tab was opened, until an action waits for it to settle.
    born: Option<CdpEvents>,
}

/// A page that attached and is being set up.
pub(crate) struct AttachedTab<'a>(&'a TabList);

/// A page that we are opening, whose id is not known yet.
pub(crate) struct RequestedTab<'a>(&'a TabList);

/// A page that we opened and wait for.
pub(crate) struct AwaitedTab<'a> {
    list: &'a TabList,
    target: String,
}

impl TabListState {
    pub(crate) fn has(&self, target: &str) -> bool {
        self.find_index(target).is_some()
    }

    pub(crate) fn current(&self) -> Option<&Tab> {
        self.open.get(self.current).map(|open| &open.tab)
    }

    /// Reports whether a page that we opened is set up, or crashed before it was.
    pub(crate) fn is_settled(&self, target: &str) -> bool {
        self.has(target) || self.crashed.iter().any(|crashed| crashed == target)
    }

    fn find_index(&self, target: &str) -> Option<usize> {
        self.open.iter().position(|open| open.tab.target == target)
    }
}

impl TabList {
    pub(crate) fn borrow(&self) -> watch::Ref<'_, TabListState> {
        self.0.borrow()
    }

    pub(crate) async fn wait_until(&self, fits: impl Fn(&TabListState) -> bool) {
        // An error is impossible: the sender lives as long as this future.
        let _ = self.0.subscribe().wait_for(fits).await;
    }

    pub(crate) fn has(&self, target: &str) -> bool {
        self.borrow().has(target)
    }

    pub(crate) fn count(&self) -> usize {
        self.borrow().open.len()
    }

    /// Returns the number of the tab in front, from 1, and the number of tabs.
    pub(crate) fn position(&self) -> (u32, u32) {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let list = self.borrow();
        (number(list.current + 1), number(list.open.len()))
    }

    pub(crate) fn find_by_session(&self, session: &str) -> Option<Tab> {
        let list = self.borrow();
        list.open.iter().find(|open| open.tab.session.id() == session).map(|open| open.tab.clone())
    }

    /// Announces a page that we are about to open.
    pub(crate) fn begin_opening(&self) -> RequestedTab<'_> {
        self.0.send_modify(|list| list.opening += 1);
        RequestedTab(self)
    }

    /// Reserves a place for a page that attached, until it is among the open ones. Returns `None` if there
    /// are too many and we did not open the page.
    pub(crate) async fn reserve(&self, target: &str) -> Option<AttachedTab<'_>> {
        let fits = |list: &TabListState| {
            let is_ours = list.awaited.iter().any(|awaited| awaited == target);
            is_ours || list.open.len() + list.coming < MOST_TABS
        };
        self.wait_until(|list| fits(list) || list.opening == 0).await;
        let reserved = self.0.send_if_modified(|list| {
            let fits = fits(list);
            list.coming += usize::from(fits);
            fits
        });
        reserved.then(|| AttachedTab(self))
    }

    /// Adds a tab in front of all others.
    pub(crate) fn add(&self, tab: Tab, born: CdpEvents) {
        self.0.send_modify(|list| {
            list.current = list.open.len();
            list.open.push(OpenTab { tab, born: Some(born) });
        });
    }

    /// Removes a tab, and makes the one before it current. Returns true if the tab was listed.
    pub(crate) fn remove(&self, target: &str) -> bool {
        self.0.send_if_modified(|list| {
            let Some(index) = list.find_index(target) else { return false };
            list.open.remove(index);
            if list.current >= index {
                list.current = list.current.saturating_sub(1);
            }
            true
        })
    }

    /// Records that a page crashed that we opened and that is not set up.
    pub(crate) fn record_early_crash(&self, target: &str) {
        self.0.send_if_modified(|tabs| {
            let is_ours = tabs.opening > 0 || tabs.awaited.iter().any(|awaited| awaited == target);
            if is_ours {
                tabs.crashed.push(target.to_owned());
            }
            is_ours
        });
    }

    /// Makes a tab the current one, if it still exists, whatever tab Chromium has in front.
    pub(crate) fn show(&self, target: &str) {
        self.0.send_modify(|list| list.current = list.find_index(target).unwrap_or(list.current));
    }

    /// Notes which tab is looked at. Returns true if another one was before.
    pub(crate) fn note_look(&self, target: &str) -> bool {
        let mut is_other = false;
        self.0.send_if_modified(|list| {
            is_other = list.looked_at != target;
            target.clone_into(&mut list.looked_at);
            false
        });
        is_other
    }

    /// Takes the events of the current tab since it was opened.
    pub(crate) fn take_initial_events(&self) -> Option<CdpEvents> {
        let mut events = None;
        self.0.send_if_modified(|list| {
            events = list.open.get_mut(list.current).and_then(|open| open.born.take());
            false
        });
        events
    }

    /// Drops the recorded events of all new tabs.
    pub(crate) fn drop_initial_events(&self) {
        self.0.send_if_modified(|list| {
            list.open.iter_mut().for_each(|open| open.born = None);
            false
        });
    }
}

impl<'a> RequestedTab<'a> {
    pub(crate) fn with_target(self, target: &str) -> AwaitedTab<'a> {
        self.0.0.send_modify(|list| list.awaited.push(target.to_owned()));
        AwaitedTab { list: self.0, target: target.to_owned() }
    }
}

impl Drop for AttachedTab<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|list| list.coming -= 1);
    }
}

impl Drop for RequestedTab<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|list| list.opening -= 1);
    }
}

impl Drop for AwaitedTab<'_> {
    fn drop(&mut self) {
        self.list.0.send_modify(|list| {
            list.awaited.retain(|awaited| *awaited != self.target);
            list.crashed.retain(|crashed| *crashed != self.target);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browser::cdp::connection::Connection;
    use crate::browser::network::url_policy::UrlPolicy;
    use crate::browser::page::tab::PageWaits;
    use futures_util::FutureExt;
    use std::rc::Rc;
    use std::time::Duration;

    fn with_open_tabs(count: usize) -> TabList {
        let list = TabList::default();
        for n in 0..count {
            let session = Connection::disconnected().session(String::from("S"));
            let born = session.listen();
            let policy = UrlPolicy::new(|_| None);
            let load_timeout = Duration::ZERO;
            list.add(
                Tab::new(n.to_string(), session, policy, load_timeout, Rc::default(), PageWaits::default()),
                born,
            );
        }
        list
    }

    #[test]
    fn windows_that_open_at_once_are_counted_and_own_tabs_have_a_slot() {
        let list = with_open_tabs(15);
        let reserve = |target: &'static str| list.reserve(target);
        let coming: Vec<_> = (0..5).map(|_| reserve("popped").now_or_never().unwrap().unwrap()).collect();
        assert!(reserve("popped").now_or_never().unwrap().is_none());
        let opening = list.begin_opening();
        // The id of the page that we opened is not known yet.
        let (mut other, mut ours) = (Box::pin(reserve("popped")), Box::pin(reserve("ours")));
        assert!((&mut other).now_or_never().is_none() && (&mut ours).now_or_never().is_none());
        let awaited = opening.with_target("ours");
        assert!((&mut other).now_or_never().unwrap().is_none());
        assert!((&mut ours).now_or_never().unwrap().is_some());
        drop(awaited);
        assert!(reserve("ours").now_or_never().unwrap().is_none());
        drop(coming);
        assert!(reserve("popped").now_or_never().unwrap().is_some());
    }

    #[test]
    fn the_tab_before_one_that_is_gone_is_current() {
        let list = with_open_tabs(3);
        let current = || list.borrow().current().map(|tab| tab.target.clone());
        assert!(list.remove("2") && !list.remove("2"));
        assert_eq!(current().as_deref(), Some("1"));
        list.show("0");
        assert!(list.remove("1"));
        assert_eq!(current().as_deref(), Some("0"));
        assert!(list.remove("0") && current().is_none());
    }
}
