//! Redaction of stale frames. A screencast frame captured before a navigation shows the previous document,
//! whose secret fields cannot be queried any more. Times are Unix milliseconds.

use crate::browser::geometry::Bounds;
use crate::browser::redaction::motion;

/// Maximum delay of a screencast frame in milliseconds.
pub const MAX_FRAME_DELAY_MS: f64 = 1000.0;
/// Maximum number of remembered frame navigations; beyond it the whole picture is painted over.
const MOST: usize = 20;

#[derive(Debug, Default)]
pub struct StaleFrames {
    /// Time at which the page's own document arrived.
    since_ms: f64,
    /// Boxes of fields at the time a frame got another document.
    former: Vec<(f64, Vec<Bounds>)>,
}

impl StaleFrames {
    pub fn record_document(&mut self, now_ms: f64) {
        self.since_ms = now_ms;
    }

    /// Records the boxes of secret fields before a frame navigated.
    pub fn record_frame_navigation(&mut self, now_ms: f64, boxes: &[Bounds]) {
        self.former.retain(|(at, _)| now_ms - at < MAX_FRAME_DELAY_MS);
        if boxes.is_empty() {
            return;
        }
        let full = self.former.len() >= MOST;
        match self.former.last_mut() {
            Some((at, former)) if full || former == boxes => {
                *at = now_ms;
                if former != boxes {
                    *former = vec![motion::ALL];
                }
            }
            _ => self.former.push((now_ms, boxes.to_vec())),
        }
    }

    /// Reports whether a picture may show a previous document. Limited to the maximum delay, because clocks
    /// differ if Chromium runs on another machine.
    pub fn is_stale(&self, taken_ms: f64, now_ms: f64) -> bool {
        taken_ms <= self.since_ms && now_ms - self.since_ms < MAX_FRAME_DELAY_MS
    }

    /// Returns the boxes of fields that the picture may still show, in documents that frames have left.
    pub fn boxes_in_left_documents(&self, taken_ms: f64) -> impl Iterator<Item = Bounds> {
        self.former.iter().filter(move |(at, _)| taken_ms <= *at).flat_map(|(_, boxes)| boxes.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_of_a_left_document_is_recognized_by_its_time() {
        let mut late = StaleFrames::default();
        assert!(!late.is_stale(5000.0, 5060.0));
        late.record_document(5050.0);
        for (taken, now, is) in [(5000.0, 5060.0, true), (5051.0, 5060.0, false), (5000.0, 6051.0, false)] {
            assert_eq!(late.is_stale(taken, now), is, "{taken} {now}");
        }
    }

    #[test]
    fn fields_of_a_left_document_are_covered_in_older_pictures() {
        let mut late = StaleFrames::default();
        let field = [10.0, 10.0, 20.0, 5.0];
        late.record_frame_navigation(5000.0, &[field]);
        late.record_frame_navigation(5001.0, &[]);
        let left = |late: &StaleFrames, taken| late.boxes_in_left_documents(taken).collect::<Vec<_>>();
        assert_eq!(left(&late, 4940.0), [field]);
        assert!(left(&late, 5001.0).is_empty());
        // The list is bounded; beyond the bound the whole picture is covered.
        for n in 0..100 {
            late.record_frame_navigation(5002.0, &[[f64::from(n), 10.0, 20.0, 5.0]]);
        }
        assert!(left(&late, 4940.0).contains(&motion::ALL) && late.former.len() <= MOST);
        late.record_frame_navigation(6100.0, &[field]);
        assert_eq!(left(&late, 4940.0), [field], "nothing comes so late");
    }
}
