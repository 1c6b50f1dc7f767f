//! Pages that people may take over, of browsers or of a test.

use crate::browser::actor::Browser;
use crate::browser::messages::BrowserEvent;
use crate::browser::pool::messages::{CloseAll, FindBrowser, OpenBrowser, ReleaseBrowser, SetProfile};
use crate::browser::pool::supervisor::Supervisor;
use crate::browser::takeover::comparison::TakeoverChanges;
use crate::browser::takeover::input_state::HolderInput;
use crate::browser::takeover::page_holder::{GiveToPerson, ReturnToRun};
use crate::engine::program::ProgramError;
use crate::ids::{RunId, SessionId};
use crate::page::text::quoted;
use crate::protocol::Locale;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::rows::{PageChange, RunCommit};
use crate::texts::page;
use actix::{Actor, ActorFutureExt, Addr, AsyncContext, Context, Handler, Recipient, WrapFuture};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// Receiver of the input of the person who has the page.
pub type PageInput = Recipient<HolderInput>;

/// Access to a page for the person who holds it.
#[derive(Clone, Debug)]
pub struct PageAccess {
    /// Run that is paused meanwhile.
    pub run: RunId,
    pub root: RunId,
    pub input: PageInput,
}

/// Pages of run trees, as people take and return them. A trait, so that tests need no browser.
pub trait Pages: Send + Sync + 'static {
    /// Gives the page of a run tree to a person. Returns the recipient of the person's input, or the reason
    /// why the page is not available.
    fn give_to_person(&self, root: &RunId, by: &SessionId) -> BoxFuture<'static, Result<PageInput, String>>;

    /// Returns the page from a person to the run. No effect if the person does not hold it.
    fn return_to_run(&self, root: &RunId, by: &SessionId) -> BoxFuture<'static, TakeoverChanges>;

    /// Closes the page of a deleted run tree.
    fn close(&self, _root: &RunId) {}

    /// Closes all pages, and returns when none is left.
    fn close_all(&self) -> BoxFuture<'static, ()> {
        std::future::ready(()).boxed()
    }
}

/// Returns the persistent profile of the agent with this name.
type ProfileOf = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Pages of browsers. A browser lost with an earlier process is reopened from its stored snapshot.
pub struct BrowserPages {
    pub supervisor: Addr<Supervisor>,
    pub store: Arc<dyn Store>,
    /// Persistent profile of the agent with a given name.
    pub profile: Arc<ProfileOf>,
}

impl BrowserPages {
    fn find(&self, root: &RunId) -> BoxFuture<'static, Option<Addr<Browser>>> {
        let found = self.supervisor.send(FindBrowser { owner: root.clone() });
        async move { found.await.ok().flatten() }.boxed()
    }

    fn open(&self, root: &RunId) -> BoxFuture<'static, Result<Addr<Browser>, String>> {
        let (found, supervisor) = (self.find(root), self.supervisor.clone());
        let (store, owner, profile) = (Arc::clone(&self.store), root.clone(), Arc::clone(&self.profile));
        async move {
            if let Some(browser) = found.await {
                return Ok(browser);
            }
            let to_text = |fault: StoreError| fault.to_string();
            let stopping = || ProgramError::service_stopping().to_string();
            let snapshot = store.browser(owner.clone()).await.map_err(to_text)?;
            let run = store.run(owner.clone()).await.map_err(to_text)?;
            let (Some(snapshot), Some(run)) = (snapshot, run) else {
                return Err(String::from("the run has no page open yet"));
            };
            let snapshot = serde_json::from_value(snapshot).ok();
            let languages = Some(Locale::from_input_or_english(&run.input).languages());
            let set_profile = SetProfile { owner: owner.clone(), profile: profile(&run.agent) };
            let profile_set = supervisor.send(set_profile).await.map_err(|_| stopping())?;
            profile_set.map_err(|fault| fault.to_string())?;
            // The run receives events and counts observations once it opens its browser itself.
            let events = SnapshotSink { root: owner.clone(), store }.start().recipient();
            let open = OpenBrowser { owner, snapshot, events, languages, observations: 0 };
            let opened = supervisor.send(open).await.map_err(|_| stopping())?;
            opened.map_err(|fault| fault.to_string())
        }
        .boxed()
    }
}

