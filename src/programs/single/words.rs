//! Texts of a single-call run for people, in the run's language.

use crate::agent_spec::types::spec::{AgentSpec, TitleLanguage};
use crate::engine::program::cause::FailureCause;
use crate::engine::program::words::truncate_value;
use crate::protocol::Locale;
use crate::sandbox::build::fault::BuildError;
use crate::sandbox::fault::SandboxError;
use serde_json::{Map, Value, json};

/// Describes the action to the person who decides.
pub fn sentence(spec: &AgentSpec, action: &Value, isolated: bool, locale: Locale) -> String {
    let params = &action["params"];
    if let Some(tool) = &spec.mcp {
        let given = truncate_value(&params["arguments"].to_string());
        return match locale {
            Locale::Uk => {
                format!("Викликати інструмент `{}` сервера MCP `{}` з `{given}`.", tool.tool, tool.server)
            }
            Locale::En => {
                format!("Call the tool `{}` of the MCP server `{}` with `{given}`.", tool.tool, tool.server)
            }
        };
    }
    let title = spec.title(tongue(locale));
    let what = match (spec.python.is_some(), locale) {
        (true, Locale::Uk) => format!("Виконати програму агента «{title}»"),
        (true, Locale::En) => format!("Run the program of the agent “{title}”"),
        (false, Locale::Uk) => format!("Виконати команду {}", command(params)),
        (false, Locale::En) => format!("Run the command {}", command(params)),
    };
    let touches = touches(params, isolated, locale);
    if touches.is_empty() { format!("{what}.") } else { format!("{what}, {}.", touches.join(", ")) }
}

/// Lists the resources that the code can use beyond its inputs.
fn touches(params: &Value, isolated: bool, locale: Locale) -> Vec<String> {
    let mut touches: Vec<String> = Vec::new();
    if !isolated {
        touches.push(
            locale
                .pick(
                    "без пісочниці, з доступом до всього комп’ютера",
                    "without a sandbox, with access to the whole computer",
                )
                .to_owned(),
        );
    }
    if let Some(names) = params["env"].as_array().filter(|names| !names.is_empty()) {
        let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        let words = locale.pick("зі змінними середовища", "with the environment variables");
        touches.push(format!("{words} {}", names.join(", ")));
    }
    if params["files"] == true {
        let words = locale.pick(
            "із файлами цього завдання: програма може їх читати, змінювати й створювати",
            "with the files of this task: it can read, change and create them",
        );
        touches.push(words.to_owned());
    }
    touches
}

/// Returns the description of the agent, and labels of its inputs, to show beside the question.
pub fn about(spec: &AgentSpec, locale: Locale) -> (Option<String>, Map<String, Value>) {
    let own = |uk: &Option<String>, en: &Option<String>| {
        let (own, other) = match locale {
            Locale::Uk => (uk, en),
            Locale::En => (en, uk),
        };
        let said = |one: &Option<String>| one.clone().filter(|said| !said.trim().is_empty());
        said(own).or_else(|| said(other))
    };
    let labels = spec.inputs.iter().filter_map(|input| {
        let label = own(&input.description_ua, &input.description)?;
        Some((input.name.clone(), json!(label.trim().trim_end_matches('.'))))
    });
    (own(&spec.description_ua, &spec.description_en), labels.collect())
}

fn tongue(locale: Locale) -> TitleLanguage {
    match locale {
        Locale::Uk => TitleLanguage::Uk,
        Locale::En => TitleLanguage::En,
    }
}

/// Returns the whole command if its sentence truncates it.
pub fn long_command(params: &Value) -> Option<String> {
    let typed = typed(params);
    (!typed.is_empty() && truncate_value(&typed) != typed).then_some(typed)
}

fn command(params: &Value) -> String {
    format!("`{}`", truncate_value(&typed(params)))
}

