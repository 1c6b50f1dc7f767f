//! Reading the page in front: searching it, extracting text and rows, and waiting for a text.

pub mod extract_rows;
mod embedded_pdf;
pub(super) mod wait;

use crate::browser::error::PageError;
use crate::browser::input::outcome::{ActionRun, ReadContent};
use crate::browser::input::reading::extract_rows::{RowsOrder, RowsOutcome};
use crate::browser::page::frames::query_all;

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

impl PageReading {
    pub async fn read(
        self,
        run: &mut ActionRun<'_>,
        model_completes_rows: bool,
    ) -> Result<ReadContent, PageError> {
        let (context, tab) = (run.context, &run.tab);
        match self {
            Self::Find { text, role } => {
                query_all::find(tab, &text, role.as_deref()).await.map(ReadContent::Text)
            }
            Self::Text { eid } => {
                embedded_pdf::read_text_or_save(context, tab, eid).await.map(ReadContent::Text)
            }
            Self::Rows(order) => {
                match extract_rows::extract(context, tab, order, model_completes_rows).await? {
                    RowsOutcome::Stored { text, effects } => {
                        run.settling.effects.extend(effects);
                        Ok(ReadContent::Text(text))
                    }
                    RowsOutcome::Lacking(rows) => Ok(ReadContent::LackingRows(rows)),
                }
            }
        }
    }
}
