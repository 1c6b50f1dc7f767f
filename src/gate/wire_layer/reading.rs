//! Reading of a request: its destination, its values, and what it carries.

use crate::gate::wire_layer::body_changes::BodyChanges;
use crate::gate::wire_layer::proposed_request::ProposedRequest;
use crate::gate::wording::{address_patterns, address_words};
use crate::page::outgoing_request::{OutgoingRequest, RequestKind};
use crate::page::request_body::{
    self, BodyValue, GraphqlOperation, RequestBody, names_operation, tells_json_calls_apart,
};
use crate::page::site::is_same_site;
use std::borrow::Cow;
use url::Url;

/// Shortest typed text that is looked for in requests, in characters.
const SHORTEST_TYPED: usize = 3;

/// A request as it was read.
#[derive(Clone, Debug, Default)]
pub struct RequestReading {
    pub url: Option<Url>,
    /// Values of the query, and then those of the body.
    pub values: Vec<BodyValue>,
    /// Number of values of the query.
    pub query_values: usize,
    pub graphql: Vec<GraphqlOperation>,
    /// True if the body cannot be shown as values.
    pub is_opaque: bool,
    /// Words of the path, of the operation and of the called method, in lower case. Of a message of a socket only
    /// those of the operation: its address is the same for all.
    pub words: Vec<String>,
    /// Called methods and operations, as the values name them.
    pub calls: Vec<String>,
    /// True if a person may have chosen them in a form, so that they do not say what the request does.
    pub are_calls_chosen: bool,
    /// True if it goes to the site of the page that sends it.
    pub is_same_site: bool,
    pub is_telemetry: bool,
    /// True if it carries text that the agent typed.
    pub carries_typed: bool,
    /// Differences from the state that the page sent before; `None` if there is nothing to compare with.
    pub changes: Option<BodyChanges>,
}

impl RequestReading {
    /// Reads a request.
    pub fn read(proposed: &ProposedRequest) -> Self {
        let request = &proposed.request;
        let url = Url::parse(&request.url).ok();
        let body = request_body::read_body(&request.content_type, request.body.as_deref(), request.size);
        let (is_opaque, body) = match body {
            RequestBody::Opaque { .. } => (true, None),
            RequestBody::Empty => (false, None),
            RequestBody::Values(values) => (false, Some(values)),
        };
        let query = read_query(request, url.as_ref());
        let (mut values, mut graphql) = body.map(|body| (body.values, body.graphql)).unwrap_or_default();
        // Beside a body, a query in the address does not say what the request does.
        if graphql.is_empty() && values.is_empty() && !is_opaque && !request.is_message() {
            graphql = url.as_ref().map(request_body::read_query_graphql).unwrap_or_default();
        }
        let words = match request.is_message() {
            true => words_of_message(&values, &graphql),
            false => words_of(url.as_ref(), &values, &query, &graphql),
        };
        let named = values.iter().chain(&query).filter(|value| names_operation(&value.name));
        let calls: Vec<String> = named.map(|value| value.value.clone()).collect();
        let query_values = query.len();
        values.splice(0..0, query);
        let is_same_site = url.as_ref().is_some_and(|url| is_own_site(proposed, url));
        let carries_typed = carries_any(proposed, is_same_site, &values, query_values);
        Self {
            is_same_site,
            is_telemetry: url.as_ref().is_some_and(|url| is_telemetry(request, url, carries_typed)),
            changes: BodyChanges::find(proposed),
            url,
            values,
            query_values,
            graphql,
            is_opaque,
            words,
            are_calls_chosen: are_calls_chosen(request, &calls),
            calls,
            carries_typed,
        }
    }

    /// Returns the values of the body.
    pub fn body_values(&self) -> &[BodyValue] {
        self.values.get(self.query_values..).unwrap_or_default()
    }

    /// True if it carries typed text to another site, other than telemetry that counts visits.
    pub fn carries_typed_elsewhere(&self, proposed: &ProposedRequest) -> bool {
        self.carries_typed
            && !self.is_same_site
            && !proposed.request.kind.is_navigation()
            && !self.is_telemetry
    }
}

/// True if what names an operation may be a field that a person chose, such as the method of a request that is to be made
/// later: one of a form that a page submits, or a method of HTTP alone in what a script sends as a form.
fn are_calls_chosen(request: &OutgoingRequest, calls: &[String]) -> bool {
    let is_submitted = request.kind.is_navigation() && !request.is_safe_method();
    let is_form = request.content_type.to_ascii_lowercase().contains("form");
    let is_method = |call: &String| ["get", "head"].iter().any(|one| call.eq_ignore_ascii_case(one));
    is_submitted || is_form && calls.iter().any(is_method)
}

