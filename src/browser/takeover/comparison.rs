//! Changes of a page during a take-over: its state before and after.

use crate::browser::error::PageError;
use crate::browser::page::context::PageContext;
use crate::browser::page::tab::Tab;
use crate::secrets::redact;
use serde::{Deserialize, Serialize};

/// Changes during a take-over, as far as the run may know them: never what was typed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TakeoverChanges {
    /// Address before and after, if they differ.
    pub url: Option<(String, String)>,
    pub title: Option<(String, String)>,
    /// Names of fields whose value changed.
    pub fields: Vec<String>,
    /// Names of fields that appeared, and of those that disappeared.
    pub came: Vec<String>,
    pub gone: Vec<String>,
    /// Names of dialogs that opened.
    pub dialogs: Vec<String>,
    /// True if the page has another document, at the same address or not.
    pub replaced: bool,
    /// True if the text changed.
    pub text: bool,
    /// True if frames were added, removed or navigated.
    pub frames: bool,
    pub tabs: Option<(u32, u32)>,
    /// True if the page had a password field at the beginning, the person typed, and it has none now.
    pub signed_in: bool,
    /// True if the comparison failed, so that the changes are unknown.
    pub unknown: bool,
}

impl TakeoverChanges {
    /// Returns the changes of a page that could not be compared.
    pub fn unknown() -> Self {
        Self { unknown: true, ..Self::default() }
    }
}

/// State of the page at the beginning of the take-over. Values of fields stay in the page.
#[derive(Clone, Debug, Default)]
pub(in crate::browser) struct StateBefore {
    pub(in crate::browser) url: String,
    pub(in crate::browser) title: String,
    /// Number of password fields.
    pub(in crate::browser) passwords: u32,
    pub(in crate::browser) tabs: u32,
    /// Number of frames that answered.
    pub(in crate::browser) frames: usize,
}

/// Reply of the page script at the beginning of a take-over.
#[derive(Deserialize)]
pub(in crate::browser) struct StateReply {
    pub(in crate::browser) url: String,
    pub(in crate::browser) title: String,
    pub(in crate::browser) passwords: u32,
}

/// Reply of the page script at the hand-back: state and differences, as in `TakeoverChanges`. Values of fields stay
/// in the isolated world, except those of secret fields.
#[derive(Deserialize)]
struct ComparisonReply {
    url: String,
    title: String,
    passwords: u32,
    fields: Vec<String>,
    came: Vec<String>,
    gone: Vec<String>,
    dialogs: Vec<String>,
    text: bool,
    frames: bool,
    replaced: bool,
    /// New values of secret fields. Kept in memory only.
    secrets: Vec<String>,
}

impl ComparisonReply {
    /// Adds the differences in a frame. For a frame with another document, only that fact is added.
    fn take(&mut self, inner: Self) {
        self.secrets.extend(inner.secrets);
        self.frames |= inner.replaced || inner.frames;
        if inner.replaced {
            return;
        }
        self.fields.extend(inner.fields);
        self.came.extend(inner.came);
        self.gone.extend(inner.gone);
        self.dialogs.extend(inner.dialogs);
        self.text |= inner.text;
    }

    fn names(&mut self) -> impl Iterator<Item = &mut String> {
        let Self { fields, came, gone, dialogs, .. } = self;
        [fields, came, gone, dialogs].into_iter().flatten()
    }
}

pub(in crate::browser) async fn find_changes(
    context: &PageContext,
    tab: &Tab,
    before: StateBefore,
    typed: bool,
) -> Result<TakeoverChanges, PageError> {
    let (now, gone) = read_comparison(tab, before.frames).await?;
    let ComparisonReply {
        url,
        title,
        passwords,
        fields,
        came,
        gone: left,
        dialogs,
        text,
        frames,
        replaced,
        ..
    } = now;
    // More secrets may be known now than when this was recorded.
    let keys = tab.policy.secrets();
    let shown_before = keys.hide_secrets((before.url, before.title));
    let (url, title) = keys.hide_secrets((url, title));
    let differ = |was: String, is: String| (was != is).then_some((was, is));
    let tabs = context.tabs.position().1;
    Ok(TakeoverChanges {
        url: differ(shown_before.0, url).map(hide_new_parts),
        title: differ(shown_before.1, title),
        fields,
        came,
        gone: left,
        dialogs,
        replaced,
        text,
        frames: !replaced && (frames || gone),
        tabs: (before.tabs != tabs).then_some((before.tabs, tabs)),
        signed_in: typed && before.passwords > 0 && passwords == 0,
        unknown: false,
    })
}

/// Reads the comparison of all frames, with secrets redacted; true if one of the `frames` is gone.
async fn read_comparison(tab: &Tab, frames: usize) -> Result<(ComparisonReply, bool), PageError> {
    let mut now: ComparisonReply = tab.call_script("compareFields()").await?;
    let inner = tab.in_frames::<ComparisonReply>("askfirst.compareFields()").await;
    let gone = inner.len() < frames;
    inner.into_iter().for_each(|(_, inner)| now.take(inner));
    let keys = tab.policy.secrets();
    std::mem::take(&mut now.secrets).into_iter().for_each(|secret| keys.typed().add_value(secret));
    let known = keys.hidden_values();
    now.names().for_each(|name| *name = redact::redact_text(name, &known));
    Ok((now, gone))
}

/// Returns both addresses; parts that are new in the second one are hidden, since they may be the person's
/// secrets.
fn hide_new_parts((was, is): (String, String)) -> (String, String) {
    let shown = redact::redact_unknown_query(&is, &was);
    (was, shown)
}
