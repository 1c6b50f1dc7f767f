//! The script player: decides the next turn in place of a planner. Validation, gate, effects and events are
//! the same as for any turn. The player has no state: `script_progress` derives the next step from the history, and
//! the page determines the step's element.

pub(crate) mod person_steps;
pub(crate) mod repair_request;
pub mod script_progress;
pub mod turns;

use crate::agent_spec::types::script::Makes;
use crate::agent_spec::types::script::{Check, Step, Target};
use crate::page::observation::Line;
use crate::page::observation::Observation;
use crate::planning::HistoryEntry;
use crate::protocol::Locale;
use crate::script::find::{FindError, find};
use crate::script::narration::PlayerTexts;
use crate::script::pattern::capture_text;
use crate::script::player::script_progress::{ScriptActionPurpose, ScriptPosition, ScriptProgress};
use crate::script::rendering;
use crate::script::step_checks::{FailedPart, failed_part};
use crate::text::value_text::format_value_text;
use crate::turn::Turn;
use serde_json::{Map, Value, json};

/// Default seconds to wait for a step's check.
const PATIENCE_S: f64 = 10.0;

/// Everything that the next turn depends on.
#[derive(Clone, Copy)]
pub struct PlayInput<'a> {
    pub steps: &'a [Step],
    /// Values that templates may name: inputs, variables, answers.
    pub known: &'a Map<String, Value>,
    /// Names of the secret inputs.
    pub secrets: &'a [String],
    pub history: &'a [HistoryEntry],
    pub page: Option<&'a Observation>,
    /// Names of the run's files.
    pub files: &'a [String],
    pub locale: Locale,
    /// Origin to which paths are relative.
    pub own_origin: &'a str,
    /// True if a model can repair a step.
    pub can_repair: bool,
}

/// Next turn of a script, or a request to repair its step.
pub enum PlayerOutcome {
    Turn(Turn),
    /// A model is asked to do this one step.
    Repair(RepairRequest),
}

/// Request to a model for one step.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairRequest {
    pub step: usize,
    /// Number of earlier requests for the step.
    pub count: usize,
    /// Note about the step for the model.
    pub note: String,
    /// Message to the person if the model finds no way either.
    pub sorry: String,
}

/// Returns the next turn.
pub fn next(play: &PlayInput<'_>) -> PlayerOutcome {
    let progress = ScriptProgress::from_history(play.history);
    // Before the first navigation there is only an empty page, on which nothing can be found.
    let page = play.page.filter(|page| !page.url.is_empty() && page.url != "about:blank");
    let mut player = Player {
        play,
        page,
        texts: PlayerTexts { locale: play.locale, steps: play.steps, page },
        known: play.known.clone(),
        read: Map::new(),
        progress,
    };
    let mut next = player.next();
    if let PlayerOutcome::Turn(turn) = &mut next {
        turn.context.variables =
            player.read.into_iter().filter(|(name, value)| play.known.get(name) != Some(value)).collect();
    }
    next
}

struct Player<'p> {
    play: &'p PlayInput<'p>,
    page: Option<&'p Observation>,
    texts: PlayerTexts<'p>,
    /// Known values, including those read by earlier steps.
    known: Map<String, Value>,
    read: Map<String, Value>,
    progress: ScriptProgress<'p>,
}

/// Result of one step; `None` if the step needs nothing more.
type StepOutcome = Option<PlayerOutcome>;

impl<'p> Player<'p> {
    fn next(&mut self) -> PlayerOutcome {
        let position = self.progress.position();
        if let Some(end) = self.collect_results(&position) {
            return end;
        }
        let (from, first) = match position {
            ScriptPosition::Begin => (0, None),
            ScriptPosition::Open(step) => (step, None),
            ScriptPosition::Done(step) => (step + 1, self.check_step(step)),
            ScriptPosition::Failed { step, code, message } => {
                let sorry = self.texts.failed_action_reason(step, &self.render_step(step), &code, &message);
                return self.repair_or_give_up(step, sorry);
            }
            ScriptPosition::Declined { step, words } => {
                return give_up(self.texts.declined_step_reason(step, &self.render_step(step), &words));
            }
            ScriptPosition::Unknown(step) => match self.is_seen_done(step) {
                true => (step + 1, None),
                false => return give_up(self.texts.unknown_outcome_reason(step, &self.render_step(step))),
            },
        };
        let rest = (from..self.play.steps.len()).map(|step| (step, &self.play.steps[step]));
        let next = first.or_else(|| rest.into_iter().find_map(|(at, step)| self.attempt(at, step)));
        next.unwrap_or_else(|| self.end_completed())
    }

