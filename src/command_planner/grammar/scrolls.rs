//! Parses `scroll down 2 pages`, `прокрути до кінця`, `scroll to Reviews`.

use crate::command_planner::grammar::command::{CommandAction, ParseFault};
use crate::command_planner::grammar::elements::names::parse_name;
use crate::command_planner::grammar::waits;
use crate::text::tokenize::Word;
use crate::turn::action::Direction;

const WAYS: &[(Direction, &[&str])] = &[
    (Direction::Down, &["down", "downwards", "вниз", "донизу", "нижче", "униз"]),
    (Direction::Up, &["up", "upwards", "вгору", "догори", "вище", "вверх", "наверх", "угору"]),
    (Direction::Left, &["left", "вліво", "ліворуч", "уліво"]),
    (Direction::Right, &["right", "вправо", "праворуч", "управо"]),
    (Direction::Top, &["top", "start", "beginning", "початку", "початок", "верху", "верх"]),
    (Direction::Bottom, &["bottom", "end", "кінця", "кінець", "низу", "низ"]),
];
const TO: &[&str] = &["to", "until", "till", "до", "на"];
const SMALL: &[&str] = &["the", "of", "page", "very", "a", "самого", "сторінки", "сторінку", "this", "цю"];

/// Parses the words after `scroll`.
pub fn parse_scroll(rest: &[Word]) -> CommandAction {
    if rest.is_empty() {
        return CommandAction::Scroll { direction: Direction::Down, pages: 1.0, within: None };
    }
    let leading_to = rest[0].is_any(TO);
    let body = if leading_to { &rest[1..] } else { rest };
    let plain: Vec<&Word> = body.iter().filter(|word| !word.is_any(SMALL)).collect();
    match plain.first().and_then(|word| way(word)) {
        // `scroll to the top of Prices` names a direction, `scroll to Up next` an element.
        Some(direction)
            if !leading_to || matches!(direction, Direction::Top | Direction::Bottom) || plain.len() == 1 =>
        {
            let at = body.iter().position(|word| way(word).is_some()).unwrap_or(0);
            toward(direction, &body[at + 1..])
        }
        _ => match parse_name(body) {
            Some(name) => CommandAction::ScrollTo { name },
            None => CommandAction::Unclear { why: ParseFault::NoObject },
        },
    }
}

fn way(word: &Word) -> Option<Direction> {
    WAYS.iter().find(|(_, words)| word.is_any(words)).map(|(direction, _)| *direction)
}

/// Parses the distance and the container. `down to Reviews` scrolls to an element.
fn toward(direction: Direction, rest: &[Word]) -> CommandAction {
    if let [first, more @ ..] = rest
        && first.is_any(TO)
        && more.first().is_none_or(|next| waits::parse_number(next).is_none())
    {
        return match more.iter().filter(|word| !word.is_any(SMALL)).find_map(way) {
            Some(end @ (Direction::Top | Direction::Bottom)) => {
                CommandAction::Scroll { direction: end, pages: 1.0, within: None }
            }
            _ => parse_name(more).map_or(CommandAction::Unclear { why: ParseFault::NoObject }, |name| {
                CommandAction::ScrollTo { name }
            }),
        };
    }
    let within = rest.iter().position(|word| word.is_any(&["in", "inside", "within", "в", "у"]));
    let name = within.and_then(|at| parse_name(&rest[at + 1..]));
    let names_page = within.is_some_and(|at| rest[at + 1..].iter().all(|word| word.is_any(SMALL)));
    CommandAction::Scroll { direction, pages: pages(rest), within: name.filter(|_| !names_page) }
}

fn pages(rest: &[Word]) -> f64 {
    if rest.iter().any(|word| {
        word.is_any(&["half", "пів", "півсторінки", "bit", "little", "трохи", "трошки", "slightly"])
    }) {
        return 0.5;
    }
    if rest.iter().any(|word| word.is_any(&["twice", "двічі"])) {
        return 2.0;
    }
    if rest.iter().any(|word| word.is_any(&["thrice", "тричі"])) {
        return 3.0;
    }
    rest.iter().find_map(waits::parse_number).map_or(1.0, |count| count.clamp(0.1, 100.0))
}
