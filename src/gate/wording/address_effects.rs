//! Effects that a GET address states by its words: "/logout", "/items/3/delete", "?action=trash&post=5".

use crate::gate::meaning::intent::Intent;
use crate::gate::wording::address_words::{self, VerbKind};
use crate::gate::wording::name_intents;
use crate::page::request_body::{OperationKind, read_query_graphql};
use url::Url;

/// Endings of programs on servers, which say nothing about the effect.
const PROGRAM_ENDINGS: [&str; 17] = [
    "php", "php5", "asp", "aspx", "ashx", "jsp", "jspx", "jspa", "jsf", "do", "action", "cgi", "cfm", "html",
    "htm", "json", "xml",
];
/// Endings of files that only show.
const STATIC_ENDINGS: [&str; 21] = [
    "svg", "png", "jpg", "jpeg", "gif", "webp", "avif", "ico", "css", "js", "mjs", "map", "woff", "woff2",
    "ttf", "txt", "pdf", "mp4", "webm", "mp3", "md",
];
/// Places of texts about things, in which a slug is a title.
const READING_PLACES: [&str; 44] = [
    "help",
    "docs",
    "doc",
    "documentation",
    "reference",
    "manual",
    "search",
    "faq",
    "faqs",
    "guide",
    "guides",
    "tutorial",
    "tutorials",
    "kb",
    "knowledge",
    "learn",
    "handbook",
    "glossary",
    "intent",
    "sharer",
    "legal",
    "terms",
    "privacy",
    "examples",
    "hc",
    "blog",
    "wiki",
    "articles",
    "article",
    "news",
    "stories",
    "questions",
    "tags",
    "tag",
    "довідка",
    "допомога",
    "помощь",
    "справка",
    "hilfe",
    "aide",
    "ayuda",
    "aiuto",
    "pomoc",
    "ajuda",
];
/// Reading places whose items an application may also edit: an id before the verb names one.
const EDITED_PLACES: [&str; 8] =
    ["blog", "wiki", "articles", "article", "news", "stories", "questions", "tag"];
/// Query names whose value is an order.
const ORDER_NAMES: [&str; 22] = [
    "action",
    "_action",
    "action2",
    "do",
    "doaction",
    "act",
    "cmd",
    "command",
    "op",
    "operation",
    "task",
    "_task",
    "method",
    "_method",
    "mode",
    "event",
    "func",
    "todo",
    "aktion",
    "accion",
    "azione",
    "akcja",
];
/// Query names that only choose what is shown.
const VIEW_NAMES: [&str; 28] = [
    "lang",
    "language",
    "locale",
    "hl",
    "theme",
    "sort",
    "order",
    "orderby",
    "order_by",
    "page",
    "p",
    "tab",
    "next",
    "redirect",
    "return",
    "return_to",
    "ref",
    "from",
    "back",
    "q",
    "query",
    "search",
    "view",
    "filter",
    "limit",
    "offset",
    "version",
    "v",
];
/// Query names that carry what is paid, sent or confirmed.
const VALUE_NAMES: [&str; 33] = [
    "amount",
    "sum",
    "to",
    "recipient",
    "iban",
    "payee",
    "qty",
    "quantity",
    "price",
    "total",
    "value",
    "confirm",
    "confirmed",
    "sure",
    "slot",
    "seat",
    "seats",
    "invoice",
    "text",
    "body",
    "message",
    "email",
    "account",
    "item",
    "sku",
    "coins",
    "points",
    "credits",
    "сума",
    "сумма",
    "betrag",
    "montant",
    "importe",
];
/// Query names by which a script calls the address and waits for its answer.
const CALLBACK_NAMES: [&str; 3] = ["callback", "jsonp", "jsoncallback"];
/// Last parts of paths that read from a list, or fetch the form that asks about a command.
const READS_OF_THINGS: [&str; 5] = ["filter", "count", "search", "paginate", "form"];
/// Words of a verb segment that do not change it.
const FILLERS: [&str; 10] = ["do", "my", "the", "your", "this", "now", "all", "ajax", "confirm", "user"];

/// Returns what a GET address says that it does; `None` for addresses that only show.
pub fn address_effect(url: &Url) -> Option<Intent> {
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let address = Address::read(url);
    if address.is_static {
        return address.order_effect();
    }
    if address.is_confirm_page(url) {
        return None;
    }
    let stated = address.query_effect().or_else(|| address.path_effect());
    stated.or_else(|| mutation_effect(url)).filter(|intent| *intent != Intent::Cart)
}

