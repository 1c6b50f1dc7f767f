//! Texts for people stand in `src/texts`, in both languages. Elsewhere Cyrillic letters stand only where words of
//! pages and people are recognised, or in files that ship as they are.

use super::none;
use super::source::{File, files};

/// Other places with Cyrillic letters. The list may only become shorter.
const RECOGNISED: &[(&str, &str)] = &[
    ("src/agent_spec/files/native/", "titles of agents"),
    ("src/browser/injected/", "words of pages"),
    ("src/cli/client/agents/skeletons/", "templates of agents"),
    ("src/command_planner/grammar/", "phrases of plain commands"),
    ("src/command_planner/on_page/", "phrases of plain commands"),
    ("src/command_planner/plan_request.rs", "letters of the language, calls for help"),
    ("src/demo/visitors/", "a customer of the demo shop"),
    ("src/gate/effect/form.rs", "words of pages"),
    ("src/gate/wording/", "words of pages"),
    ("src/knowledge/query.rs", "words of questions"),
    ("src/model/prompt/length_tests.rs", "texts of a property test"),
    ("src/page/extracted_rows/", "words of pages"),
    ("src/programs/conversation/ending/title.rs", "titles of pages"),
    ("src/script/author/identifiers.rs", "letters in Latin script"),
    ("src/secrets/login_pairs.rs", "words of messages"),
    ("src/secrets/named_in_answer.rs", "words of answers"),
    ("src/secrets/named_in_text.rs", "words of messages"),
    ("src/text/secret_words.rs", "names of secret fields"),
    ("src/text/word_forms.rs", "endings of words"),
];

/// Numbers and texts of the lines that ship with a Cyrillic letter, apart from comments.
fn cyrillic_lines(file: &File) -> Vec<(usize, &str)> {
    let is_rust = file.path.ends_with(".rs");
    let shipped = if is_rust { file.production().lines().count() } else { usize::MAX };
    let lines = file.text.lines().enumerate().take(shipped);
    let is_cyrillic = |letter: char| ('\u{400}'..='\u{4ff}').contains(&letter);
    lines
        .map(|(number, line)| (number + 1, line.trim()))
        .filter(|(_, line)| !line.starts_with("//") && line.contains(is_cyrillic))
        .collect()
}

#[test]
fn texts_for_people_stand_in_the_catalogue() {
    let mut faults = Vec::new();
    let mut unused: Vec<&str> = RECOGNISED.iter().map(|(path, _)| *path).collect();
    for ending in ["rs", "js", "txt", "yaml"] {
        for file in files(&["src"], ending).iter().filter(|file| !file.path.starts_with("src/texts/")) {
            let lines = cyrillic_lines(file);
            if lines.is_empty() {
                continue;
            }
            match RECOGNISED.iter().find(|(path, _)| file.path.starts_with(path)) {
                Some((path, _)) => unused.retain(|other| other != path),
                None => faults.extend(lines.iter().map(|(number, line)| {
                    format!("{}:{number}: move the text to src/texts: {line}", file.path)
                })),
            }
        }
    }
    faults.extend(unused.iter().map(|path| format!("{path}: has no Cyrillic letters any more; remove it")));
    none(faults);
}
