//! Final responses of an orchestration, in the run's language.

use crate::engine::program::words::truncate_value;
use crate::programs::orchestration::plan::read::PlanFault;
use crate::programs::orchestration::state::StepFault;
use crate::protocol::Locale;

pub fn step_failed(id: &str, agent: &str, error: Option<&StepFault>, locale: Locale) -> String {
    let told = match locale {
        Locale::Uk => format!("Крок `{id}` (агент `{agent}`) не вдався"),
        Locale::En => format!("Step `{id}` (agent `{agent}`) failed"),
    };
    because(told, error)
}

pub fn block_failed(id: &str, error: Option<&StepFault>, locale: Locale) -> String {
    let told = match locale {
        Locale::Uk => format!("Паралельний крок `{id}` не вдався"),
        Locale::En => format!("The parallel step `{id}` failed"),
    };
    because(told, error)
}

fn because(told: String, error: Option<&StepFault>) -> String {
    match error {
        Some(error) => format!("{told}: {}", truncate_value(error.said.as_ref().unwrap_or(&error.message))),
        None => format!("{told}."),
    }
}

pub fn out_of_time(locale: Locale) -> String {
    let said = locale.pick("Час оркестрації вийшов.", "The orchestration ran out of time.");
    said.to_owned()
}

pub fn no_plan(faults: &[PlanFault], locale: Locale) -> String {
    let lines: Vec<String> =
        faults.iter().map(|fault| format!("- {}: {}", fault.path, fault.message)).collect();
    let told = locale.pick("План неможливо виконати", "The plan cannot be carried out");
    format!("{told}:\n{}", lines.join("\n"))
}

pub fn broke_down(locale: Locale) -> String {
    let said = locale.pick("Крок оркестрації аварійно зупинився.", "A step of the orchestration crashed.");
    said.to_owned()
}

pub fn partial(locale: Locale) -> &'static str {
    locale.pick("Виконано частково.", "Partly done.")
}