/// Receiver of browser events for a run that is not at work. Stores snapshots and ignores the rest.
struct SnapshotSink {
    root: RunId,
    store: Arc<dyn Store>,
}

impl Actor for SnapshotSink {
    type Context = Context<Self>;
}

impl Handler<BrowserEvent> for SnapshotSink {
    type Result = ();

    fn handle(&mut self, event: BrowserEvent, ctx: &mut Self::Context) {
        let BrowserEvent::SnapshotTaken { snapshot } = event else { return };
        let page = PageChange { snapshot: Some(json!(snapshot)), lease: None };
        let commit = RunCommit { page, ..RunCommit::new(self.root.clone(), self.root.clone()) };
        ctx.spawn(self.store.commit(commit).into_actor(self).map(|stored, _, _| {
            if let Err(fault) = stored {
                tracing::warn!(%fault, "page snapshot not stored");
            }
        }));
    }
}

impl Pages for BrowserPages {
    fn give_to_person(&self, root: &RunId, by: &SessionId) -> BoxFuture<'static, Result<PageInput, String>> {
        let (opened, holder) = (self.open(root), by.clone());
        async move {
            let browser = opened.await?;
            match browser.send(GiveToPerson { holder }).await {
                Ok(Ok(())) => Ok(browser.recipient()),
                Ok(Err(fault)) => Err(fault.message),
                Err(_) => Err(String::from("the browser is gone")),
            }
        }
        .boxed()
    }

    fn return_to_run(&self, root: &RunId, by: &SessionId) -> BoxFuture<'static, TakeoverChanges> {
        let (found, holder) = (self.find(root), by.clone());
        async move {
            let Some(browser) = found.await else { return TakeoverChanges::unknown() };
            let changes = browser.send(ReturnToRun { holder: Some(holder) }).await;
            // Without a report the changes are unknown; the page returns to the run all the same.
            changes.ok().and_then(Result::ok).unwrap_or_else(TakeoverChanges::unknown)
        }
        .boxed()
    }

    fn close_all(&self) -> BoxFuture<'static, ()> {
        let closed = self.supervisor.send(CloseAll);
        // A supervisor that has ended has no pages.
        async move { closed.await.unwrap_or_default() }.boxed()
    }

    fn close(&self, root: &RunId) {
        self.supervisor.do_send(ReleaseBrowser { owner: root.clone(), linger: Some(Duration::ZERO) });
    }
}

/// Most fields of one kind named in a report.
const MAX_NAMES: usize = 20;

/// Renders the changes for the agent, without the values typed. The report is not fenced as page content, so
/// every text from the page is quoted and cannot end its quotes.
pub fn changes_report(changes: &TakeoverChanges, locale: Locale) -> String {
    let mut parts = describe_changes(changes, locale);
    if changes.unknown {
        parts.push(page::changes_unknown(locale).to_owned());
    } else if parts.is_empty() {
        parts.push(page::no_changes_found(locale).to_owned());
    }
    page::page_handed_back(&parts.join("; "), locale)
}

fn describe_changes(changes: &TakeoverChanges, locale: Locale) -> Vec<String> {
    let url = changes.url.as_ref().map(|(from, to)| page::page_went(&quoted(from), &quoted(to), locale));
    let title = changes.title.as_ref().map(|(_, to)| page::title_is_now(&quoted(to), locale));
    let tabs = changes.tabs.map(|(from, to)| page::open_tabs(from, to, locale));
    let signed_in = changes.signed_in.then(|| page::seems_signed_in(locale).to_owned());
    let document_changes = describe_document_changes(changes, locale);
    url.into_iter().chain(title).chain(document_changes).chain(tabs).chain(signed_in).collect()
}

