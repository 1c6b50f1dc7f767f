//! Names of value types, and the other words that files use for them.

use crate::turn::agent_tools::TYPES;

/// Returns the type for its name in this or another language.
pub fn resolve_type_name(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let same = |kind: &&&str| **kind == word;
    let known = || MEANT.iter().find(|(other, _)| *other == word).map(|(_, kind)| *kind);
    TYPES.iter().find(same).copied().or_else(known)
}

/// Type names of other languages.
const MEANT: [(&str, &str); 17] = [
    ("str", "string"),
    ("text", "string"),
    ("bool", "boolean"),
    ("int", "integer"),
    ("long", "integer"),
    ("float", "number"),
    ("double", "number"),
    ("decimal", "number"),
    ("dict", "object"),
    ("map", "object"),
    ("json", "object"),
    ("mapping", "object"),
    ("array", "list"),
    ("tuple", "list"),
    ("sequence", "list"),
    ("none", "any"),
    ("null", "any"),
];
