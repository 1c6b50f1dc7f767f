//! Changes of a conversation's memory, and of its history with it.

use crate::planning::HistoryEntry;
use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::state::memory::MemoryChange;
use crate::programs::conversation::state::memory::premoves::PremoveChange;
use crate::programs::conversation::state::memory::summary_range;
use crate::programs::conversation::state::memory::summary_range::Compacting;

impl ConversationState {
    pub(crate) fn remember(&mut self, change: MemoryChange) {
        match change {
            MemoryChange::Relics(names) => {
                for name in names {
                    if !self.memory.relics.contains(&name) {
                        self.memory.relics.push(name);
                    }
                }
            }
            MemoryChange::Compacting(begun) => self.memory.compacting = Some(begun),
            MemoryChange::Compacted { text } => self.compact(text.as_deref()),
            MemoryChange::Premove(change) => {
                if let PremoveChange::Ended { name, text: Some(text), .. } = &change
                    && self.memory.premoves.last_result(name) != Some(text)
                {
                    self.messages.push(HistoryEntry::Premove { name: name.clone(), text: text.clone() });
                }
                self.memory.premoves.change(change);
            }
            MemoryChange::Noted(note) => self.memory.note = note,
            MemoryChange::Thought { turn, tokens } => {
                self.memory.thoughts.count_thought(tokens);
                self.notes.clear();
                self.messages.push(HistoryEntry::Acted { turn, results: Vec::new() });
            }
        }
    }

    /// Records that a turn with actions was planned.
    pub(crate) fn was_planned(&mut self) {
        self.memory.thoughts.count_action();
        self.memory.premoves.change(PremoveChange::Planned);
    }

    /// Adds the results of premoves that a summary has replaced to the history again, as they are now.
    pub(crate) fn restore_premove_results(&mut self) {
        let reported: Vec<&str> = self.messages.iter().filter_map(premove_name).collect();
        let lost = self.memory.premoves.last_results().filter(|(name, _)| !reported.contains(name));
        let copies =
            lost.map(|(name, text)| HistoryEntry::Premove { name: name.to_owned(), text: text.to_owned() });
        let copies: Vec<HistoryEntry> = copies.collect();
        self.messages.extend(copies);
    }

    /// Applies the summary under way; `None` if it failed.
    fn compact(&mut self, text: Option<&str>) {
        let Some(Compacting { cut, .. }) = self.memory.compacting.take() else { return };
        match text {
            Some(text) => {
                self.memory.summarized_entries += cut.removed_entries();
                self.messages = cut.replace(std::mem::take(&mut self.messages), text);
                self.memory.compact_at = 0;
                self.restore_premove_results();
            }
            None => self.memory.compact_at = summary_range::retry_length(&self.messages),
        }
    }
}

fn premove_name(entry: &HistoryEntry) -> Option<&str> {
    match entry {
        HistoryEntry::Premove { name, .. } => Some(name),
        HistoryEntry::Message { .. }
        | HistoryEntry::Acted { .. }
        | HistoryEntry::Ended { .. }
        | HistoryEntry::Summary { .. } => None,
    }
}
