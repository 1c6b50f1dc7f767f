//! Tabs of a page context by number: switching, closing, address and title.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::page::context::{FIRST_TAB_PATIENCE, PageContext};
use crate::browser::page::tab::Tab;
use chromiumoxide::cdp::browser_protocol::page;
use chromiumoxide::cdp::browser_protocol::target::{GetTargetInfoParams, TargetId};
use std::time::Duration;

/// Time after which a tab that neither closes nor asks is closed anyway.
const CLOSING: Duration = Duration::from_secs(3);

impl PageContext {
    /// Brings the tab of this number (from 1) to the front.
    pub async fn switch(&self, number: u32) -> Result<Tab, PageError> {
        let tab = self.numbered(number)?;
        self.show_tab(&tab.target);
        tab.call(page::BringToFrontParams::default()).await?;
        Ok(tab)
    }

    /// Makes a tab the current one, if it still exists, whatever tab Chromium has in front.
    pub(crate) fn show_tab(&self, target: &str) {
        self.tabs.show(target);
    }

    /// Forgets the removed frames of this session, or only the one with this frame id.
    pub fn forget_frames(&self, session: &str, id: Option<&str>) {
        for open in &self.tabs.borrow().open {
            open.tab.frames.forget(session, id);
        }
    }

    /// Returns the tab of this number, or the one in front.
    pub fn to_close(&self, number: Option<u32>) -> Result<Tab, PageError> {
        number.map_or_else(|| self.current(), |number| self.numbered(number))
    }

    /// Closes one of several tabs. It comes to the front first, where its leave dialog can be answered.
    pub async fn close_tab(&self, tab: &Tab) -> Result<Tab, PageError> {
        let before = self.current()?;
        self.show_tab(&tab.target);
        tab.session.post(page::CloseParams::default());
        if !self.is_gone_within(tab, CLOSING).await {
            self.close_target(&tab.target);
            if !self.is_gone_within(tab, FIRST_TAB_PATIENCE).await {
                return Err(PageError::slow("closing the tab", FIRST_TAB_PATIENCE));
            }
        }
        self.show_tab(&before.target);
        self.current()
    }

    async fn is_gone_within(&self, tab: &Tab, limit: Duration) -> bool {
        tokio::time::timeout(limit, self.tabs.wait_until(|tabs| !tabs.has(&tab.target))).await.is_ok()
    }

    /// Begins or ends a take-over: meanwhile the pages report what is typed into secret fields.
    pub fn set_takeover(&self, now: bool) {
        let tabs: Vec<_> = self.tabs.borrow().open.iter().map(|open| open.tab.session.clone()).collect();
        let all = tabs.into_iter().chain(self.processes.sessions());
        if now { self.processes.by_hand.begin(all) } else { self.processes.by_hand.end(all) }
    }

    fn numbered(&self, number: u32) -> Result<Tab, PageError> {
        let tabs = self.tabs.borrow();
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let open = place.and_then(|place| tabs.open.get(place));
        open.map(|open| open.tab.clone()).ok_or_else(|| {
            let message = format!("there is no tab {number}; there are {}, counted from 1", tabs.open.len());
            PageError::new(ErrorCode::NoPage, message)
        })
    }

    /// Returns address and title of the tab in front, from Chromium instead of the page, which may be busy.
    pub async fn shown(&self) -> Result<(String, String), PageError> {
        self.shown_in(&self.current()?).await
    }

    pub async fn shown_in(&self, tab: &Tab) -> Result<(String, String), PageError> {
        let order = GetTargetInfoParams { target_id: Some(TargetId::new(tab.target.clone())) };
        let info = self.link.browser().call(order).await?.target_info;
        Ok((info.url, info.title))
    }
}
