//! Agent files on disk: the folder, the library that follows it, versions and built-in agents.

pub mod build_file;
pub mod native;
pub mod built_in;
pub(crate) mod folder;
pub mod library;
pub mod version;
