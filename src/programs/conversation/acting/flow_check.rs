//! The flow layer of the gate: text that the run read on one site does not go to another unasked.

use crate::gate::flow::addresses::{find_foreign_in_address, find_foreign_in_link};
use crate::gate::flow::explain::{FlowSources, Sink, SinkKind, find_foreign_text};
use crate::gate::flow::named_hosts::names_both_ends;
use crate::gate::flow::read_texts::{ReadTexts, TextSource};
use crate::gate::flow::reading::text_index::TextIndex;
use crate::gate::flow::site::{Site, site_of};
use crate::page::target::Target;
use crate::page::url::parse_typed_url;
use crate::programs::conversation::host_context::person_messages;
use crate::programs::conversation::visit_context::VisitContext;
use crate::record;
use crate::turn::action::{Action, BrowserAction, Button, PageAction, TabOperation};
use serde::{Deserialize, Serialize};
use url::Url;

/// Text that an action would take from one site to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// Names of the sources: sites, files, tools, agents.
    pub from: Vec<String>,
    /// Site that the text would go to.
    pub to: String,
    pub text: String,
}

impl Flow {
    /// Returns the pairs of source and destination, as consents name them.
    pub fn pairs(&self) -> impl Iterator<Item = String> {
        self.from.iter().map(|from| format!("{from} → {}", self.to))
    }
}

/// Returns the text that the action would take to another site, unless the person has consented to the pair of sites.
pub fn find_flow(cx: &VisitContext, action: &Action, target: Option<&Target>) -> Option<Flow> {
    record::record_value("flow", || find_new_flow(cx, action, target))
}

fn find_new_flow(cx: &VisitContext, action: &Action, target: Option<&Target>) -> Option<Flow> {
    let words: Vec<&str> = person_messages(&cx.state.messages, cx.deps.caller.is_some()).collect();
    let answers: Vec<&str> = cx.state.answers.values().filter_map(|answer| answer.as_str()).collect();
    let own_words = TextIndex::from_texts(words.iter().chain(&answers).copied());
    let task = &cx.deps.task;
    let trusted = TextIndex::from_texts(task.goal.as_deref().into_iter().chain(task.start_url.as_deref()));
    let found = cx.deps.texts.with_read(|read| {
        let sources = FlowSources { own_words: &own_words, trusted: &trusted, read };
        find_foreign(action, target, &sources, read)
    })?;
    let (to, from, text) = found;
    let consents = |source: &TextSource| {
        words.iter().any(|message| names_both_ends(message, source, &to))
            || cx.state.consents.contains(&format!("{source} → {to}"))
    };
    let from: Vec<&TextSource> = from.iter().filter(|source| !consents(source)).collect();
    if from.is_empty() {
        return None;
    }
    let from = from.into_iter().map(ToString::to_string).collect();
    Some(Flow { from, to: to.to_string(), text })
}

type Found = (Site, Vec<TextSource>, String);

/// Returns what the action would send where, and the sources of the text.
fn find_foreign(
    action: &Action,
    target: Option<&Target>,
    sources: &FlowSources<'_>,
    read: &ReadTexts,
) -> Option<Found> {
    match action {
        Action::Browser(
            BrowserAction::Navigate { url }
            | BrowserAction::Tab { operation: TabOperation::New, url: Some(url), .. },
        ) => {
            let part = find_foreign_in_address(&parse_typed_url(url)?, sources)?;
            Some((part.to, part.foreign.from, part.foreign.text))
        }
        Action::Page(PageAction::Click { button: Button::Left | Button::Middle, .. }) => {
            let target = target?;
            let page = site_of(&target.page)?;
            let part =
                find_foreign_in_link(&Url::parse(target.destination.as_deref()?).ok()?, &page, sources)?;
            Some((part.to, part.foreign.from, part.foreign.text))
        }
        Action::Page(action) => {
            let (text, kind) = entered_text(action)?;
            let to = site_of(&target?.page)?;
            // Most runs read one site only.
            if read.list_sources() == [TextSource::Site(to.clone())] {
                return None;
            }
            let sink = Sink { to: TextSource::Site(to.clone()), kind };
            let foreign = find_foreign_text(&[text], &sink, sources)?;
            Some((to, foreign.from, foreign.text))
        }
        Action::Browser(_) | Action::Person(_) | Action::Agent(_) => None,
    }
}

/// Returns the text that an action enters into a page.
fn entered_text(action: &PageAction) -> Option<(&str, SinkKind)> {
    match action {
        PageAction::Type { text, .. } => Some((text, SinkKind::TypedText)),
        PageAction::Dialog { accept: true, text: Some(text) } => Some((text, SinkKind::DialogText)),
        _ => None,
    }
}
