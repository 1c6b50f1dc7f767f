//! Inputs of a run: the complete inputs, the language, and the title for lists.

use crate::agent_spec::input_check;
use crate::agent_spec::types::spec::{AgentSpec, TitleLanguage};
use crate::engine::program::ProgramError;
use crate::programs::conversation::ending::title::cut_at_word;
use crate::protocol::Locale;
use crate::turn::typed_secret;
use serde_json::{Map, Value};

/// Maximum length of a title in lists, in characters.
const MAX_TITLE_CHARS: usize = 80;

/// Complete input of a run: values with defaults filled in, language, title.
pub struct RunInputs {
    pub values: Map<String, Value>,
    pub locale: Locale,
    pub title: String,
}

impl RunInputs {
    /// Checks an input and fills in defaults. Fails with all faults in one text.
    pub fn complete(spec: &AgentSpec, input: &Map<String, Value>) -> Result<Self, ProgramError> {
        let values = input_check::complete(spec, input).map_err(ProgramError::BadInput)?;
        let locale = Locale::from_input_or_english(input);
        Ok(Self { title: run_title(spec, input, locale), values, locale })
    }
}

/// Returns the agent's title, followed by its first text input.
fn run_title(spec: &AgentSpec, input: &Map<String, Value>, locale: Locale) -> String {
    let language = match locale {
        Locale::Uk => TitleLanguage::Uk,
        Locale::En => TitleLanguage::En,
    };
    let first_text = spec.inputs.iter().find_map(|variable| input.get(&variable.name)?.as_str());
    match first_text.filter(|text| !text.trim().is_empty()) {
        Some(text) => shorten_title(&format!("{}: {}", spec.title(language), text.trim())),
        None => shorten_title(spec.title(language)),
    }
}

/// Returns the first line of the text, shortened.
fn shorten_title(text: &str) -> String {
    let text = typed_secret::mask_placeholders(text);
    let line = text.lines().next().unwrap_or_default().trim();
    match text.trim().lines().count() {
        0 | 1 => cut_at_word(line, MAX_TITLE_CHARS),
        _ => cut_at_word(&format!("{line} …"), MAX_TITLE_CHARS),
    }
}
