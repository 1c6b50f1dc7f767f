//! The files of the page, as they are written in `static/`, in the binary.

use rust_embed::Embed;

#[derive(Embed)]
#[folder = "static/"]
pub struct PageFiles;

impl PageFiles {
    /// A file of text.
    pub fn text(path: &str) -> Option<String> {
        String::from_utf8(Self::get(path)?.data.into_owned()).ok()
    }
}
