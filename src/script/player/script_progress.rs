//! Progress of a script, derived from the history alone. Turns of a script carry the step's number in
//! `step_ref`, and action ids that distinguish the step's own action from a wait and from a model's repair. A
//! restarted run therefore continues where it stood, and repeats nothing.

use crate::planning::{
    APPROVAL_VOID, ActionResult, ActionStatus, HistoryEntry, INTERRUPTED, OUTCOME_UNKNOWN, SECRET_GONE,
    Speaker,
};
use crate::turn::{Call, Turn};

/// Most attempts of a step's own action.
const TRIES: usize = 3;
/// Most attempts if the page changed during the approval.
const VOID_TRIES: usize = 6;
/// Failures that may be temporary.
const PASSING: &[&str] = &[
    "dead_eid",
    "changed_eid",
    "hidden",
    "covered",
    "zero_size",
    "inert",
    "disabled",
    "moving",
    "focus_moved",
];
/// Actions that only bring something into view.
const REVEALING: &[&str] = &["wait", "scroll", "hover", "extract"];
/// Actions that may safely be repeated.
const HARMLESS: &[&str] = &["navigate", "back", "forward", "reload", "scroll", "wait", "hover", "extract"];

/// Purpose of a played turn's action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptActionPurpose {
    Own,
    /// Brings the wanted element into the next observation.
    Reveal,
    /// A model does the step.
    Repair,
}

/// Position in the script.
#[derive(Clone, Debug, PartialEq)]
pub enum ScriptPosition {
    /// No step has been tried yet.
    Begin,
    /// This step is done.
    Done(usize),
    /// This step is still to be done.
    Open(usize),
    Failed {
        step: usize,
        code: String,
        message: String,
    },
    /// The person declined the step with these words.
    Declined {
        step: usize,
        words: String,
    },
    /// An effect was begun, and its outcome is unknown.
    Unknown(usize),
}

/// A turn that played a step.
#[derive(Clone, Copy, Debug)]
struct PlayedTurn<'a> {
    step: usize,
    aim: ScriptActionPurpose,
    turn: &'a Turn,
    results: &'a [ActionResult],
    /// True if the run has not ended since.
    fresh: bool,
}

/// Turns that a script has played, read from the history.
pub struct ScriptProgress<'a> {
    tries: Vec<PlayedTurn<'a>>,
    /// Last message of the person.
    last_message: &'a str,
}

impl ScriptActionPurpose {
    /// Returns the id of the action at index `index` of the `count`th turn for this purpose.
    pub fn id(self, step: usize, count: usize, index: usize) -> String {
        let number = step + 1;
        match (self, index) {
            (Self::Own, _) => format!("s{number}"),
            (Self::Reveal, _) => format!("s{number}.{}", count + 1),
            (Self::Repair, 0) => format!("s{number}.m{}", count + 1),
            (Self::Repair, index) => format!("s{number}.m{}.{}", count + 1, index + 1),
        }
    }

    /// Parses an action id to its step and purpose.
    pub fn parse_id(id: &str) -> Option<(usize, Self)> {
        let rest = id.strip_prefix('s')?;
        let (number, more) = rest.split_once('.').map_or((rest, None), |(number, more)| (number, Some(more)));
        let step = number.parse::<usize>().ok()?.checked_sub(1)?;
        Some(match more {
            None => (step, Self::Own),
            Some(more) if more.starts_with('m') => (step, Self::Repair),
            Some(_) => (step, Self::Reveal),
        })
    }
}

