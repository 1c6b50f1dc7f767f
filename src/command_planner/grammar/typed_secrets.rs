//! Secret values in plain commands.

use crate::command_planner::grammar::command::CommandAction;
use crate::text::secret_words::{names_secret, surely_secret};

/// Returns the values that a command types into a field with a secret name.
pub fn typed_secrets(wish: &CommandAction) -> impl Iterator<Item = &str> {
    let (readings, fields) = match wish {
        CommandAction::Type { readings } | CommandAction::Set { readings } => (readings.as_slice(), &[][..]),
        CommandAction::Fill { fields, whole } => (whole.as_slice(), fields.as_slice()),
        _ => (&[][..], &[][..]),
    };
    let filled = fields.iter().map(|reading| (0, reading));
    // The most likely reading counts with all secret names; other readings only with unambiguous ones.
    let secret = readings.iter().enumerate().chain(filled).filter(|(at, reading)| {
        let asks_for_secret = if *at == 0 { names_secret } else { surely_secret };
        reading.field.as_ref().is_some_and(|name| asks_for_secret(&name.full) || asks_for_secret(&name.text))
    });
    secret
        .flat_map(|(_, reading)| &reading.values)
        .map(String::as_str)
        .filter(|value| !value.trim().is_empty())
}
