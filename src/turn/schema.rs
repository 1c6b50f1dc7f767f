//! The JSON Schema of a turn, made for each turn, within the strict-mode rules.
