//! Budgets of the parts of a prompt, in characters (a token is about four of them, fewer in Ukrainian). The
//! page has its own, `observe.budget_tokens`.

/// History before the last message, and the input of a summary.
pub const HISTORY: usize = 60_000;
/// A returned value in the last message.
pub const RETURNED: usize = 20_000;
/// A returned value in an older message.
pub const RETURNED_BEFORE: usize = 1_000;
/// All values since the last turn together: results, ended tasks and premoves.
pub const NEW: usize = 40_000;
/// A message of the person, and all of them since the last turn together.
pub const PERSON: usize = 40_000;
/// The last turn, and the agent's messages since then.
pub const TURN: usize = 20_000;
/// All summaries together.
pub const SUMMARY: usize = 20_000;
/// All notes for one turn.
pub const NOTES: usize = 10_000;
/// The reason of a failed action, and other single lines.
pub const REASON: usize = 500;
/// A line of work for a judge.
pub const RESULT: usize = 2_000;
/// A repeated text of the person, or the agent's report of its own work.
pub const REPEATED_TEXT: usize = 4_000;
/// A plan, one line per item.
pub const PLAN: usize = 6_000;
/// The agents that may be called, one line each.
pub const TOOLS: usize = 8_000;
/// The agents with their parameters in a planner's prompt.
pub const CALLED: usize = 20_000;
/// The page for a judge.
pub const EVIDENCE: usize = 12_000;

/// Returns the maximum length of each piece so that all of them together do not exceed `total`. Short pieces
/// stay complete and leave their share to the others.
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