/// Returns the effect of a GraphQL mutation in the query.
fn mutation_effect(url: &Url) -> Option<Intent> {
    let operations = read_query_graphql(url);
    operations.iter().any(|operation| operation.kind == OperationKind::Mutation).then_some(Intent::Commit)
}

/// True if fetching the address may do something, as its words say.
pub fn is_effectful_address(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| address_effect(&url).is_some())
}

struct Address {
    segments: Vec<String>,
    query: Vec<(String, String)>,
    is_static: bool,
}

impl Address {
    fn read(url: &Url) -> Self {
        let mut segments = address_words::decode_segments(url);
        let ending = segments.last().and_then(|last| last.rsplit_once('.'));
        let ending = ending.map(|(name, ending)| (name.to_owned(), ending.to_ascii_lowercase()));
        let is_static = ending.as_ref().is_some_and(|(_, ending)| STATIC_ENDINGS.contains(&ending.as_str()));
        if let (Some((name, ending)), Some(last)) = (ending, segments.last_mut())
            && PROGRAM_ENDINGS.contains(&ending.as_str())
        {
            *last = name;
        }
        let query =
            url.query_pairs().map(|(name, value)| (name.to_lowercase(), value.into_owned())).collect();
        Self { segments, query, is_static }
    }

    /// True for pages of known applications that ask first: the admin of Django, MediaWiki's forms.
    fn is_confirm_page(&self, url: &Url) -> bool {
        self.segments.len() == 5
            && self.segments[0] == "admin"
            && self.segments[4] == "delete"
            && url.path().ends_with('/')
            && self.query.is_empty()
    }

    /// Returns the effect that the query of a file orders; other words of such an address are names.
    fn order_effect(&self) -> Option<Intent> {
        let orders = self.query.iter().filter(|(name, _)| ORDER_NAMES.contains(&name.as_str()));
        orders.filter_map(|(_, value)| order_intent(value)).next()
    }

    fn query_effect(&self) -> Option<Intent> {
        let mut confirmed = false;
        for (name, value) in &self.query {
            if is_off(value) {
                continue;
            }
            if ORDER_NAMES.contains(&name.as_str()) {
                if let Some(intent) = order_intent(value) {
                    return Some(intent);
                }
                continue;
            }
            confirmed |= matches!(name.as_str(), "confirm" | "confirmed" | "sure") && is_on(value);
            // In English who pays, by which a list is searched; in French an order.
            let is_person = name == "payer" && self.has_query_name(&["search", "q"]);
            if let Some(intent) = flag_intent(name).filter(|_| !is_person) {
                return Some(intent);
            }
        }
        let named = self.verbs_in_path().into_iter().map(|(intent, _)| intent).next();
        confirmed.then(|| named.unwrap_or(Intent::Commit))
    }

    fn path_effect(&self) -> Option<Intent> {
        let at = self.verb_position()?;
        let before = &self.segments[..at];
        let place = before.iter().map(|part| part.to_lowercase());
        let reading = place.clone().any(|part| READING_PLACES.contains(&part.as_str()));
        let edited = place.clone().any(|part| EDITED_PLACES.contains(&part.as_str()));
        let dated = before.iter().any(|part| is_year(part));
        let date = |part: &str| dated && (is_year(part) || part.len() <= 2);
        let id_before = before.iter().any(|part| address_words::is_id(part) && !date(part));
        let reading = reading && !self.segments[at].to_lowercase().starts_with("special:");
        if reading && !(edited && id_before) || self.is_of_cart() {
            return None;
        }
        let named_before = id_before || names_thing(before);
        let id_after = at + 1 < self.segments.len();
        let is_call = self.has_query_name(&CALLBACK_NAMES);
        let named = named_before || id_after || self.names_by_query() || ends_in_singleton(before);
        let valued = is_call || self.has_query_name(&VALUE_NAMES);
        let counts = |kind: VerbKind| match kind {
            VerbKind::Always => true,
            VerbKind::Named => named,
            VerbKind::After => named_before,
            VerbKind::Valued => valued,
        };
        verbs_of_segment(&self.segments[at])
            .into_iter()
            .find(|(_, kind)| counts(*kind))
            .map(|(intent, _)| intent)
    }

