//! The files of the UI (`static/`), embedded in the binary.

use rust_embed::Embed;

#[derive(Embed)]
#[folder = "static/"]
pub struct PageFiles;

impl PageFiles {
    /// Returns a text file.
    pub fn text(path: &str) -> Option<String> {
        String::from_utf8(Self::get(path)?.data.into_owned()).ok()
    }
}
