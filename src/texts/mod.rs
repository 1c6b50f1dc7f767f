//! Texts for people in Ukrainian and English. Each message stands once, with both languages side by side; the
//! other rooms select a message and pass its parameters.
//!
//! The macros make functions, so the compiler checks the name of a message, the types of its parameters and the
//! placeholders of both languages, and reports messages that nobody uses. Each expansion brings a test that its
//! texts are complete (`tests.rs`).

use crate::protocol::Locale;
use serde_json::{Value, json};

/// Declares messages. A message without parameters returns `&'static str`, one with parameters a `String`; the
/// language is the last argument.
macro_rules! texts {
    (@function [$($doc:tt)*] $name:ident() $uk:literal $en:literal) => {
        $($doc)*
        pub(crate) fn $name(locale: crate::protocol::Locale) -> &'static str {
            locale.pick($uk, $en)
        }
    };
    (@function [$($doc:tt)*] $name:ident($($parameter:ident: $kind:ty),+) $uk:literal $en:literal) => {
        $($doc)*
        pub(crate) fn $name($($parameter: $kind,)+ locale: crate::protocol::Locale) -> String {
            match locale {
                crate::protocol::Locale::Uk => format!($uk),
                crate::protocol::Locale::En => format!($en),
            }
        }
    };
    ($(
        $(#[$doc:meta])*
        fn $name:ident($($parameter:ident: $kind:ty),*) { uk: $uk:literal, en: $en:literal $(,)? }
    )+) => {
        $(texts!(@function [$(#[$doc])*] $name($($parameter: $kind),*) $uk $en);)+

        #[cfg(test)]
        #[test]
        fn every_message_is_complete_in_both_languages() {
            $(crate::texts::tests::check_message(stringify!($name), $uk, $en, &[$(stringify!($parameter)),*]);)+
        }
    };
}

/// Declares functions that return the text of a key, or `None` for a key that is not listed.
macro_rules! keyed_texts {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($key:ident: $kind:ty) { $($known:pat => { uk: $uk:literal, en: $en:literal })+ }
    )+) => {
        $(
            $(#[$doc])*
            pub(crate) fn $name($key: $kind, locale: crate::protocol::Locale) -> Option<&'static str> {
                Some(match $key {
                    $($known => locale.pick($uk, $en),)+
                    _ => return None,
                })
            }
        )+

        #[cfg(test)]
        #[test]
        fn every_keyed_text_is_complete_in_both_languages() {
            $($(crate::texts::tests::check_message(stringify!($known), $uk, $en, &[]);)+)+
        }
    };
}

/// Declares Ukrainian translations of words and codes whose English text comes from elsewhere, such as an error
/// message for models.
macro_rules! translations {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($key:ident: $kind:ty) { $($known:pat => $uk:literal,)+ }
    )+) => {
        $(
            $(#[$doc])*
            pub(crate) fn $name($key: $kind) -> Option<&'static str> {
                Some(match $key {
                    $($known => $uk,)+
                    _ => return None,
                })
            }
        )+

        #[cfg(test)]
        #[test]
        fn every_translation_is_ukrainian() {
            $($(crate::texts::tests::check_translation(stringify!($known), $uk);)+)+
        }
    };
}

/// Answers and suggestions of the command planner.
pub(crate) mod commands;
/// Effects of actions, for planners and people.
pub(crate) mod effects;
/// Final responses of runs.
pub(crate) mod endings;
/// Sentences of the gate about an action.
pub(crate) mod gate;
/// Problems of the HTTP interface, notices for other clients, and the log of a run.
pub(crate) mod http;
/// Advice about models, and results of their test.
pub(crate) mod model;
/// Pages and browsers: errors, roles, take-overs, plans and actions that do not fit.
pub(crate) mod page;
/// Questions to a person, with their options.
pub(crate) mod questions;
/// Playback of scripts.
pub(crate) mod scripts;
/// The command line.
pub(crate) mod terminal;
/// Explanations of a run's status.
pub(crate) mod why;

/// Returns a value with texts in both languages, for pages whose reader can switch the language.
pub(crate) fn in_both_languages(say: impl Fn(Locale) -> Value) -> Value {
    json!({"uk": say(Locale::Uk), "en": say(Locale::En)})
}

/// Puts a text in the quotation marks of the language.
pub(crate) fn quote(text: &str, locale: Locale) -> String {
    match locale {
        Locale::Uk => format!("«{text}»"),
        Locale::En => format!("“{text}”"),
    }
}

#[cfg(test)]
mod tests;
