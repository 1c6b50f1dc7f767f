//! How much room each part of a prompt has, in characters (a token is about four of them, fewer in Ukrainian).
//! The page has its own, `observe.budget_tokens`.

/// History besides the last message, and what a summary is made of.
pub const HISTORY: usize = 60_000;
/// A returned value, in the last message and in older ones.
pub const RETURNED: usize = 20_000;
pub const RETURNED_BEFORE: usize = 1_000;
/// Why an action failed, and other single lines.
pub const REASON: usize = 500;
/// One line of what was done, for a judge.
pub const RESULT: usize = 2_000;
/// What a person said once more, or the agent of its own work.
pub const SAID: usize = 4_000;
/// A plan, a line an item.
pub const PLAN: usize = 6_000;
/// The agents that may be called, a line each.
pub const TOOLS: usize = 8_000;
/// The page that is judged by.
pub const EVIDENCE: usize = 12_000;
