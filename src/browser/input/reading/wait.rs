//! Waiting for a time, or for a text of the page.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::page::frames::query_all;
use crate::browser::page::tab::Tab;
use std::time::Duration;

/// Pause between two checks for a text.
const TEXT_CHECK: Duration = Duration::from_millis(100);
/// Longest wait in seconds.
const MOST_SECONDS: f64 = 60.0;

/// Wait for texts of a page.
pub struct TextWait {
    /// Text that shows at the end of the wait.
    pub text: Option<String>,
    /// Text that does not show then.
    pub gone: Option<String>,
    pub seconds: f64,
}

impl TextWait {
    /// Waits until the page is as wanted. Fails if it is not within the time.
    pub async fn wait(self, tab: &Tab) -> Result<(), PageError> {
        let waiting = async {
            while !self.is_over(tab).await? {
                tokio::time::sleep(TEXT_CHECK).await;
            }
            Ok(())
        };
        let limit = duration(self.seconds);
        tokio::time::timeout(limit, waiting).await.unwrap_or_else(|_| Err(self.late_error()))
    }

    async fn is_over(&self, tab: &Tab) -> Result<bool, PageError> {
        let shown = match &self.text {
            Some(text) => query_all::has_text(tab, text).await?,
            None => true,
        };
        let still = match &self.gone {
            Some(gone) => query_all::has_text(tab, gone).await?,
            None => false,
        };
        Ok(shown && !still)
    }

    fn late_error(&self) -> PageError {
        let missing = self.text.as_ref().map(|text| format!("\"{text}\" did not show"));
        let staying = self.gone.as_ref().map(|gone| format!("\"{gone}\" still shows"));
        let what = Vec::from_iter(missing.into_iter().chain(staying)).join(", or ");
        PageError::new(ErrorCode::Timeout, format!("{what} within {} s; look again", self.seconds))
    }
}

/// Returns the duration of a wait of so many seconds, which has an upper limit.
pub fn duration(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds.clamp(0.0, MOST_SECONDS))
}
