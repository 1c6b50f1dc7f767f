//! Recognizes changes of the view alone: scroll positions, open panels, marks of reading. They change nothing for
//! anybody but the one who looks.

use crate::page::request_body::changes::ValueChange;
use crate::page::request_body::name_words::{contains_words, split_keys, split_words};

/// Words that make a name one of the view.
const VIEW_WORDS: &[&str] = &[
    "scroll",
    "scrolled",
    "scrolling",
    "collapsed",
    "collapse",
    "uncollapsed",
    "expanded",
    "minimized",
    "maximized",
    "sidebar",
    "zoom",
    "cursor",
    "caret",
    "focused",
    "viewport",
    "scrollx",
    "scrolly",
    "scrolltop",
    "scrollleft",
    "unread",
    "typing",
    "splitter",
    "breadcrumb",
    "hovered",
    "tooltip",
];

/// Phrases that make a name one of the view.
const VIEW_PHRASES: &[&[&str]] = &[
    &["active", "tab"],
    &["current", "tab"],
    &["selected", "tab"],
    &["open", "tab"],
    &["open", "tabs"],
    &["tab", "index"],
    &["last", "tab"],
    &["active", "panel"],
    &["open", "panel"],
    &["open", "panels"],
    &["panel", "size"],
    &["panel", "sizes"],
    &["panel", "width"],
    &["panel", "height"],
    &["pane", "size"],
    &["pane", "width"],
    &["relative", "sizes"],
    &["split", "ratio"],
    &["split", "size"],
    &["column", "width"],
    &["column", "widths"],
    &["col", "widths"],
    &["hidden", "columns"],
    &["visible", "columns"],
    &["shown", "columns"],
    &["window", "width"],
    &["window", "height"],
    &["window", "x"],
    &["window", "y"],
    &["window", "position"],
    &["window", "size"],
    &["screen", "width"],
    &["screen", "height"],
    &["view", "mode"],
    &["display", "mode"],
    &["last", "viewed"],
    &["last", "seen"],
    &["last", "read"],
    &["last", "visited"],
    &["last", "opened"],
    &["last", "active"],
    &["last", "activity"],
    &["recently", "viewed"],
    &["recently", "opened"],
    &["read", "marker"],
    &["mark", "as", "read"],
    &["marked", "read"],
    &["selected", "element"],
    &["selected", "elements"],
    &["selected", "row"],
    &["selected", "rows"],
    &["selected", "cell"],
    &["selected", "cells"],
    &["selected", "index"],
    &["selected", "node"],
    &["selected", "nodes"],
    &["selected", "layer"],
    &["selected", "block"],
    &["selected", "view"],
    &["selected", "panel"],
    &["selected", "group", "ids"],
    &["selected", "linear", "element"],
    &["selection", "start"],
    &["selection", "end"],
    &["previous", "selected"],
    &["sort", "by"],
    &["sort", "order"],
    &["sort", "field"],
    &["sort", "direction"],
    &["sort", "key"],
    &["sort", "column"],
    &["sort", "dir"],
    &["sort", "mode"],
    &["menu", "open"],
    &["open", "menu"],
    &["dialog", "open"],
    &["open", "dialog"],
    &["open", "sidebar"],
    &["panel", "open"],
    &["drawer", "open"],
    &["menu", "opened"],
    &["panel", "visible"],
    &["toolbar", "visible"],
    &["active", "tool"],
    &["active", "view"],
    &["current", "view"],
    &["current", "item"],
    &["page", "size"],
    &["per", "page"],
    &["rows", "per", "page"],
    &["dark", "mode"],
    &["color", "scheme"],
    &["theme", "mode"],
    &["last", "active", "tool"],
    &["zen", "mode"],
    &["grid", "mode"],
    &["view", "mode", "enabled"],
];

