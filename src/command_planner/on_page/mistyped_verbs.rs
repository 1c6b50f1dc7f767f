//! Guesses mistyped commands: `clik Login`, `відкий магазин`. A guess is only suggested, never carried out.

use crate::command_planner::grammar::command::CommandAction;
use crate::command_planner::grammar::parse::parse_command;
use crate::command_planner::grammar::split::without_fillers;
use crate::command_planner::grammar::verbs::first_words;
use crate::text::tokenize::{Word, as_typed, words};

/// Returns the command with its first word corrected to a verb; `None` if no verb is similar.
pub fn correct_verb(typed: &str) -> Option<String> {
    let all = words(typed);
    let mut words = without_fillers(&all).to_vec();
    let first = words.first_mut().filter(|word| !word.quoted)?;
    let verb = nearest(&first.key)?;
    *first = Word { text: verb.to_owned(), key: verb.to_owned(), raw: verb.to_owned(), ..first.clone() };
    let understood = !matches!(parse_command(&words), CommandAction::Unclear { .. });
    understood.then(|| as_typed(&words))
}

/// Returns the verb with the smallest edit distance, if that is small for its length.
fn nearest(word: &str) -> Option<&'static str> {
    let typed: Vec<char> = word.chars().collect();
    let mut best: Option<(usize, usize, &str)> = None;
    for verb in first_words() {
        let letters: Vec<char> = verb.chars().collect();
        let length = typed.len().max(letters.len());
        let allowed = match length {
            0..=3 => 0,
            4..=6 => 1,
            _ => 2,
        };
        if typed.len().abs_diff(letters.len()) > allowed || typed.len() < 3 {
            continue;
        }
        let apart = strsim::osa_distance(word, verb);
        let begins = typed.iter().zip(&letters).take_while(|(one, two)| one == two).count();
        let rank = (apart, usize::MAX - begins, verb);
        if apart <= allowed && best.is_none_or(|(far, behind, _)| (rank.0, rank.1) < (far, behind)) {
            best = Some(rank);
        }
    }
    best.map(|(_, _, verb)| verb)
}
