//! Closing a page context: disposes of the Chromium context, or only closes the pages of a lasting profile.

use super::PageContext;
use chromiumoxide::cdp::browser_protocol::target::DisposeBrowserContextParams;

impl PageContext {
    /// Disposes of the context with all its pages; in a lasting profile only closes the pages.
    pub async fn close(&self) {
        if self.lasting.is_some() {
            return self.close_tabs();
        }
        let order = DisposeBrowserContextParams::new(self.context.clone());
        if let Err(fault) = self.link.browser().call(order).await {
            tracing::debug!(%fault, "context was gone already");
        }
    }

    fn close_tabs(&self) {
        for open in self.tabs.borrow().iter() {
            self.close_target(&open.tab.target);
        }
    }
}

impl Drop for PageContext {
    fn drop(&mut self) {
        self.link.forget_context(self.context.as_ref());
        if self.lasting.is_some() {
            return self.close_tabs();
        }
        self.link.browser().post(DisposeBrowserContextParams::new(self.context.clone()));
    }
}
