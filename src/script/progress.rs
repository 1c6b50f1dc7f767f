//! What has become of a script so far, read from the history alone: the turns that played it bear the
//! number of their step in `step_ref`, and ids that tell a step's own action from a wait for it and from
//! a model's mending of it. So it goes on where it stood after a restart, and does nothing twice.

use crate::model::{
    APPROVAL_VOID, ActionResult, Entry, INTERRUPTED, OUTCOME_UNKNOWN, Outcome, SECRET_GONE, Speaker,
};
use crate::turn::{Call, Turn};

/// How often a step's own action is tried.
const TRIES: usize = 3;
/// How often one is asked for again when its page had changed under the approval.
const VOID_TRIES: usize = 6;
/// Failures that may pass by themselves.
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
/// Actions that bring something into sight and no more.
const LOOKING: &[&str] = &["wait", "scroll", "hover", "extract"];
/// Actions that do no harm twice.
const HARMLESS: &[&str] = &["navigate", "back", "forward", "reload", "scroll", "wait", "hover", "extract"];

/// What an action of a played turn is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    Own,
    /// Something that may bring what is wanted into the next look.
    Look,
    /// A model does the step in its own way.
    Mend,
}

/// Where the script stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Stands {
    /// Nothing was done yet.
    Begin,
    /// This step is done.
    Done(usize),
    /// This one is still to be done.
    Open(usize),
    Failed {
        step: usize,
        code: String,
        message: String,
    },
    /// The person said no to it, and these words.
    Declined {
        step: usize,
        words: String,
    },
    /// An effect was begun, and nobody knows whether it took place.
    Unknown(usize),
}

/// One turn that played a step.
#[derive(Clone, Copy, Debug)]
struct Try<'a> {
    step: usize,
    aim: Aim,
    turn: &'a Turn,
    results: &'a [ActionResult],
    /// Since the run last came to an end.
    fresh: bool,
}

pub struct Progress<'a> {
    tries: Vec<Try<'a>>,
    /// What the person said last.
    said: &'a str,
}

impl Aim {
    /// The id of the action of this place in its turn, in the `count`th turn of this aim.
    pub fn id(self, step: usize, count: usize, place: usize) -> String {
        let number = step + 1;
        match (self, place) {
            (Self::Own, _) => format!("s{number}"),
            (Self::Look, _) => format!("s{number}.{}", count + 1),
            (Self::Mend, 0) => format!("s{number}.m{}", count + 1),
            (Self::Mend, place) => format!("s{number}.m{}.{}", count + 1, place + 1),
        }
    }

    /// The same, read back: the step, and what the action is for.
    pub fn of(id: &str) -> Option<(usize, Self)> {
        let rest = id.strip_prefix('s')?;
        let (number, more) = rest.split_once('.').map_or((rest, None), |(number, more)| (number, Some(more)));
        let step = number.parse::<usize>().ok()?.checked_sub(1)?;
        Some(match more {
            None => (step, Self::Own),
            Some(more) if more.starts_with('m') => (step, Self::Mend),
            Some(_) => (step, Self::Look),
        })
    }
}

