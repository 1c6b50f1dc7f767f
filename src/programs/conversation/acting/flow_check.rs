//! The flow layer of the gate: text that the run tree read on one site does not go to another unasked.

use crate::gate::action_judge::FindFlow;
use crate::gate::flow::addresses::{find_foreign_in_address, find_foreign_in_link, split_address};
use crate::gate::flow::crossing::{Flow, FoundFlow};
use crate::gate::flow::explain::{FlowSources, find_foreign_text};
use crate::gate::flow::read_texts::TextSource;
use crate::gate::flow::reading::decoders::decode_percent;
use crate::gate::flow::sent_pieces::{PiecePlace, SentPiece, SentPieces, pieces_of_address};
use crate::gate::flow::tree_texts::TreeTexts;
use crate::page::site::{Site, site_of, site_of_url};
use crate::page::target::{Form, Target};
use crate::page::url::parse_typed_url;
use crate::programs::conversation::host_context::person_messages;
use crate::programs::conversation::visit_context::VisitContext;
use crate::record;
use crate::turn::action::{Action, BrowserAction, PageAction, TabOperation};
use crate::turn::page_input::fields::FieldInput;
use crate::turn::page_input::mouse::Button;
use crate::turn::page_input::points::PointAction;
use crate::turn::page_input::tool_arguments::list_values;
use std::sync::Arc;
use url::Url;

/// Shortest typed text that is looked for in addresses, in characters.
const SHORTEST_TYPED: usize = 3;

/// Value that an action sends, with its destination.
enum Outgoing<'a> {
    /// Address that the planner wrote.
    Address(Url),
    /// Link that a page offers, and the page's site.
    Link(Url, Site),
    /// Text or key that the action enters, and the page's site.
    Entered(SentPiece, Site),
    /// Form that the action sends to another site.
    Form(&'a Form, Site),
    Files(&'a [String], Site),
}

/// Returns the text that the action would take to another site, unless the person has consented to the pair of sites.
pub fn find_flow(cx: &VisitContext, action: &Action, target: Option<&Target>) -> Option<Flow> {
    record::record_value("flow", || {
        let texts = &cx.deps.texts;
        let outgoing = read_outgoing(action, target);
        let found: Vec<FoundFlow> =
            outgoing.iter().filter_map(|outgoing| find_foreign(texts, action, outgoing)).collect();
        found.into_iter().find_map(|found| texts.unless_consented(found))
    })
}

/// Records what an action sends: later ones may send other pieces of the same text.
pub fn record_sent(cx: &VisitContext, action: &Action, target: Option<&Target>) {
    for outgoing in read_outgoing(action, target) {
        match &outgoing {
            Outgoing::Address(url) => {
                let Some(site) = site_of_url(url) else { continue };
                cx.deps.texts.add_sent(&TextSource::Site(site), &pieces_of_address(&split_address(url)));
            }
            // Text known to be foreign was asked about, and would hide the pieces that follow.
            Outgoing::Entered(piece, site) if find_foreign(&cx.deps.texts, action, &outgoing).is_none() => {
                cx.deps.texts.add_sent(&TextSource::Site(site.clone()), std::slice::from_ref(piece));
            }
            Outgoing::Entered(..) | Outgoing::Link(..) | Outgoing::Form(..) | Outgoing::Files(..) => {}
        }
    }
}

/// Adds what the person has said to the words of the run tree.
pub fn add_persons_words(cx: &VisitContext) {
    let texts = &cx.deps.texts;
    person_messages(&cx.state.messages, cx.deps.caller.is_some()).for_each(|text| texts.add_message(text));
    cx.state.answers.values().filter_map(|answer| answer.as_str()).for_each(|text| texts.add_message(text));
}

/// Returns the function that finds typed text in an address to which a page of another site goes by itself.
pub fn navigation_check(cx: &VisitContext) -> FindFlow {
    let texts = Arc::clone(&cx.deps.texts);
    Arc::new(move |url| {
        let to = TextSource::Site(site_of_url(url)?);
        let parts = split_address(url);
        let decoded: Vec<String> = parts.list_texts().into_iter().map(decode_part).collect();
        let typed = texts.typed();
        let carried = typed.iter().filter(|text| {
            text.chars().count() >= SHORTEST_TYPED && decoded.iter().any(|part| part.contains(text.as_str()))
        });
        let carried: Vec<&str> = carried.map(String::as_str).collect();
        let foreign = texts.explain(|sources, _| find_foreign_text(&carried, &to, sources))?;
        texts.unless_consented(FoundFlow { from: foreign.from, to, text: foreign.text })
    })
}

fn decode_part(part: &str) -> String {
    decode_percent(part).unwrap_or_else(|| part.to_owned())
}

/// Returns what an action sends.
fn read_outgoing<'a>(action: &'a Action, target: Option<&'a Target>) -> Vec<Outgoing<'a>> {
    match action {
        Action::Browser(
            BrowserAction::Navigate { url }
            | BrowserAction::Tab { operation: TabOperation::New, url: Some(url), .. },
        ) => parse_typed_url(url).map(Outgoing::Address).into_iter().collect(),
        Action::Page(page_action) => {
            let Some(target) = target else { return Vec::new() };
            let mut outgoing = read_page_action(page_action, target);
            let entered = |option: &str, to: &Site| {
                Outgoing::Entered((PiecePlace::TypedText, option.to_owned()), to.clone())
            };
            let to = form_site(page_action, target);
            for site in site_of(&target.page).into_iter().chain(to) {
                outgoing.extend(options_typed(action, target).iter().map(|option| entered(option, &site)));
            }
            outgoing
        }
        Action::Browser(_) | Action::Person(_) | Action::Agent(_) => Vec::new(),
    }
}

/// Returns the options that are typed into fields with suggestions: a page sends such a text as it sends any other. Options of
/// closed lists are the page's own.
pub fn options_typed<'a>(action: &'a Action, target: &Target) -> Vec<&'a str> {
    let is_typed = |eid: u32| target.element(eid).is_some_and(|list| list.editable);
    let options = action.chosen_options().into_iter().filter(|(eid, _)| is_typed(*eid));
    options.map(|(_, option)| option).collect()
}