/// Keys under which everything is of the view.
const VIEW_PARENTS: &[&[&str]] = &[
    &["view", "state"],
    &["ui"],
    &["ui", "state"],
    &["ui", "settings"],
    &["viewport"],
    &["window", "state"],
    &["scroll", "position"],
    &["scroll", "positions"],
    &["layout", "restorer"],
    &["sidebar"],
    &["expanded", "rows"],
    &["column", "state"],
];

/// Words of keys under which everything is of the view.
const VIEW_PARENT_WORDS: &[&str] =
    &["scroll", "zoom", "collapsed", "expanded", "cursor", "caret", "viewport"];

/// Words of names that concern others, or money, whatever else stands in the name.
const EFFECT_WORDS: &[&str] = &[
    "status",
    "public",
    "private",
    "publish",
    "published",
    "visibility",
    "role",
    "roles",
    "permission",
    "permissions",
    "access",
    "acl",
    "scope",
    "scopes",
    "grant",
    "grants",
    "right",
    "rights",
    "share",
    "shared",
    "sharing",
    "member",
    "members",
    "owner",
    "admin",
    "price",
    "amount",
    "total",
    "plan",
    "payment",
    "billing",
    "subscription",
    "paid",
    "enabled",
    "disabled",
    "active",
    "approved",
    "deleted",
    "archived",
    "locked",
    "recipient",
    "recipients",
    "email",
    "guest",
    "invite",
    "password",
    "token",
    "delivery",
    "shipping",
    "address",
    "method",
    "option",
    "policy",
];

/// Reports whether a change concerns the view alone.
pub fn is_view_state(change: &ValueChange) -> bool {
    let keys: Vec<Vec<String>> =
        split_keys(change.name.trim_end_matches(super::ORDER)).into_iter().map(split_words).collect();
    let Some((last, parents)) = keys.split_last() else { return false };
    let has_view_phrase = |words: &[String]| VIEW_PHRASES.iter().any(|phrase| contains_words(words, phrase));
    // "view mode enabled" is of the view although "enabled" alone is not.
    let is_exempt =
        |words: &[String]| has_view_phrase(words) && !has_word(words, &["plan", "role", "payment"]);
    if keys.iter().any(|words| has_word(words, EFFECT_WORDS) && !is_exempt(words)) {
        return false;
    }
    has_word(last, VIEW_WORDS)
        || has_view_phrase(last)
        || is_view_flag(last, change)
        || is_theme(last, change)
        || keys.len() > 1 && parents.iter().any(|words| is_view_parent(words))
        || parents.iter().any(|words| has_view_phrase(words) || has_word(words, VIEW_PARENT_WORDS))
}

fn has_word(words: &[String], wanted: &[&str]) -> bool {
    words.iter().any(|word| wanted.contains(&word.as_str()))
}

fn is_view_parent(words: &[String]) -> bool {
    VIEW_PARENTS.iter().any(|phrase| words.iter().eq(phrase.iter()))
}

/// Recognizes flags with names that are of the view only as flags: a text named `selected` may be a choice.
fn is_view_flag(words: &[String], change: &ValueChange) -> bool {
    let is_flag = |value: &Option<String>| {
        value.as_ref().is_none_or(|value| {
            matches!(value.as_str(), "true" | "false" | "0" | "1" | "null" | "on" | "off")
        })
    };
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "is").collect();
    let is_named =
        matches!(words.as_slice(), ["read" | "seen" | "viewed" | "selected" | "focus" | "hover" | "unseen"]);
    is_named && is_flag(&change.before) && is_flag(&change.now)
}

/// Recognizes the colours of the view. Another theme of a site is seen by everybody, and has a name of its own.
fn is_theme(words: &[String], change: &ValueChange) -> bool {
    const NAMES: [&str; 10] =
        ["dark", "light", "auto", "system", "default", "contrast", "sepia", "dim", "black", "null"];
    let is_name = |value: &Option<String>| {
        value
            .as_ref()
            .is_none_or(|value| split_words(value).iter().any(|word| NAMES.contains(&word.as_str())))
    };
    has_word(words, &["theme"]) && is_name(&change.before) && is_name(&change.now)
}