impl<'a> ScriptProgress<'a> {
    /// Finds the turns of the script by the ids of their actions.
    pub fn from_history(history: &'a [HistoryEntry]) -> Self {
        let (mut tries, mut last_message): (Vec<PlayedTurn<'a>>, &str) = (Vec::new(), "");
        for entry in history {
            match entry {
                HistoryEntry::Message { by: Speaker::Person, text } => last_message = text,
                // The agent's last words: the run has ended.
                HistoryEntry::Message { by: Speaker::Agent, .. } => {
                    tries.iter_mut().for_each(|one| one.fresh = false);
                }
                HistoryEntry::Ended { .. } | HistoryEntry::Summary { .. } | HistoryEntry::Premove { .. } => {}
                HistoryEntry::Acted { turn, results } => {
                    let aimed = turn
                        .step_ref
                        .and_then(|_| ScriptActionPurpose::parse_id(&turn.actions.first()?.id_at(0)));
                    if let Some((step, aim)) = aimed {
                        tries.push(PlayedTurn { step, aim, turn, results, fresh: true });
                    }
                }
            }
        }
        Self { tries, last_message }
    }

    /// Returns the position in the script.
    pub fn position(&self) -> ScriptPosition {
        let Some(step) = self.tries.iter().map(|one| one.step).max() else { return ScriptPosition::Begin };
        let Some(last) = self.turns_of_step(step).rfind(|one| one.aim != ScriptActionPurpose::Reveal) else {
            return ScriptPosition::Open(step);
        };
        if last.succeeded() {
            return if last.aim == ScriptActionPurpose::Repair && last.only_reveals() {
                ScriptPosition::Open(step)
            } else {
                ScriptPosition::Done(step)
            };
        }
        // A message to an ended run asks it to try again.
        if !last.fresh {
            return ScriptPosition::Open(step);
        }
        match last.failure() {
            Some(ActionStatus::Dropped { why }) if why.contains("declined") => {
                ScriptPosition::Declined { step, words: self.last_message.to_owned() }
            }
            Some(ActionStatus::Dropped { .. } | ActionStatus::Ok) => ScriptPosition::Open(step),
            Some(ActionStatus::Failed { code, message }) => self.position_after_failure(last, code, message),
            None => last.position_after_unknown(false),
        }
    }

    fn position_after_failure(&self, last: &PlayedTurn<'a>, code: &str, message: &str) -> ScriptPosition {
        let step = last.step;
        let tries = self.turns_of_step(step).filter(|one| one.fresh && one.aim == last.aim).count();
        let again = match code {
            OUTCOME_UNKNOWN => return last.position_after_unknown(false),
            // Typing and selecting sent nothing yet; otherwise there would be an intent.
            "browser_crashed" if tries < TRIES => return last.position_after_unknown(true),
            INTERRUPTED => true,
            APPROVAL_VOID | SECRET_GONE => tries < VOID_TRIES,
            // A model may correct its own wrong choice.
            _ if last.aim == ScriptActionPurpose::Repair => true,
            code => PASSING.contains(&code) && tries < TRIES,
        };
        if again {
            return ScriptPosition::Open(step);
        }
        ScriptPosition::Failed { step, code: code.to_owned(), message: message.to_owned() }
    }

    /// Returns the number of waits and other observations since the step's last attempt.
    pub fn observation_count(&self, step: usize) -> usize {
        self.waits_since_attempt(step).count()
    }

    /// True if a wait found the text of the check on the page.
    pub fn is_text_found(&self, step: usize) -> bool {
        self.waits_since_attempt(step).any(|one| {
            let call = one.turn.actions.first();
            let for_text =
                call.is_some_and(|call| call.params.get("text").is_some_and(|text| text.is_string()));
            for_text && one.succeeded()
        })
    }

    /// Returns the number of requests to a model for the step.
    pub fn repair_count(&self, step: usize) -> usize {
        self.turns_of_step(step).filter(|one| one.fresh && one.aim == ScriptActionPurpose::Repair).count()
    }

    /// Returns the number of attempts of the step's own action since the run last ended.
    pub fn tries(&self, step: usize) -> usize {
        self.turns_of_step(step).filter(|one| one.fresh && one.aim == ScriptActionPurpose::Own).count()
    }

    /// Returns the text that a finished step has read.
    pub fn read(&self, step: usize) -> Option<&'a str> {
        let last = self
            .turns_of_step(step)
            .rfind(|one| one.aim != ScriptActionPurpose::Reveal && one.succeeded())?;
        last.results.iter().rev().find_map(|result| result.returned.as_deref())
    }

    /// Returns the steps that a model repaired.
    pub fn repaired_steps(&self) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for one in self
            .tries
            .iter()
            .filter(|one| one.aim == ScriptActionPurpose::Repair && one.succeeded() && !one.only_reveals())
        {
            if !found.contains(&one.step) {
                found.push(one.step);
            }
        }
        found
    }

    fn waits_since_attempt(&self, step: usize) -> impl Iterator<Item = &PlayedTurn<'a>> {
        let turns: Vec<&PlayedTurn<'a>> = self.turns_of_step(step).collect();
        let from =
            turns.iter().rposition(|one| one.aim != ScriptActionPurpose::Reveal).map_or(0, |at| at + 1);
        turns.into_iter().skip(from).filter(|one| one.fresh)
    }

    fn turns_of_step(&self, step: usize) -> impl DoubleEndedIterator<Item = &PlayedTurn<'a>> {
        self.tries.iter().filter(move |one| one.step == step)
    }
}

impl PlayedTurn<'_> {
    fn succeeded(&self) -> bool {
        !self.results.is_empty() && self.results.iter().all(|result| result.outcome == ActionStatus::Ok)
    }

    fn failure(&self) -> Option<&ActionStatus> {
        self.results.iter().map(|result| &result.outcome).find(|outcome| **outcome != ActionStatus::Ok)
    }

    fn only_reveals(&self) -> bool {
        self.turn.actions.last().is_none_or(|call| REVEALING.contains(&call.action.as_str()))
    }

    /// Returns the position after an unknown outcome: only harmless actions are repeated.
    fn position_after_unknown(&self, sent_nothing: bool) -> ScriptPosition {
        let fills = |call: &Call| sent_nothing && matches!(call.action.as_str(), "type" | "select");
        let harmless = |call: &Call| HARMLESS.contains(&call.action.as_str()) || fills(call);
        if self.turn.actions.iter().all(harmless) {
            ScriptPosition::Open(self.step)
        } else {
            ScriptPosition::Unknown(self.step)
        }
    }
}