fn read_page_action<'a>(action: &'a PageAction, target: &'a Target) -> Vec<Outgoing<'a>> {
    let Some(page) = site_of(&target.page) else { return Vec::new() };
    let typed = |text: &str| Outgoing::Entered((PiecePlace::TypedText, text.to_owned()), page.clone());
    let entered: Vec<Outgoing<'a>> = match action {
        PageAction::Click { click, .. } | PageAction::Point(PointAction::Click { click, .. })
            if click.button != Button::Right =>
        {
            let url = target.destination.as_deref().and_then(|url| Url::parse(url).ok());
            url.map(|url| Outgoing::Link(url, page.clone())).into_iter().collect()
        }
        PageAction::Type { text, .. }
        | PageAction::Point(PointAction::Type { text, .. })
        | PageAction::Dialog { accept: true, text: Some(text) } => vec![typed(text)],
        PageAction::Tool { arguments, .. } => {
            list_values(arguments).iter().map(|(_, value)| typed(value)).collect()
        }
        PageAction::Fill { fields, .. } => fields.iter().filter_map(FieldInput::text).map(typed).collect(),
        PageAction::Press { key } if key.chars().count() == 1 => {
            vec![Outgoing::Entered((PiecePlace::Key, key.clone()), page.clone())]
        }
        PageAction::Upload { files, .. } => vec![Outgoing::Files(files, page.clone())],
        _ => Vec::new(),
    };
    let form = target.form.as_ref().zip(form_site(action, target));
    entered.into_iter().chain(form.map(|(form, to)| Outgoing::Form(form, to))).collect()
}

/// Returns the other site to which the action sends the form of its element.
fn form_site(action: &PageAction, target: &Target) -> Option<Site> {
    let form = target.form.as_ref().filter(|_| sends_form(action, target))?;
    let page = site_of(&target.page)?;
    site_of(&form.action).filter(|to| *to != page)
}