/// Formats the command as it could be typed in a shell, with quoted arguments.
fn typed(params: &Value) -> String {
    let args = params["args"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let quoted = |word: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word.to_owned()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    let words: Vec<String> = params["command"].as_str().into_iter().chain(args).map(quoted).collect();
    words.join(" ")
}

/// Explains a failure of code: a sentence for people, then for developers the error and the traceback.
pub fn fault(spec: &AgentSpec, fault: &SandboxError, locale: Locale) -> String {
    let said = for_people(spec, fault, locale);
    match fault.traceback() {
        Some(lines) => {
            format!("{said}\n\n{fault}\n\n{}\n```\n{lines}\n```", locale.pick("Де:", "Where:"))
        }
        None => format!("{said}\n\n{fault}"),
    }
}

fn for_people(spec: &AgentSpec, fault: &SandboxError, locale: Locale) -> String {
    use SandboxError::{Cpu, Exception, Memory, MissingLibrary, Output, Processes, Scratch, Time};
    if let Exception { uk, en, .. } = fault {
        let said = locale.pick(uk.trim(), en.trim());
        if !said.is_empty() {
            return said.to_owned();
        }
    }
    let title = spec.title(tongue(locale));
    match locale {
        Locale::Uk => {
            let what = match fault {
                Time(_) | Cpu(_) => "працювала довше, ніж дозволено",
                Memory(_) | Processes(_) | Output(_) | Scratch(_) => "потребувала більше, ніж дозволено",
                MissingLibrary { .. } => "потребує бібліотеки, якої тут немає",
                _ => "зупинилася через помилку",
            };
            format!("Програма агента «{title}» {what}.")
        }
        Locale::En => {
            let what = match fault {
                Time(_) | Cpu(_) => "ran longer than allowed",
                Memory(_) | Processes(_) | Output(_) | Scratch(_) => "needed more than allowed",
                MissingLibrary { .. } => "needs a library that is not installed",
                _ => "stopped with an error",
            };
            format!("The program of the agent “{title}” {what}.")
        }
    }
}

/// Converts the failure to a cause for the caller (S2.28).
pub fn cause(fault: &SandboxError) -> FailureCause {
    FailureCause {
        error: fault.to_string(),
        error_type: fault.kind().to_owned(),
        traceback: fault.traceback().map(str::to_owned),
    }
}

pub fn declined(said: Option<&str>, locale: Locale) -> String {
    let told = locale.pick("Ви відхилили; нічого не виконано.", "You declined; nothing was run.");
    match said {
        Some(words) => format!("{told} {words}"),
        None => told.to_owned(),
    }
}

/// Explains that a secret is lost. Secrets outlive neither the process nor their run tree.
pub fn secret_gone(input: &str, locale: Locale) -> String {
    match locale {
        Locale::Uk => {
            format!(
                "Секрет `{input}` зберігався лише в пам’яті, і після перезапуску сервісу його вже немає; запустіть ще раз."
            )
        }
        Locale::En => format!(
            "The secret `{input}` was kept only in memory and was lost when the service restarted; run it again."
        ),
    }
}

pub fn secret_of_pages(input: &str, locale: Locale) -> String {
    match locale {
        Locale::Uk => {
            format!(
                "Секрети з налаштувань вводяться лише на своїх сайтах; для `{input}` потрібне саме значення."
            )
        }
        Locale::En => format!(
            "Secrets from the settings can only be typed into their own sites; `{input}` needs the value itself."
        ),
    }
}

pub fn unknown(locale: Locale) -> &'static str {
    locale.pick(
        "Сервіс перервано посеред виконання; чи його завершено, невідомо, тому автоматично воно не повторюється.",
        "The service was interrupted in the middle of this; it is not known whether it happened, so it is not repeated automatically.",
    )
}

pub fn building(agent: &str, at: &str, locale: Locale) -> String {
    let what = match locale {
        Locale::Uk => format!("Збирається `{agent}`"),
        Locale::En => format!("Building `{agent}`"),
    };
    if at.is_empty() { what } else { format!("{what}: {at}") }
}

pub fn was_built(agent: &str, done: bool, locale: Locale) -> String {
    match (done, locale) {
        (true, Locale::Uk) => format!("`{agent}` зібрано"),
        (true, Locale::En) => format!("`{agent}` was built"),
        (false, Locale::Uk) => format!("`{agent}` не вдалося зібрати"),
        (false, Locale::En) => format!("`{agent}` could not be built"),
    }
}

/// Explains a failed build.
pub fn not_built(fault: &BuildError, locale: Locale) -> String {
    match locale {
        Locale::Uk => format!("Агента не вдалося зібрати: {fault}"),
        Locale::En => format!("The agent could not be built: {fault}"),
    }
}
