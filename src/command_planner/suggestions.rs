//! Suggests the commands that are most similar to a text that is no command, with examples in the language of
//! the text.

use crate::command_planner::grammar::command::CommandAction;
use crate::command_planner::grammar::parse::parse_command;
use crate::command_planner::grammar::split::without_fillers;
use crate::command_planner::grammar::verbs::{Verb, parse_verb, phrases};
use crate::protocol::Locale;
use crate::text::tokenize::{Word, as_typed, words};
use crate::texts::commands;

/// Most suggestions in one answer.
const MOST: usize = 3;
/// Words of a sentence that are searched for the beginning of a command.
const WITHIN: usize = 12;

/// Returns commands similar to the text, the most similar first; empty if there is none.
pub fn suggest_commands(typed: &str, locale: Locale) -> Vec<String> {
    let all = words(typed);
    let words = without_fillers(&all);
    if let Some(order) = order_within(words) {
        return vec![order];
    }
    if let Some((verb, _)) = parse_verb(words) {
        // The verb is right; its object is missing.
        return vec![example(verb, locale).to_owned()];
    }
    let mut near: Vec<(f64, Verb)> = Vec::new();
    for (verb, phrase) in phrases(locale == Locale::Uk) {
        let Some(apart) = apart(words, phrase) else { continue };
        match near.iter_mut().find(|(_, known)| *known == verb) {
            Some(best) => best.0 = best.0.min(apart),
            None => near.push((apart, verb)),
        }
    }
    near.sort_by(|one, two| one.0.total_cmp(&two.0));
    near.iter().take(MOST).map(|(_, verb)| example(*verb, locale).to_owned()).collect()
}

/// Returns a command inside a sentence as typed, such as in `I need you to click on Sign in`.
fn order_within(words: &[Word]) -> Option<String> {
    let names_something = |words: &[Word]| {
        matches!(
            parse_command(words),
            CommandAction::Open { .. }
                | CommandAction::Click { .. }
                | CommandAction::Type { .. }
                | CommandAction::Fill { .. }
                | CommandAction::Select { .. }
                | CommandAction::Check { .. }
                | CommandAction::Hover { .. }
                | CommandAction::Upload { .. }
                | CommandAction::Drag { .. }
        )
    };
    let begins = |at: &usize| parse_verb(&words[*at..]).is_some() && names_something(&words[*at..]);
    (1..words.len().min(WITHIN)).find(begins).map(|at| as_typed(&words[at..]))
}

/// Returns the edit distance between a phrase and as many words, relative to the length; `None` if it is too
/// large.
fn apart(words: &[Word], phrase: &str) -> Option<f64> {
    /// Two letters of five; a larger distance means a different word.
    const FAR: f64 = 0.4;
    let count = phrase.split(' ').count();
    let typed: Vec<&str> = words.iter().take(count).map(|word| word.key.as_str()).collect();
    let typed = typed.join(" ");
    let (length, other) = (typed.chars().count(), phrase.chars().count());
    let longest = length.max(other);
    if words.len() < count || longest < 4 || length.abs_diff(other) * 5 > longest * 2 {
        return None;
    }
    let apart = strsim::osa_distance(&typed, phrase) as f64 / longest as f64;
    (apart <= FAR).then_some(apart)
}

fn example(verb: Verb, locale: Locale) -> &'static str {
    match verb {
        Verb::Open => commands::example_open(locale),
        Verb::Click => commands::example_click(locale),
        Verb::Press => commands::example_press(locale),
        Verb::DoubleClick => commands::example_double_click(locale),
        Verb::RightClick => commands::example_right_click(locale),
        Verb::Hold => commands::example_hold(locale),
        Verb::Key => commands::example_key(locale),
        Verb::Type => commands::example_type(locale),
        Verb::Fill => commands::example_fill(locale),
        Verb::Set => commands::example_set(locale),
        Verb::Clear => commands::example_clear(locale),
        Verb::Select => commands::example_select(locale),
        Verb::Check => commands::example_check(locale),
        Verb::Uncheck => commands::example_uncheck(locale),
        Verb::Hover => commands::example_hover(locale),
        Verb::Upload => commands::example_upload(locale),
        Verb::Drag => commands::example_drag(locale),
        Verb::Scroll => commands::example_scroll(locale),
        Verb::Wait => commands::example_wait(locale),
        Verb::Back => commands::example_back(locale),
        Verb::Forward => commands::example_forward(locale),
        Verb::Reload => commands::example_reload(locale),
        Verb::Tool => commands::example_tool(locale),
        Verb::Read => commands::example_read(locale),
        Verb::Find => commands::example_find(locale),
        Verb::NeedUser => commands::example_need_user(locale),
        Verb::Stop => commands::example_stop(locale),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_planner::grammar::split::split_commands;

    #[test]
    fn every_example_is_an_order_in_its_language() {
        for locale in [Locale::Uk, Locale::En] {
            for (verb, _) in phrases(true) {
                let example = example(verb, locale);
                let read = split_commands(example);
                assert_eq!(read.len(), 1, "{example}");
                assert!(
                    !matches!(read[0].wish, CommandAction::Unclear { .. }),
                    "{example}: {:?}",
                    read[0].wish
                );
            }
        }
    }
}