/// Returns the values of the query. That of a socket is the same for all its messages, so that it says nothing.
fn read_query(request: &OutgoingRequest, url: Option<&Url>) -> Vec<BodyValue> {
    url.filter(|_| !request.is_message()).map(request_body::read_query).unwrap_or_default()
}

fn is_telemetry(request: &OutgoingRequest, url: &Url, carries_typed: bool) -> bool {
    // A form that the page itself sends asks for another document; forms in frames report to known hosts alone.
    let posts_form = request.kind.is_navigation() && request.method != "GET";
    let goes_there = posts_form && request.kind == RequestKind::Navigation;
    let by_path = !carries_typed && !posts_form && !request.is_message();
    !goes_there
        && (address_patterns::is_telemetry_host(url) || (by_path && address_patterns::is_telemetry(url)))
}

fn is_own_site(proposed: &ProposedRequest, url: &Url) -> bool {
    let senders = [&proposed.request.document, &proposed.request.page, &proposed.cause.proposed.page.url];
    let sender = senders.into_iter().find(|sender| !sender.is_empty());
    sender.and_then(|sender| Url::parse(sender).ok()).is_some_and(|sender| is_same_site(&sender, url))
}

/// True if the request carries text that the agent typed. In the body of a request to the page's own site the path of the
/// page does not count, nor its end: it may be called like a thing that was typed into a form.
fn carries_any(
    proposed: &ProposedRequest,
    is_same_site: bool,
    values: &[BodyValue],
    query_values: usize,
) -> bool {
    let request = &proposed.request;
    let page = Url::parse(&request.page).ok().filter(|_| is_same_site);
    let is_own_path = |text: &str| {
        let is_path = text.starts_with('/') && text.len() > 1;
        is_path && page.as_ref().is_some_and(|page| page.path().ends_with(text))
    };
    let is_own = |(place, value): &(usize, &BodyValue)| *place >= query_values && is_own_path(&value.value);
    let (own, others): (Vec<_>, Vec<_>) = values.iter().enumerate().partition(is_own);
    let mut body = request.body.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    for (_, value) in own {
        body = Cow::Owned(body.replace(&value.value, ""));
    }
    let texts = [request.url.as_str(), &*body];
    let texts = || texts.into_iter().chain(others.iter().map(|(_, value)| value.value.as_str()));
    let mut long = proposed.typed.iter().filter(|text| text.chars().count() >= SHORTEST_TYPED);
    long.any(|typed| texts().any(|text| text.contains(typed.as_str())))
}

fn words_of(
    url: Option<&Url>,
    values: &[BodyValue],
    query: &[BodyValue],
    graphql: &[GraphqlOperation],
) -> Vec<String> {
    let mut words = Vec::new();
    if let Some(url) = url {
        address_words::decode_segments(url).iter().for_each(|part| push_words(&mut words, part));
    }
    let calls = values.iter().chain(query).filter(|value| names_operation(&value.name));
    calls.for_each(|value| push_words(&mut words, &value.value));
    for operation in graphql {
        push_words(&mut words, &operation.name);
        operation.fields.iter().for_each(|field| push_words(&mut words, field));
    }
    words
}

/// Returns the words of the operation that a message names, at any depth.
fn words_of_message(values: &[BodyValue], graphql: &[GraphqlOperation]) -> Vec<String> {
    let mut words = Vec::new();
    let is_call =
        |value: &&BodyValue| value.name.rsplit(['.', '[', ']']).next().is_some_and(tells_json_calls_apart);
    values.iter().filter(is_call).for_each(|value| push_words(&mut words, &value.value));
    for operation in graphql {
        push_words(&mut words, &operation.name);
        operation.fields.iter().for_each(|field| push_words(&mut words, field));
    }
    words
}

/// Adds the words of a path or name: parts between other characters than letters and digits, and at a capital
/// after a small letter.
pub(crate) fn push_words(words: &mut Vec<String>, text: &str) {
    let mut word = String::new();
    let mut before = ' ';
    for letter in text.chars() {
        let begins = letter.is_uppercase() && before.is_lowercase();
        if (begins || !letter.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    if !word.is_empty() {
        words.push(word);
    }
}
