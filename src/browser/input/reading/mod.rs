//! Reading the page in front: searching it, extracting text and rows, and waiting for a text.

pub(super) mod embedded_pdf;
pub mod extract_rows;
pub(super) mod wait;

use crate::browser::input::reading::extract_rows::RowsOrder;

/// Reading of a page.
pub(super) enum PageReading {
    /// Searches elements and texts of the whole page; `role` leaves others out.
    Find {
        text: String,
        role: Option<String>,
    },
    /// Extracts the text of an element, or of the page.
    Text {
        eid: Option<u32>,
    },
    Rows(RowsOrder),
}
