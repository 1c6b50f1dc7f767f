//! How much room each part of a prompt has, in characters (a token is about four of them, fewer in Ukrainian).
//! The page has its own, `observe.budget_tokens`.

/// History besides the last message, and what a summary is made of.
pub const HISTORY: usize = 60_000;
/// A returned value, in the last message and in older ones.
pub const RETURNED: usize = 20_000;
pub const RETURNED_BEFORE: usize = 1_000;
/// All values together that came since the last turn: results, ended tasks and what was looked up.
pub const NEW: usize = 40_000;
/// A message of the person, and all of them together that came since the last turn.
pub const PERSON: usize = 40_000;
/// The last turn, and what the agent said last.
pub const TURN: usize = 20_000;
/// All summaries of what is long past.
pub const SUMMARY: usize = 20_000;
/// All notes for one turn.
pub const NOTES: usize = 10_000;
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
/// The same as a planner is told of them, with their parameters, and the names of all that may be done.
pub const CALLED: usize = 20_000;
pub const ACTIONS: usize = 8_000;
/// The page that is judged by.
pub const EVIDENCE: usize = 12_000;

/// How long each piece may be, so that all of them together have no more than `total`: short ones stay whole.
pub fn share(lengths: impl Iterator<Item = usize>, total: usize) -> usize {
    let mut lengths: Vec<usize> = lengths.collect();
    lengths.sort_unstable();
    let (mut room, mut left) = (total, lengths.len());
    for length in lengths {
        if length > room / left {
            return room / left;
        }
        (room, left) = (room - length, left - 1);
    }
    total
}