    /// Collects the values read by the steps so far.
    fn collect_results(&mut self, position: &ScriptPosition) -> Option<PlayerOutcome> {
        let done = match position {
            ScriptPosition::Begin => 0,
            ScriptPosition::Done(step) => step + 1,
            ScriptPosition::Open(step) | ScriptPosition::Unknown(step) => *step,
            ScriptPosition::Failed { step, .. } | ScriptPosition::Declined { step, .. } => *step,
        };
        for (at, step) in self.play.steps.iter().enumerate().take(done) {
            let (Some(name), Some(text)) = (&step.known_as, self.progress.read(at)) else { continue };
            let value = match &step.take {
                None => text.trim().to_owned(),
                Some(pattern) => {
                    match self
                        .render_step_text(at, pattern)
                        .map(|pattern| (capture_text(&pattern, text), pattern))
                    {
                        Ok((Some(found), _)) => found.to_owned(),
                        Ok((None, pattern)) => {
                            return Some(give_up(self.texts.no_match_reason(
                                at,
                                &self.render_step(at),
                                &pattern,
                            )));
                        }
                        Err(end) => return Some(*end),
                    }
                }
            };
            self.known.insert(name.clone(), json!(value));
            self.read.insert(name.clone(), json!(value));
        }
        None
    }

    /// Checks a step that is done: waits for the check, or gives up with what the page shows instead.
    fn check_step(&self, at: usize) -> StepOutcome {
        let check = self.play.steps.get(at)?.check.as_ref()?;
        let check = match rendering::render_check(check, &self.known) {
            Ok(check) => check,
            Err(fault) => {
                return Some(give_up(self.texts.unfilled_step_reason(at, &self.render_step(at), &fault)));
            }
        };
        let blank = Observation::default();
        let page = self.page.unwrap_or(&blank);
        let lacking = failed_part(&check, page, self.progress.is_text_found(at))?;
        let patience = check.within_s.unwrap_or(PATIENCE_S);
        let observation_count = self.progress.observation_count(at);
        Some(match check_wait(&check, lacking, patience, observation_count) {
            Some(params) => self.observe_again(at, "wait", params),
            None => give_up(self.texts.failed_check_reason(at, &self.render_step(at), &check, lacking)),
        })
    }

    /// True if the page shows that a step with unknown outcome took place.
    fn is_seen_done(&self, at: usize) -> bool {
        let check = self.play.steps.get(at).and_then(|step| step.check.as_ref());
        let check = check.and_then(|check| rendering::render_check(check, &self.known).ok());
        check.zip(self.page).is_some_and(|(check, page)| failed_part(&check, page, false).is_none())
    }

    fn attempt(&self, at: usize, step: &Step) -> StepOutcome {
        if step.action.is_empty() {
            return self.check_step(at);
        }
        if self.needs_person(at) {
            return self.ask_for_secrets(at);
        }
        let mut params = match rendering::render_params(&step.plain_params(), &self.known) {
            Ok(params) => params,
            Err(fault) => {
                return Some(give_up(self.texts.unfilled_step_reason(at, &self.render_step(at), &fault)));
            }
        };
        if let Some(file) = self.missing_file(step, &params) {
            return self.ask_for_file(at, step, &file);
        }
        if matches!(step.action.as_str(), "stop" | "complete") {
            return Some(self.end_with_response(&params));
        }
        complete_url(&mut params, self.play.own_origin);
        let (from, to) = step.ends();
        for (name, target) in [("eid", step.target()), ("from_eid", from), ("to_eid", to)] {
            let Some(target) = target else { continue };
            let line = match self.find_element(at, step, &target) {
                Ok(line) => line,
                Err(next) => return Some(*next),
            };
            if step.makes.is_some_and(|makes| is_in_state(makes, line)) {
                return None;
            }
            params.insert(name.to_owned(), json!(line.eid));
        }
        let aim = (at, ScriptActionPurpose::Own, self.progress.tries(at));
        Some(PlayerOutcome::Turn(turns::action_turn(
            aim,
            &step.action,
            params,
            self.texts.thought(at, &self.render_step(at)),
        )))
    }

    fn observe_again(&self, at: usize, action: &str, params: Value) -> PlayerOutcome {
        let params = match params {
            Value::Object(params) => params,
            _ => Map::new(),
        };
        let aim = (at, ScriptActionPurpose::Reveal, self.progress.observation_count(at));
        PlayerOutcome::Turn(turns::action_turn(
            aim,
            action,
            params,
            self.texts.thought(at, &self.render_step(at)),
        ))
    }

    /// Returns a step with its templates filled in, for display. Text that cannot be filled in stays as
    /// written.
    fn render_step(&self, at: usize) -> Step {
        let step = self.play.steps.get(at).cloned().unwrap_or_default();
        let target = |target: Option<Target>| {
            target.map(|target| rendering::render_target(&target, &self.known).unwrap_or(target))
        };
        Step {
            note: step
                .note
                .as_ref()
                .map(|note| rendering::render_text(note, &self.known).unwrap_or_else(|_| note.clone())),
            params: rendering::render_params(&step.params, &self.known)
                .unwrap_or_else(|_| step.params.clone()),
            target: target(step.target()),
            from_target: target(step.ends().0),
            to_target: target(step.ends().1),
            ..step
        }
    }

    fn render_step_text(&self, at: usize, text: &str) -> Result<String, Box<PlayerOutcome>> {
        rendering::render_text(text, &self.known).map_err(|fault| {
            Box::new(give_up(self.texts.unfilled_step_reason(at, &self.render_step(at), &fault)))
        })
    }

