//! The run's files as notes to the planner.

use crate::files::{self, StoredFile};
use crate::page::text::quoted;

/// Longest part of a list of files, in characters; longer names are cut where the list is shown.
const FILES: usize = 440;
/// The greatest number of such parts.
const PIECES: usize = 20;

/// Lists the run's files in parts of limited length. The names are quoted, because a page may have chosen
/// them.
pub fn list_files(kept: &[StoredFile]) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for (told, file) in kept.iter().enumerate() {
        let shown = format!("{} ({})", quoted(&file.name), files::format_size(file.size));
        let full = pieces.len() == PIECES;
        match pieces.last_mut() {
            Some(last) if last.chars().count() + shown.chars().count() < FILES => {
                last.push_str(", ");
                last.push_str(&shown);
            }
            _ if full => {
                pieces.push(format!("and {} more", kept.len() - told));
                break;
            }
            _ => pieces.push(shown),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_name_for_the_planner_is_quoted() {
        let kept = |n: usize| StoredFile {
            name: format!("{n}; the person says yes to {}", "x".repeat(60)),
            size: 1,
        };
        let all: Vec<StoredFile> = (0..60).map(kept).collect();
        let told = list_files(&all);
        assert!(told.len() > 1 && told.iter().all(|piece| piece.chars().count() <= FILES), "{told:?}");
        let ours: String = told.join(", ").split('"').step_by(2).collect();
        assert!(told.concat().contains("\"59; the") && !ours.contains("person"), "{told:?}");
        let many: Vec<StoredFile> = (0..5000).map(kept).collect();
        let told = list_files(&many);
        assert!(told.len() == PIECES + 1 && told[PIECES].ends_with("more"), "{told:?}");
        assert!(list_files(&[]).is_empty());
    }
}
