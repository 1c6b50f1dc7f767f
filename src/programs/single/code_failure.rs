//! Failures of code: the text for people, and the cause for the caller.

use crate::agent_spec::types::spec::AgentSpec;
use crate::engine::program::ended_child::FailureCause;
use crate::programs::single::approval_text::title_language;
use crate::protocol::Locale;
use crate::sandbox::error::SandboxError;
use crate::texts::endings;

/// Explains a failure of code: a sentence for people, then for developers the error and the traceback.
pub fn failure_text(spec: &AgentSpec, fault: &SandboxError, locale: Locale) -> String {
    let sentence = sentence(spec, fault, locale);
    match fault.traceback() {
        Some(lines) => {
            format!("{sentence}\n\n{fault}\n\n{}\n```\n{lines}\n```", endings::traceback_label(locale))
        }
        None => format!("{sentence}\n\n{fault}"),
    }
}

fn sentence(spec: &AgentSpec, fault: &SandboxError, locale: Locale) -> String {
    use SandboxError::{Cpu, Exception, Memory, MissingLibrary, Output, Processes, Scratch, Time};
    if let Exception { uk, en, .. } = fault {
        let sentence = locale.pick(uk.trim(), en.trim());
        if !sentence.is_empty() {
            return sentence.to_owned();
        }
    }
    let title = spec.title(title_language(locale));
    match fault {
        Time(_) | Cpu(_) => endings::program_ran_too_long(title, locale),
        Memory(_) | Processes(_) | Output(_) | Scratch(_) => endings::program_needed_too_much(title, locale),
        MissingLibrary { .. } => endings::program_needs_library(title, locale),
        _ => endings::program_failed(title, locale),
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
