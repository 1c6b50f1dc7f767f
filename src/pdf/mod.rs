//! PDF files of a run: their text page by page, and their pages as pictures. PDFs come from outside and are read by
//! a process of its own (`worker`), which has limits of memory and time and whose end harms nobody.

pub mod annotations;
pub(crate) mod confinement;
pub mod glyphs;
pub mod layout;
pub mod lines;
pub mod process;
pub mod render;
pub mod report;
pub mod worker;

use crate::turn::page_range::{PageRange, RangeError};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Largest file that is read, in bytes.
pub const LARGEST: u64 = 200_000_000;
/// Greatest number of pictures of one request.
pub const MOST_PICTURES: usize = 4;

/// Request to read a PDF.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PdfRequest {
    pub path: PathBuf,
    /// Pages to read; `None` reads from the first one.
    pub pages: Option<PageRange>,
    /// Also draws the pages.
    pub pictures: bool,
    /// Number of characters after which no other page is begun.
    pub most_chars: usize,
}

/// Content of a PDF, as far as it was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PdfReading {
    /// Number of pages of the file.
    pub count: u32,
    pub title: Option<String>,
    pub pages: Vec<PdfPage>,
    /// Pages that were asked for and not read.
    pub unread_pages: Vec<u32>,
    /// Page at which reading ended, as it takes too long or too much memory.
    pub failed_at: Option<u32>,
}

/// Content of one page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PdfPage {
    pub number: u32,
    pub text: String,
    pub fields: Vec<annotations::FormField>,
    pub links: Vec<String>,
    /// Number of pictures on the page.
    pub images: usize,
    /// True if the fonts do not tell many of the letters.
    pub is_garbled: bool,
    /// True if the page is too broken to be read.
    pub is_broken: bool,
    /// True if the page was drawn.
    pub is_drawn: bool,
    /// JPEG of the page; never recorded.
    #[serde(skip)]
    pub picture: Option<Vec<u8>>,
}

impl PdfPage {
    /// Counts the characters of the text, of the fields and of the links.
    pub fn count_chars(&self) -> usize {
        let count = |text: &str| text.chars().count();
        let fields = self.fields.iter().map(|field| count(&field.name) + field.value.text().map_or(0, count));
        let links = self.links.iter().map(|link| count(link));
        count(&self.text) + fields.chain(links).sum::<usize>()
    }
}

/// Reasons why a PDF cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum PdfError {
    #[error("it is no PDF; only PDFs can be read")]
    NotPdf,
    #[error("it is broken and cannot be read")]
    Broken,
    #[error("it is encrypted and needs a password; ask the person for a copy without one")]
    Password,
    #[error("it is encrypted in a way that cannot be read")]
    Encryption,
    #[error("it is too large to be read ({0} MB; at most {max} MB)", max = LARGEST / 1_000_000)]
    TooLarge(u64),
    #[error("it is too complex: opening it takes too long or too much memory")]
    TooComplex,
    #[error("at most {MOST_PICTURES} pages can be shown as pictures at a time; give fewer `pages`")]
    TooManyPictures,
    #[error("{0}")]
    Range(String),
    #[error("it cannot be opened: {0}")]
    File(String),
}

impl From<RangeError> for PdfError {
    fn from(fault: RangeError) -> Self {
        Self::Range(fault.to_string())
    }
}