    /// Returns the position of the last segment that is no id, if it is a verb.
    fn verb_position(&self) -> Option<usize> {
        let at = self.segments.iter().rposition(|part| !address_words::is_id(part))?;
        let verb = |at: usize| !verbs_of_segment(&self.segments[at]).is_empty();
        if verb(at) {
            return Some(at);
        }
        // "/unsubscribe/olena": the last word may be the thing.
        let before = at.checked_sub(1)?;
        // "/block_types/filter" reads kinds of blocks, "/delete_tasks/form" fetches a form.
        let is_thing = || address_words::split_words(&self.segments[before]).len() > 1;
        if READS_OF_THINGS.contains(&self.segments[at].to_lowercase().as_str()) && is_thing() {
            return None;
        }
        (verb(before) && self.segments.len() == at + 1 && !self.segments[at].contains(['-', '_']))
            .then_some(before)
    }

    fn has_query_name(&self, names: &[&str]) -> bool {
        self.query.iter().any(|(name, _)| names.contains(&name.as_str()))
    }

    fn verbs_in_path(&self) -> Vec<(Intent, VerbKind)> {
        self.verb_position().map(|at| verbs_of_segment(&self.segments[at])).unwrap_or_default()
    }

    fn is_of_cart(&self) -> bool {
        const PLACES: [&str; 6] = ["cart", "basket", "wishlist", "compare", "bag", "кошик"];
        self.segments.iter().any(|part| PLACES.contains(&part.to_lowercase().as_str()))
    }

    fn names_by_query(&self) -> bool {
        self.query.iter().any(|(name, value)| {
            !value.is_empty() && !VIEW_NAMES.contains(&name.as_str()) && !name.starts_with("utm_")
        })
    }
}

/// Returns the verbs of a path segment. A slug of more words is a title.
fn verbs_of_segment(segment: &str) -> Vec<(Intent, VerbKind)> {
    let special = segment.to_lowercase().starts_with("special:");
    let words = address_words::split_words(if special { &segment[8..] } else { segment });
    let whole = address_words::find_verb(&words);
    if !whole.is_empty() {
        return whole.to_vec();
    }
    let bare: Vec<String> = words.iter().filter(|word| !FILLERS.contains(&word.as_str())).cloned().collect();
    if bare.is_empty() || bare.len() > 2 || words.len() > 3 {
        return Vec::new();
    }
    let whole = address_words::find_verb(&bare);
    if !whole.is_empty() {
        return whole.to_vec();
    }
    let strong = |verbs: &[(Intent, VerbKind)]| {
        let kinds =
            verbs.iter().filter(|(intent, kind)| *kind == VerbKind::Named && *intent != Intent::SignOut);
        kinds.copied().collect::<Vec<_>>()
    };
    let found = bare.iter().map(|word| strong(address_words::find_verb(std::slice::from_ref(word))));
    let found = found.into_iter().find(|verbs| !verbs.is_empty());
    found.or_else(|| method_verbs(segment, &bare)).unwrap_or_else(|| phrase_verbs(&bare))
}

/// Returns the verbs that begin the name of a method, which has its object behind it: "CancelOrder".
fn method_verbs(segment: &str, words: &[String]) -> Option<Vec<(Intent, VerbKind)>> {
    let is_camel_case = segment.chars().all(char::is_alphanumeric) && words.len() == 2;
    let verbs = is_camel_case.then(|| address_words::find_verb(&words[..1]))?;
    let behind = verbs.iter().filter(|(_, kind)| *kind == VerbKind::After);
    let named: Vec<_> = behind.map(|(intent, _)| (*intent, VerbKind::Named)).collect();
    (!named.is_empty()).then_some(named)
}

/// Returns the meaning in the table of names, for languages and phrases that addresses spell like names.
fn phrase_verbs(words: &[String]) -> Vec<(Intent, VerbKind)> {
    if words.iter().all(|word| word.is_ascii()) {
        return Vec::new();
    }
    let kind = |intent: Intent| match intent {
        Intent::SignOut => Some(VerbKind::Always),
        Intent::Delete | Intent::DeleteAccount | Intent::Unsubscribe | Intent::Grant | Intent::Revoke => {
            Some(VerbKind::Named)
        }
        Intent::Transfer | Intent::Pay | Intent::Order | Intent::Buy | Intent::Book => Some(VerbKind::Valued),
        _ => None,
    };
    let intent = name_intents::read_name(&words.join(" ")).link_intent();
    intent.and_then(|intent| Some((intent, kind(intent)?))).into_iter().collect()
}

