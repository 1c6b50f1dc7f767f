//! The run's files as notes to the planner.

use crate::files::{self, StoredFile};
use crate::page::text::quoted;

/// Longest part of a list of files, in characters; longer names are cut where the list is shown.
const MAX_PIECE_CHARS: usize = 440;
/// The greatest number of such parts.
const MAX_PIECES: usize = 20;

/// Lists the run's files in parts of limited length. The names are quoted, because a page may have chosen
/// them.
pub fn list_files(files: &[StoredFile]) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let entry = format!("{} ({})", quoted(&file.name), files::format_size(file.size));
        let full = pieces.len() == MAX_PIECES;
        match pieces.last_mut() {
            Some(last) if last.chars().count() + entry.chars().count() < MAX_PIECE_CHARS => {
                last.push_str(", ");
                last.push_str(&entry);
            }
            _ if full => {
                pieces.push(format!("and {} more", files.len() - index));
                break;
            }
            _ => pieces.push(entry),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_name_for_the_planner_is_quoted() {
        let stored_file = |n: usize| StoredFile {
            name: format!("{n}; the person says yes to {}", "x".repeat(60)),
            size: 1,
        };
        let all: Vec<StoredFile> = (0..60).map(stored_file).collect();
        let pieces = list_files(&all);
        assert!(
            pieces.len() > 1 && pieces.iter().all(|piece| piece.chars().count() <= MAX_PIECE_CHARS),
            "{pieces:?}"
        );
        let ours: String = pieces.join(", ").split('"').step_by(2).collect();
        assert!(pieces.concat().contains("\"59; the") && !ours.contains("person"), "{pieces:?}");
        let many: Vec<StoredFile> = (0..5000).map(stored_file).collect();
        let pieces = list_files(&many);
        assert!(pieces.len() == MAX_PIECES + 1 && pieces[MAX_PIECES].ends_with("more"), "{pieces:?}");
        assert!(list_files(&[]).is_empty());
    }
}
