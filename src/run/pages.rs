//! The pages that people may take: those of browsers, or of a test.

use crate::browser::lease::{Changes, HandBack, Input, Take};
use crate::browser::supervisor::{Find, Open, Supervisor};
use crate::browser::{Browser, BrowserFact};
use crate::ids::{RunId, SessionId};
use crate::protocol::Locale;
use crate::store::{Store, StoreError};
use actix::{Actor, Addr, Context, Handler, Recipient};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::sync::Arc;

pub trait Pages: Send + Sync + 'static {
    /// Gives the page of a run tree to a person; answers with who takes their input, or why not.
    fn take(&self, root: &RunId, by: &SessionId) -> BoxFuture<'static, Result<Recipient<Input>, String>>;

    /// Takes the page back from them. Without harm if they do not have it.
    fn give_back(&self, root: &RunId, by: &SessionId) -> BoxFuture<'static, Changes>;
}

/// Those of the browsers. One that went with an earlier process is opened where it stood.
pub struct OfBrowsers {
    pub supervisor: Addr<Supervisor>,
    pub store: Arc<dyn Store>,
}

impl OfBrowsers {
    fn find(&self, root: &RunId) -> BoxFuture<'static, Option<Addr<Browser>>> {
        let found = self.supervisor.send(Find { owner: root.clone() });
        async move { found.await.ok().flatten() }.boxed()
    }

    fn open(&self, root: &RunId) -> BoxFuture<'static, Result<Addr<Browser>, String>> {
        let (found, supervisor) = (self.find(root), self.supervisor.clone());
        let (store, owner) = (Arc::clone(&self.store), root.clone());
        async move {
            if let Some(browser) = found.await {
                return Ok(browser);
            }
            let words = |fault: StoreError| fault.to_string();
            let snapshot = store.browser(owner.clone()).await.map_err(words)?;
            let run = store.run(owner.clone()).await.map_err(words)?;
            let (Some(snapshot), Some(run)) = (snapshot, run) else {
                return Err(String::from("the run has no page open yet"));
            };
            let snapshot = serde_json::from_value(snapshot).ok();
            let languages = Some(Locale::of_input(&run.input).languages());
            // The run hears of it from when it opens its browser itself, and counts its looks then.
            let open = Open { owner, snapshot, facts: Unheard.start().recipient(), languages, looks: 0 };
            let opened = supervisor.send(open).await.map_err(|_| String::from("the service is stopping"))?;
            opened.map_err(|fault| fault.to_string())
        }
        .boxed()
    }
}

/// Stands for a run that is not at work.
struct Unheard;

impl Actor for Unheard {
    type Context = Context<Self>;
}

impl Handler<BrowserFact> for Unheard {
    type Result = ();

    fn handle(&mut self, _: BrowserFact, _: &mut Self::Context) {}
}

impl Pages for OfBrowsers {
    fn take(&self, root: &RunId, by: &SessionId) -> BoxFuture<'static, Result<Recipient<Input>, String>> {
        let (opened, holder) = (self.open(root), by.clone());
        async move {
            let browser = opened.await?;
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
pub fn words(changes: &Changes, locale: Locale) -> String {
    let mut parts = differences(changes, locale);
    if parts.is_empty() {
        let none = locale.pick("на вигляд нічого не змінилося", "nothing on it looks different");
        parts.push(none.to_owned());
    }
    let parts = parts.join("; ");
    match locale {
        Locale::Uk => format!("Людина повернула сторінку; {parts}."),
        Locale::En => format!("The person handed the page back; {parts}."),
    }
}

fn differences(changes: &Changes, locale: Locale) -> Vec<String> {
    let uk = locale == Locale::Uk;
    let url = changes.url.as_ref().map(|(from, to)| {
        if uk {
            format!("сторінка перейшла з {from} на {to}")
        } else {
            format!("the page went from {from} to {to}")
        }
    });
    let title = changes.title.as_ref().map(|(_, to)| {
        if uk { format!("її назва тепер «{to}»") } else { format!("its title is now \"{to}\"") }
    });
    let fields = (!changes.fields.is_empty()).then(|| {
        let fields = changes.fields.join(", ");
        if uk {
            format!("змінено поля: {fields}")
        } else {
            format!("these fields were changed: {fields}")
        }
    });
    let tabs = changes.tabs.map(|(from, to)| {
        if uk {
            format!("вкладок було {from}, тепер {to}")
        } else {
            format!("open tabs: {from}, now {to}")
        }
    });
    [url, title, fields, tabs].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_what_changed_in_the_language_of_the_run() {
        let changes = Changes {
            url: Some((String::from("http://a/"), String::from("http://b/"))),
            title: Some((String::from("A"), String::from("B"))),
            fields: vec![String::from("Login"), String::from("Code")],
            tabs: Some((1, 2)),
        };
        let report = words(&changes, Locale::En);
        assert_eq!(
            report,
            "The person handed the page back; the page went from http://a/ to http://b/; \
             its title is now \"B\"; these fields were changed: Login, Code; open tabs: 1, now 2."
        );
        let report = words(&changes, Locale::Uk);
        assert!(
            report.contains("«B»") && report.contains("змінено поля: Login, Code; вкладок було 1, тепер 2."),
            "{report}"
        );
        let report = words(&Changes::default(), Locale::Uk);
        assert_eq!(report, "Людина повернула сторінку; на вигляд нічого не змінилося.");
    }
}