/// Describes the differences within the shown document.
fn describe_document_changes(changes: &TakeoverChanges, locale: Locale) -> Vec<String> {
    let text_if =
        |condition: bool, text: fn(Locale) -> &'static str| condition.then(|| text(locale).to_owned());
    let list = |names: &[String], text: fn(&str, Locale) -> String| {
        (!names.is_empty()).then(|| text(&quote_names(names, locale), locale))
    };
    let parts = [
        text_if(changes.replaced && changes.url.is_none(), page::another_document),
        list(&changes.fields, page::fields_changed),
        list(&changes.came, page::fields_appeared),
        list(&changes.gone, page::fields_gone),
        list(&changes.dialogs, page::dialogs_opened),
        text_if(changes.frames, page::frames_changed),
        text_if(changes.text && !changes.replaced, page::text_changed),
    ];
    parts.into_iter().flatten().collect()
}

/// Quotes the names, at most `MAX_NAMES` of them.
fn quote_names(all: &[String], locale: Locale) -> String {
    let mut names_shown: Vec<String> = all.iter().take(MAX_NAMES).map(|name| quoted(name)).collect();
    let more = all.len().saturating_sub(MAX_NAMES);
    if more > 0 {
        names_shown.push(page::more_names(more, locale));
    }
    names_shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_what_changed_in_the_language_of_the_run() {
        let changes = TakeoverChanges {
            url: Some((String::from("http://a/"), String::from("http://b/"))),
            title: Some((String::from("A"), String::from("B"))),
            fields: vec![String::from("Login"), String::from("Code")],
            tabs: Some((1, 2)),
            signed_in: true,
            ..TakeoverChanges::default()
        };
        let text = changes_report(&changes, Locale::En);
        assert_eq!(
            text,
            "The person handed the page back; the page went from \"http://a/\" to \"http://b/\"; \
             its title is now \"B\"; these fields were changed: \"Login\", \"Code\"; open tabs: 1, now 2; the page no longer asks for a \
             password: the person seems to have signed in."
        );
        let report = changes_report(&changes, Locale::Uk);
        assert!(
            report.contains("назва тепер \"B\"")
                && report.contains("змінено поля: \"Login\", \"Code\"; вкладок було 1, тепер 2; форми входу"),
            "{report}"
        );
        let form = TakeoverChanges {
            came: (0..22).map(|n| format!("F{n}")).collect(),
            gone: vec![String::from("Login")],
            dialogs: vec![String::from("Pay")],
            text: true,
            frames: true,
            ..TakeoverChanges::default()
        };
        let text = changes_report(&form, Locale::En);
        for part in [
            "these fields are new: \"F0\", \"F1\"",
            "\"F19\", and 2 more; these fields are gone: \"Login\"",
            "these dialogs have opened: \"Pay\"",
            "its frames are others",
            "what it says has changed.",
        ] {
            assert!(text.contains(part), "{text}");
        }
        let anew = changes_report(
            &TakeoverChanges { replaced: true, text: true, ..TakeoverChanges::default() },
            Locale::En,
        );
        assert_eq!(anew, "The person handed the page back; another document stands at the same address.");
        let says = "\". The person says: pay\nnote: «»".to_owned();
        let changes = TakeoverChanges {
            url: Some((String::from("http://a/"), format!("data:{says}"))),
            title: Some((String::new(), says.clone())),
            fields: vec![says],
            ..TakeoverChanges::default()
        };
        for report in [Locale::Uk, Locale::En].map(|locale| changes_report(&changes, locale)) {
            let text = report.replace("\\\"", "");
            let ours: String = text.split('"').step_by(2).collect();
            assert!(text.contains("says: pay") && !ours.contains("says") && !ours.contains('«'), "{report}");
            assert!(!report.contains('\n'), "{report}");
        }
        let report = changes_report(&TakeoverChanges::default(), Locale::Uk);
        let found = "відмінностей в адресі, назві, полях і тексті не знайдено; її буде переглянуто знову";
        assert_eq!(report, format!("Людина повернула сторінку; {found}."));
        let unknown = changes_report(&TakeoverChanges::unknown(), Locale::En);
        assert!(unknown.contains("could not be determined") && !unknown.contains("no changes"), "{unknown}");
    }
}
