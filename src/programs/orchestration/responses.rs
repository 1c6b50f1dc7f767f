//! Final responses of an orchestration that name a fault, in the run's language.

use crate::engine::program::result_text::truncate_value;
use crate::programs::orchestration::plan::parse::PlanFault;
use crate::programs::orchestration::state::StepFault;
use crate::protocol::Locale;
use crate::texts::endings;

pub fn step_failed(id: &str, agent: &str, error: Option<&StepFault>, locale: Locale) -> String {
    append_error(endings::step_failed(id, agent, locale), error)
}

pub fn block_failed_text(id: &str, error: Option<&StepFault>, locale: Locale) -> String {
    append_error(endings::parallel_step_failed(id, locale), error)
}

fn append_error(sentence: String, error: Option<&StepFault>) -> String {
    match error {
        Some(error) => {
            format!(
                "{sentence}: {}",
                truncate_value(error.message_for_people.as_ref().unwrap_or(&error.message))
            )
        }
        None => format!("{sentence}."),
    }
}

pub fn no_plan(faults: &[PlanFault], locale: Locale) -> String {
    let lines: Vec<String> =
        faults.iter().map(|fault| format!("- {}: {}", fault.path, fault.message)).collect();
    format!("{}:\n{}", endings::plan_impossible(locale), lines.join("\n"))
}