/// Returns the meaning of the value of `action=` and the like; also with the object glued on ("deleteuser").
fn order_intent(value: &str) -> Option<Intent> {
    const GLUED: [(&str, Intent); 9] = [
        ("delete", Intent::Delete),
        ("remove", Intent::Delete),
        ("logout", Intent::SignOut),
        ("unsubscribe", Intent::Unsubscribe),
        ("approve", Intent::Grant),
        ("publish", Intent::Post),
        ("activate", Intent::Commit),
        ("deactivate", Intent::Delete),
        ("rollback", Intent::Commit),
    ];
    const SHOWN: [&str; 8] =
        ["order", "booking", "payment", "newsletter-subscribe", "watch", "build", "report", "reply"];
    let value = value.to_lowercase();
    let glued = GLUED.iter().find(|(verb, _)| {
        value.strip_prefix(verb).is_some_and(|rest| !matches!(rest.chars().next(), Some('d' | 's' | 'r')))
    });
    if SHOWN.contains(&value.as_str()) || value.len() > 40 || value.contains("cart") {
        return None;
    }
    glued.map(|(_, intent)| *intent).or_else(|| verbs_of_segment(&value).first().map(|(intent, _)| *intent))
}

/// Returns the meaning of a query name that is an order itself: `?delete=12`.
fn flag_intent(name: &str) -> Option<Intent> {
    const NOT: [&str; 8] =
        ["discard", "empty", "confirm", "confirmation", "like", "enable", "block", "react"];
    let words = address_words::split_words(name);
    let verbs = address_words::find_verb(&words);
    let flag = |(intent, kind): &&(Intent, VerbKind)| {
        matches!(kind, VerbKind::Always | VerbKind::Named)
            || matches!(intent, Intent::Pay) && words.len() == 1
    };
    verbs.iter().filter(|_| !NOT.contains(&name)).find(flag).map(|(intent, _)| *intent)
}

fn is_off(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "0" | "false" | "no" | "off")
}

fn is_on(value: &str) -> bool {
    !is_off(value) && !value.is_empty()
}

fn is_year(part: &str) -> bool {
    part.len() == 4 && (part.starts_with("19") || part.starts_with("20"))
}

/// True if the path ends in a kind and a name: "users/mallory".
fn names_thing(before: &[String]) -> bool {
    const KINDS: [&str; 26] = [
        "user",
        "item",
        "post",
        "group",
        "topic",
        "member",
        "profile",
        "team",
        "page",
        "project",
        "job",
        "tariff",
        "plan",
        "option",
        "service",
        "subscription",
        "feature",
        "plugin",
        "module",
        "package",
        "device",
        "lamp",
        "server",
        "container",
        "branch",
        "card",
    ];
    let [.., kind, _] = before else { return false };
    let kind = kind.to_lowercase();
    KINDS.contains(&kind.as_str()) || (kind.len() > 3 && kind.ends_with('s') && kind != "settings")
}

/// True if the path ends in a thing of which the visitor has one: "account/delete".
fn ends_in_singleton(before: &[String]) -> bool {
    const THINGS: [&str; 9] =
        ["account", "profile", "me", "session", "history", "trash", "spam", "konto", "акаунт"];
    before.last().is_some_and(|last| THINGS.contains(&last.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_act_are_told_from_addresses_that_show() {
        let cases = include_str!("tables/address_cases.txt");
        let rows: Vec<(&str, &str)> = cases
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once(' '))
            .collect();
        assert!(rows.len() >= 120);
        let wrong = rows.iter().filter(|(is, address)| {
            let url = Url::parse(&format!("https://alpha.example{address}")).unwrap();
            (*is == "acts") != address_effect(&url).is_some()
        });
        assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&(&str, &str)>::new());
    }

    #[test]
    fn an_address_names_its_kind_of_effect() {
        for (address, intent) in [
            ("/logout", Intent::SignOut),
            ("/transfer?to=a&amount=1", Intent::Transfer),
            ("/keys/4/revoke", Intent::Revoke),
            ("/account/delete?confirm=yes", Intent::Delete),
            ("/posts/hello-world/like", Intent::Mark),
        ] {
            let url = Url::parse(&format!("https://alpha.example{address}")).unwrap();
            assert_eq!(address_effect(&url), Some(intent), "{address}");
        }
    }
}