/// True if the action sends the form of its element.
fn sends_form(action: &PageAction, target: &Target) -> bool {
    match action {
        PageAction::Click { .. } | PageAction::Point(PointAction::Click { .. }) => {
            target.submits || target.sends_itself
        }
        PageAction::Press { key } => key == "Enter" || target.submits,
        PageAction::Type { submit, .. } | PageAction::Point(PointAction::Type { submit, .. }) => {
            *submit || target.sends_itself
        }
        PageAction::Fill { submit, .. } => {
            *submit || std::iter::once(target).chain(&target.others).any(|field| field.sends_itself)
        }
        PageAction::Select { .. } => target.sends_itself,
        PageAction::Upload { .. }
        | PageAction::Hover { .. }
        | PageAction::Drag { .. }
        | PageAction::SelectText { .. }
        | PageAction::Point(PointAction::Hover { .. } | PointAction::Drag { .. })
        | PageAction::Scroll { .. }
        | PageAction::Wait { .. }
        | PageAction::Find { .. }
        | PageAction::Tool { .. }
        | PageAction::Dialog { .. }
        | PageAction::Extract { .. } => false,
    }
}

/// Returns the foreign text of what an action sends.
fn find_foreign(texts: &TreeTexts, action: &Action, outgoing: &Outgoing<'_>) -> Option<FoundFlow> {
    match outgoing {
        Outgoing::Address(url) => texts.explain(|sources, sent| {
            let part = find_foreign_in_address(url, sources);
            let found = part.map(|part| FoundFlow {
                from: part.foreign.from,
                to: TextSource::Site(part.to),
                text: part.foreign.text,
            });
            found.or_else(|| {
                let pieces = pieces_of_address(&split_address(url));
                find_in_pieces(&pieces, &site_of_url(url)?, sources, sent)
            })
        }),
        Outgoing::Link(url, page) => {
            let part = texts.explain(|sources, _| find_foreign_in_link(url, page, sources))?;
            Some(FoundFlow {
                from: part.foreign.from,
                to: TextSource::Site(part.to),
                text: part.foreign.text,
            })
        }
        Outgoing::Entered(piece, to) => texts.explain(|sources, sent| {
            find_in_values(&[&piece.1], to, sources)
                .or_else(|| find_in_pieces(std::slice::from_ref(piece), to, sources, sent))
        }),
        Outgoing::Form(form, to) => {
            let typed = texts.typed();
            let fields = form.fields.iter().map(|field| &field.value);
            let shown = fields.filter(|value| typed.contains(value)).map(String::as_str);
            let values: Vec<&str> =
                shown.chain(action.typed_texts().into_iter().map(|(_, text)| text)).collect();
            texts.explain(|sources, _| find_in_values(&values, to, sources))
        }
        Outgoing::Files(names, to) => find_in_files(texts, names, to),
    }
}

fn find_in_values(values: &[&str], to: &Site, sources: &FlowSources<'_>) -> Option<FoundFlow> {
    let to = TextSource::Site(to.clone());
    let foreign = find_foreign_text(values, &to, sources)?;
    Some(FoundFlow { from: foreign.from, to, text: foreign.text })
}

fn find_in_pieces(
    pieces: &[SentPiece],
    to: &Site,
    sources: &FlowSources<'_>,
    sent: &SentPieces,
) -> Option<FoundFlow> {
    let to = TextSource::Site(to.clone());
    let foreign = pieces.iter().find_map(|piece| sent.find_foreign(&to, piece, sources))?;
    Some(FoundFlow { from: foreign.from, to, text: foreign.text })
}

/// Returns the files that were downloaded from, or written from text of, another site.
fn find_in_files(texts: &TreeTexts, names: &[String], to: &Site) -> Option<FoundFlow> {
    let to = TextSource::Site(to.clone());
    names.iter().find_map(|name| {
        let mut from = texts.list_file_sources(name);
        from.retain(|source| *source != to);
        (!from.is_empty()).then(|| FoundFlow { from, to: to.clone(), text: name.clone() })
    })
}