impl<'a> Progress<'a> {
    pub fn of(history: &'a [Entry]) -> Self {
        let (mut tries, mut said): (Vec<Try<'a>>, &str) = (Vec::new(), "");
        for entry in history {
            match entry {
                Entry::Said { by: Speaker::Person, text } => said = text,
                // Its last words: the run has come to an end.
                Entry::Said { by: Speaker::Agent, .. } => {
                    tries.iter_mut().for_each(|one| one.fresh = false);
                }
                Entry::Ended { .. } | Entry::Summary { .. } | Entry::Premove { .. } => {}
                Entry::Acted { turn, results } => {
                    let aimed = turn.step_ref.and_then(|_| Aim::of(&turn.actions.first()?.id_at(0)));
                    if let Some((step, aim)) = aimed {
                        tries.push(Try { step, aim, turn, results, fresh: true });
                    }
                }
            }
        }
        Self { tries, said }
    }

    pub fn stands(&self) -> Stands {
        let Some(step) = self.tries.iter().map(|one| one.step).max() else { return Stands::Begin };
        let Some(last) = self.of_step(step).rfind(|one| one.aim != Aim::Look) else {
            return Stands::Open(step);
        };
        if last.worked() {
            return if last.aim == Aim::Mend && last.only_looked() {
                Stands::Open(step)
            } else {
                Stands::Done(step)
            };
        }
        // Whoever speaks to a run that has ended wants it to try again.
        if !last.fresh {
            return Stands::Open(step);
        }
        match last.failure() {
            Some(Outcome::Dropped { why }) if why.contains("declined") => {
                Stands::Declined { step, words: self.said.to_owned() }
            }
            Some(Outcome::Dropped { .. } | Outcome::Ok) => Stands::Open(step),
            Some(Outcome::Failed { code, message }) => self.failed(last, code, message),
            None => last.unknown(false),
        }
    }

    fn failed(&self, last: &Try<'a>, code: &str, message: &str) -> Stands {
        let step = last.step;
        let tries = self.of_step(step).filter(|one| one.fresh && one.aim == last.aim).count();
        let again = match code {
            OUTCOME_UNKNOWN => return last.unknown(false),
            // Typing and choosing sent nothing yet, or there would be an intent.
            "browser_crashed" if tries < TRIES => return last.unknown(true),
            INTERRUPTED => true,
            APPROVAL_VOID | SECRET_GONE => tries < VOID_TRIES,
            // What a model chose wrongly is for the model to choose again.
            _ if last.aim == Aim::Mend => true,
            code => PASSING.contains(&code) && tries < TRIES,
        };
        if again {
            return Stands::Open(step);
        }
        Stands::Failed { step, code: code.to_owned(), message: message.to_owned() }
    }

    /// How often it was waited for, or looked for, since the step was last tried.
    pub fn looks(&self, step: usize) -> usize {
        self.waits(step).count()
    }

    /// The page was found to show what was waited for.
    pub fn is_said(&self, step: usize) -> bool {
        self.waits(step).any(|one| {
            let call = one.turn.actions.first();
            let for_text =
                call.is_some_and(|call| call.params.get("text").is_some_and(|text| text.is_string()));
            for_text && one.worked()
        })
    }

    /// How often a model was asked for it.
    pub fn mends(&self, step: usize) -> usize {
        self.of_step(step).filter(|one| one.fresh && one.aim == Aim::Mend).count()
    }

    /// How often it was tried in its own way and did not come off.
    pub fn tries(&self, step: usize) -> usize {
        self.of_step(step).filter(|one| one.fresh && one.aim == Aim::Own).count()
    }

    /// What a step that is done has read.
    pub fn read(&self, step: usize) -> Option<&'a str> {
        let last = self.of_step(step).rfind(|one| one.aim != Aim::Look && one.worked())?;
        last.results.iter().rev().find_map(|result| result.returned.as_deref())
    }

    /// Steps that a model did in its own way.
    pub fn mended(&self) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for one in self.tries.iter().filter(|one| one.aim == Aim::Mend && one.worked() && !one.only_looked())
        {
            if !found.contains(&one.step) {
                found.push(one.step);
            }
        }
        found
    }

    fn waits(&self, step: usize) -> impl Iterator<Item = &Try<'a>> {
        let of_it: Vec<&Try<'a>> = self.of_step(step).collect();
        let from = of_it.iter().rposition(|one| one.aim != Aim::Look).map_or(0, |at| at + 1);
        of_it.into_iter().skip(from).filter(|one| one.fresh)
    }

    fn of_step(&self, step: usize) -> impl DoubleEndedIterator<Item = &Try<'a>> {
        self.tries.iter().filter(move |one| one.step == step)
    }
}

impl Try<'_> {
    fn worked(&self) -> bool {
        !self.results.is_empty() && self.results.iter().all(|result| result.outcome == Outcome::Ok)
    }

    fn failure(&self) -> Option<&Outcome> {
        self.results.iter().map(|result| &result.outcome).find(|outcome| **outcome != Outcome::Ok)
    }

    fn only_looked(&self) -> bool {
        self.turn.actions.last().is_none_or(|call| LOOKING.contains(&call.action.as_str()))
    }

    /// Only what does no harm twice is done again by itself.
    fn unknown(&self, sent_nothing: bool) -> Stands {
        let fills = |call: &Call| sent_nothing && matches!(call.action.as_str(), "type" | "select");
        let harmless = |call: &Call| HARMLESS.contains(&call.action.as_str()) || fills(call);
        if self.turn.actions.iter().all(harmless) {
            Stands::Open(self.step)
        } else {
            Stands::Unknown(self.step)
        }
    }
}
