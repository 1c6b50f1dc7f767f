//! What people read of a run of one call, in the run's language.

use crate::build::BuildFault;
use crate::program::cause::Cause;
use crate::program::words::cut;
use crate::protocol::Locale;
use crate::sandbox::SandboxError;
use crate::spec::AgentSpec;
use serde_json::Value;

/// What will happen, for the person who decides.
pub fn sentence(spec: &AgentSpec, action: &Value, isolated: bool, locale: Locale) -> String {
    let params = &action["params"];
    if let Some(tool) = &spec.mcp {
        let given = cut(&params["arguments"].to_string());
        return match locale {
            Locale::Uk => {
                format!("Викликати інструмент `{}` сервера MCP `{}` з `{given}`.", tool.tool, tool.server)
            }
            Locale::En => {
                format!("Call the tool `{}` of the MCP server `{}` with `{given}`.", tool.tool, tool.server)
            }
        };
    }
    let what = match (spec.python.is_some(), locale) {
        (true, Locale::Uk) => format!("Виконати програму Python агента `{}`", spec.name),
        (true, Locale::En) => format!("Run the Python code of agent `{}`", spec.name),
        (false, Locale::Uk) => format!("Виконати команду {}", command(params)),
        (false, Locale::En) => format!("Run the command {}", command(params)),
    };
    let mut touches: Vec<String> = Vec::new();
    if !isolated {
        touches.push(
            locale
                .pick(
                    "без пісочниці, з доступом до всього комп’ютера",
                    "without a sandbox, with access to this whole computer",
                )
                .to_owned(),
        );
    }
    if params["files"] == true {
        touches.push(locale.pick("з файлами цього виконання", "with the files of this run").to_owned());
    }
    if let Some(names) = params["env"].as_array().filter(|names| !names.is_empty()) {
        let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        let words = locale.pick("зі змінними середовища", "with the environment variables");
        touches.push(format!("{words} {}", names.join(", ")));
    }
    if touches.is_empty() { format!("{what}.") } else { format!("{what}, {}.", touches.join(", ")) }
}

/// The command, where its sentence does not tell it whole.
pub fn long_command(params: &Value) -> Option<String> {
    let typed = typed(params);
    (!typed.is_empty() && cut(&typed) != typed).then_some(typed)
}

fn command(params: &Value) -> String {
    format!("`{}`", cut(&typed(params)))
}

/// As it could be typed: each argument apart from the next.
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

/// Why code gave nothing, with the lines that led there.
pub fn fault(fault: &SandboxError, locale: Locale) -> String {
    match fault.traceback() {
        Some(lines) => format!("{fault}\n\n{}\n```\n{lines}\n```", locale.pick("Де:", "Where:")),
        None => fault.to_string(),
    }
}

/// The same for those who called it (S2.28).
pub fn cause(fault: &SandboxError) -> Cause {
    Cause {
        error: fault.to_string(),
        error_type: fault.kind().to_owned(),
        traceback: fault.traceback().map(str::to_owned),
    }
}

pub fn declined(said: Option<&str>, locale: Locale) -> String {
    let told = locale.pick("Ви відмовили; нічого не виконано.", "You declined; nothing was run.");
    match said {
        Some(words) => format!("{told} {words}"),
        None => told.to_owned(),
    }
}

/// Secrets do not outlive the process, nor the end of their run tree.
pub fn secret_gone(input: &str, locale: Locale) -> String {
    match locale {
        Locale::Uk => {
            format!(
                "Секрет `{input}` жив лише в пам’яті й після перезапуску служби невідомий; запустіть ще раз."
            )
        }
        Locale::En => format!(
            "The secret `{input}` was known in memory only, and is not any more since the service was started anew; run it again."
        ),
    }
}

pub fn secret_of_pages(input: &str, locale: Locale) -> String {
    match locale {
        Locale::Uk => {
            format!(
                "Секрети з налаштувань вводяться лише на своїх сайтах; `{input}` потребує самого значення."
            )
        }
        Locale::En => format!(
            "Secrets of the settings are typed into their own sites alone; `{input}` must be given the value itself."
        ),
    }
}

pub fn unknown(locale: Locale) -> &'static str {
    locale.pick(
        "Службу перервано посеред виконання; чи воно сталося, невідомо, тому само воно не повторюється.",
        "The service was cut off in the middle of it; whether it happened is not known, so it is not repeated by itself.",
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
        (true, Locale::En) => format!("`{agent}` is built"),
        (false, Locale::Uk) => format!("`{agent}` не зібрано"),
        (false, Locale::En) => format!("`{agent}` is not built"),
    }
}

/// Why it does not even begin.
pub fn not_built(fault: &BuildFault, locale: Locale) -> String {
    match locale {
        Locale::Uk => format!("Агента не зібрано: {fault}"),
        Locale::En => format!("The agent is not built: {fault}"),
    }
}
