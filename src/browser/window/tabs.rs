//! The tabs of a window by their numbers: which is in front, which closes, what each shows.

use super::{FIRST_TAB_PATIENCE, Window};
use crate::browser::fault::{Code, Fault};
use crate::browser::tab::Tab;
use chromiumoxide::cdp::browser_protocol::page;
use chromiumoxide::cdp::browser_protocol::target::{GetTargetInfoParams, TargetId};

impl Window {
    /// Brings the tab of this number (from 1) to the front.
    pub async fn switch(&self, number: u32) -> Result<Tab, Fault> {
        let tab = self.numbered(number)?;
        self.show_tab(&tab.target);
        tab.call(page::BringToFrontParams::default()).await?;
        Ok(tab)
    }

    /// In front for us, whatever Chromium has there.
    pub(super) fn show_tab(&self, target: &str) {
        let place = self.tabs.borrow().iter().position(|open| open.tab.target == target);
        self.current.set(place.unwrap_or_default());
        self.changed.notify_waiters();
    }

    /// Frames of this session, or that of this number alone, are gone.
    pub fn forget_frames(&self, session: &str, id: Option<&str>) {
        for open in self.tabs.borrow().iter() {
            open.tab.frames.forget(session, id);
        }
    }

    /// Closes the tab of this number, or the one in front. A blank one takes the place of the last.
    pub async fn close_tab(&self, number: Option<u32>) -> Result<Tab, Fault> {
        let tab = number.map_or_else(|| self.current(), |number| self.numbered(number))?;
        if self.count() == 1 {
            return self.replace(&tab).await;
        }
        self.close_target(&tab.target);
        let gone = async {
            while self.has(&tab.target) {
                self.changed.notified().await;
            }
        };
        tokio::time::timeout(FIRST_TAB_PATIENCE, gone)
            .await
            .map_err(|_| Fault::slow("closing the tab", FIRST_TAB_PATIENCE))?;
        self.current()
    }

    fn numbered(&self, number: u32) -> Result<Tab, Fault> {
        let tabs = self.tabs.borrow();
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let open = place.and_then(|place| tabs.get(place));
        open.map(|open| open.tab.clone()).ok_or_else(|| {
            let message = format!("there is no tab {number}; there are {}, counted from 1", tabs.len());
            Fault::new(Code::NoPage, message)
        })
    }

    /// Address and title of the page in front, of Chromium and not of the page: that may be busy.
    pub async fn shown(&self) -> Result<(String, String), Fault> {
        self.shown_in(&self.current()?).await
    }

    pub async fn shown_in(&self, tab: &Tab) -> Result<(String, String), Fault> {
        let order = GetTargetInfoParams { target_id: Some(TargetId::new(tab.target.clone())) };
        let info = self.link.browser().call(order).await?.target_info;
        Ok((info.url, info.title))
    }
}
