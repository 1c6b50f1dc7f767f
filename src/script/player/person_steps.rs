//! Parts of a script that only a person can do: typing secrets that were not given, and adding files.

use crate::agent_spec::types::script::Step;
use crate::script::player::script_progress::ScriptActionPurpose;
use crate::script::player::{Player, PlayerOutcome, StepOutcome, give_up, turns};
use crate::script::rendering;
use serde_json::{Map, Value, json};

/// Most requests for one file.
const FILES: usize = 3;

impl Player<'_> {
    /// True if the step types a secret that was not given, so that the person must type it.
    pub(crate) fn needs_person(&self, at: usize) -> bool {
        let Some(step) = self.play.steps.get(at).filter(|step| step.action == "type") else { return false };
        let Some(Value::String(text)) = step.params.get("text") else { return false };
        let names_one = self.play.secrets.iter().any(|name| rendering::names_input(text, name));
        names_one && rendering::render_text(text, &self.known).is_ok_and(|text| text.trim().is_empty())
    }

    /// Asks the person to type secrets. Consecutive secret fields share one question.
    pub(crate) fn ask_for_secrets(&self, at: usize) -> StepOutcome {
        if at > 0 && self.needs_person(at - 1) {
            return None;
        }
        let together = (at..self.play.steps.len()).take_while(|at| self.needs_person(*at));
        let fields = together.filter_map(|at| Some(self.render_step(at).target()?.name));
        let text = self.texts.type_yourself(&fields.collect::<Vec<_>>());
        let params = Map::from_iter([(String::from("text"), json!(text))]);
        let aim = (at, ScriptActionPurpose::Own, self.progress.tries(at));
        Some(PlayerOutcome::Turn(turns::action_turn(
            aim,
            "need_user",
            params,
            self.texts.thought(at, &self.render_step(at)),
        )))
    }

    pub(crate) fn missing_file(&self, step: &Step, params: &Map<String, Value>) -> Option<String> {
        let wanted = params.get("file").filter(|_| step.action == "upload")?;
        let names = wanted.as_array().map_or(std::slice::from_ref(wanted), Vec::as_slice);
        let missing = names
            .iter()
            .filter_map(Value::as_str)
            .find(|name| !self.play.files.iter().any(|file| file == name));
        missing.map(str::to_owned)
    }

    pub(crate) fn ask_for_file(&self, at: usize, step: &Step, file: &str) -> StepOutcome {
        let text = self.texts.give_file(file);
        Some(if self.progress.observation_count(at) < FILES {
            self.observe_again(at, "need_user", json!({"text": text}))
        } else {
            give_up(self.texts.unfilled_step_reason(at, step, file))
        })
    }
}
