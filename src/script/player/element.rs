//! The element of a step: finds it, waits for it, scrolls to it, and handles its absence.

use super::{Player, PlayerOutcome, RepairRequest, give_up};
use crate::page::{Line, Observation};
use crate::script::find::{FindError, find};
use crate::script::{mending, rendered};
use crate::spec::script::{Makes, Step, Target};
use serde_json::json;

/// Seconds of each wait for a missing element.
const WAITS_S: [f64; 3] = [1.0, 2.0, 3.0];
/// Most scrolls in search of an element.
const SCROLLS: usize = 8;
/// Most requests to a model for one step.
const MENDS: usize = 3;

impl<'p> Player<'p> {
    /// Returns the step's element, or the turn to take because it is not available.
    pub(super) fn element(
        &self,
        at: usize,
        step: &Step,
        target: &Target,
    ) -> Result<&'p Line, Box<PlayerOutcome>> {
        let target = rendered::target(target, &self.known)
            .map_err(|fault| give_up(self.words.unfilled(at, &self.shown(at), &fault)))?;
        let blank = Observation::default();
        match self.page.map(|page| find(&target, page)) {
            Some(Ok(line)) if line.attributes.disabled && acts(&step.action) => {
                Err(Box::new(match WAITS_S.get(self.progress.looks(at)) {
                    Some(seconds) => self.look(at, "wait", json!({"seconds": seconds})),
                    None => give_up(self.words.disabled(at, &self.shown(at), &target)),
                }))
            }
            Some(Ok(line)) => Ok(line),
            Some(Err(missing)) => Err(Box::new(self.handle_missing(at, &target, &missing))),
            None => {
                let nothing =
                    find(&target, &blank).err().unwrap_or(FindError::Nothing { nearest: Vec::new() });
                Err(Box::new(self.handle_missing(at, &target, &nothing)))
            }
        }
    }

    /// Waits first, then scrolls down, then gives up.
    fn handle_missing(&self, at: usize, target: &Target, missing: &FindError<'_>) -> PlayerOutcome {
        let looks = self.progress.looks(at);
        let patient = matches!(missing, FindError::Several { .. });
        let waits = if patient { &WAITS_S[..1] } else { &WAITS_S[..] };
        if let Some(seconds) = waits.get(looks) {
            return self.look(at, "wait", json!({"seconds": seconds}));
        }
        let below = self.page.is_some_and(|page| page.scroll.0 < page.scroll.1);
        if !patient && below && looks < waits.len() + SCROLLS {
            return self.look(at, "scroll", json!({"direction": "down", "amount": 1.0}));
        }
        self.repair_or_give_up(at, self.words.missing(at, &self.shown(at), target, missing))
    }

    /// Asks a model for the step if one is available; otherwise gives up with this message.
    pub(super) fn repair_or_give_up(&self, at: usize, sorry: String) -> PlayerOutcome {
        let count = self.progress.repair_count(at);
        if !self.play.mends {
            return give_up(sorry);
        }
        if count >= MENDS {
            return give_up(self.words.not_repaired(&sorry, None));
        }
        let note = mending::note(self.play.steps, at, &self.shown(at), &sorry);
        PlayerOutcome::Mend(RepairRequest { step: at, count, note, sorry })
    }
}

/// True if a switch is in the wanted state already.
pub(super) fn is_in_state(makes: Makes, line: &Line) -> bool {
    let is = &line.attributes;
    let checked = is.checked || is.selected || is.pressed;
    match makes {
        Makes::Checked => checked && !is.mixed,
        Makes::Unchecked => !checked && !is.mixed,
        Makes::Expanded => is.expanded,
        Makes::Collapsed => is.collapsed,
    }
}

fn acts(action: &str) -> bool {
    !matches!(action, "extract" | "scroll" | "hover")
}