    /// Ends with the script's own response, plus the list of repaired steps.
    fn end_with_response(&self, params: &Map<String, Value>) -> PlayerOutcome {
        match params.get("response").and_then(Value::as_str).filter(|response| !response.trim().is_empty()) {
            Some(response) => {
                let mut response = response.to_owned();
                self.texts.push_repaired_steps(&mut response, &self.progress.repaired_steps());
                PlayerOutcome::Turn(turns::stop(response))
            }
            None => self.end_completed(),
        }
    }

    fn end_completed(&self) -> PlayerOutcome {
        let read: Vec<(String, String)> =
            self.read.iter().map(|(name, value)| (name.clone(), format_value_text(value))).collect();
        PlayerOutcome::Turn(turns::stop(
            self.texts.completed_response(&read, &self.progress.repaired_steps()),
        ))
    }
}

fn give_up(words: String) -> PlayerOutcome {
    PlayerOutcome::Turn(turns::give_up(words))
}

/// Returns the parameters of the next wait; `None` when the time is up. A text is waited for as a whole;
/// other checks need an observation each, so they wait in growing intervals.
fn check_wait(check: &Check, lacking: FailedPart, patience: f64, observation_count: usize) -> Option<Value> {
    if lacking == FailedPart::Text {
        return (observation_count == 0 && patience > 0.0)
            .then(|| json!({"seconds": patience, "text": check.text}));
    }
    let piece = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX)) + 1.0;
    let waited: f64 = (0..observation_count).map(piece).sum();
    (waited < patience).then(|| json!({"seconds": piece(observation_count).min(patience - waited)}))
}

/// Completes a path to an address of this service.
fn complete_url(params: &mut Map<String, Value>, own_origin: &str) {
    if let Some(Value::String(url)) = params.get_mut("url") {
        *url = rendering::complete_address(url, own_origin);
    }
}

/// Seconds of each wait for a missing element.
const WAITS_S: [f64; 3] = [1.0, 2.0, 3.0];

/// Most scrolls in search of an element.
const SCROLLS: usize = 8;

/// Most requests to a model for one step.
const MENDS: usize = 3;

impl<'p> Player<'p> {
    /// Returns the step's element, or the turn to take because it is not available.
    pub(crate) fn find_element(
        &self,
        at: usize,
        step: &Step,
        target: &Target,
    ) -> Result<&'p Line, Box<PlayerOutcome>> {
        let target = rendering::render_target(target, &self.known)
            .map_err(|fault| give_up(self.texts.unfilled_step_reason(at, &self.render_step(at), &fault)))?;
        let blank = Observation::default();
        match self.page.map(|page| find(&target, page)) {
            Some(Ok(line)) if line.attributes.disabled && needs_enabled_element(&step.action) => {
                Err(Box::new(match WAITS_S.get(self.progress.observation_count(at)) {
                    Some(seconds) => self.observe_again(at, "wait", json!({"seconds": seconds})),
                    None => give_up(self.texts.disabled_element_reason(at, &self.render_step(at), &target)),
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
        let observation_count = self.progress.observation_count(at);
        let patient = matches!(missing, FindError::Several { .. });
        let waits = if patient { &WAITS_S[..1] } else { &WAITS_S[..] };
        if let Some(seconds) = waits.get(observation_count) {
            return self.observe_again(at, "wait", json!({"seconds": seconds}));
        }
        let below = self.page.is_some_and(|page| page.scroll.0 < page.scroll.1);
        if !patient && below && observation_count < waits.len() + SCROLLS {
            return self.observe_again(at, "scroll", json!({"direction": "down", "amount": 1.0}));
        }
        self.repair_or_give_up(
            at,
            self.texts.missing_element_reason(at, &self.render_step(at), target, missing),
        )
    }

    /// Asks a model for the step if one is available; otherwise gives up with this message.
    pub(crate) fn repair_or_give_up(&self, at: usize, sorry: String) -> PlayerOutcome {
        let count = self.progress.repair_count(at);
        if !self.play.can_repair {
            return give_up(sorry);
        }
        if count >= MENDS {
            return give_up(self.texts.not_repaired(&sorry, None));
        }
        let note = repair_request::note(self.play.steps, at, &self.render_step(at), &sorry);
        PlayerOutcome::Repair(RepairRequest { step: at, count, note, sorry })
    }
}

/// True if a switch is in the wanted state already.
pub(crate) fn is_in_state(makes: Makes, line: &Line) -> bool {
    let is = &line.attributes;
    let checked = is.checked || is.selected || is.pressed;
    match makes {
        Makes::Checked => checked && !is.mixed,
        Makes::Unchecked => !checked && !is.mixed,
        Makes::Expanded => is.expanded,
        Makes::Collapsed => is.collapsed,
    }
}

fn needs_enabled_element(action: &str) -> bool {
    !matches!(action, "extract" | "scroll" | "hover")
}

#[cfg(test)]
mod tests;
