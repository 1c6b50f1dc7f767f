//! The pages that people may take: those of browsers, or of a test. The one file here that knows of
//! browsers.

use crate::browser::Browser;
use crate::browser::lease::{Changes, HandBack, Input, Take};
use crate::browser::supervisor::{Find, Supervisor};
use crate::ids::{RunId, SessionId};
use actix::{Addr, Recipient};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

pub trait Pages: Send + Sync + 'static {
    /// Gives the page of a run tree to a person; answers with who takes their input, or why not.
    fn take(&self, root: &RunId, by: &SessionId) -> BoxFuture<'static, Result<Recipient<Input>, String>>;

    /// Takes the page back from them. Without harm if they do not have it.
    fn give_back(&self, root: &RunId, by: &SessionId) -> BoxFuture<'static, Changes>;
}

/// Those of the browsers at work.
pub struct OfBrowsers(pub Addr<Supervisor>);

impl OfBrowsers {
    fn find(&self, root: &RunId) -> BoxFuture<'static, Option<Addr<Browser>>> {
        let found = self.0.send(Find { owner: root.clone() });
        async move { found.await.ok().flatten() }.boxed()
    }
}

impl Pages for OfBrowsers {
    fn take(&self, root: &RunId, by: &SessionId) -> BoxFuture<'static, Result<Recipient<Input>, String>> {
        let (found, holder) = (self.find(root), by.clone());
        async move {
            let browser = found.await.ok_or("the run has no page open yet")?;
            match browser.send(Take { holder }).await {
                Ok(Ok(())) => Ok(browser.recipient()),
                Ok(Err(fault)) => Err(fault.message),
                Err(_) => Err(String::from("the browser is gone")),
            }
        }
        .boxed()
    }

    fn give_back(&self, root: &RunId, by: &SessionId) -> BoxFuture<'static, Changes> {
        let (found, holder) = (self.find(root), by.clone());
        async move {
            let Some(browser) = found.await else { return Changes::default() };
            let changes = browser.send(HandBack { holder: Some(holder) }).await;
            // What changed cannot be told then; the page is the run's again all the same.
            changes.ok().and_then(Result::ok).unwrap_or_default()
        }
        .boxed()
    }
}

/// What the agent is told: what changed, never what was typed.
pub fn words(changes: &Changes) -> String {
    let mut parts = Vec::new();
    if let Some((from, to)) = &changes.url {
        parts.push(format!("the page went from {from} to {to}"));
    }
    if let Some((_, to)) = &changes.title {
        parts.push(format!("its title is now \"{to}\""));
    }
    if !changes.fields.is_empty() {
        parts.push(format!("these fields were changed: {}", changes.fields.join(", ")));
    }
    if parts.is_empty() {
        parts.push(String::from("nothing on the page looks different"));
    }
    format!("The person handed the page back; {}.", parts.join("; "))
}
