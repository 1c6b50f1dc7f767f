//! Writes agents into the folder, as new texts or over existing ones. All methods may block on the disk.

use crate::agent_name;
use crate::agent_spec::comments;
use crate::agent_spec::comments::MergedText;
use crate::agent_spec::files::library::Library;
use crate::agent_spec::files::library::error::LibraryError;
use crate::agent_spec::files::version::{ExpectedState, LostComments, Version, hash_text};
use crate::agent_spec::parse::yaml::FILE_BYTES;
use crate::agent_spec::types::spec::AgentSpec;
use crate::agent_spec::{agent_lookup, check};
use std::sync::{Arc, PoisonError};

/// Attempts to save a file that is being edited by hand at the same time.
const TRIES: usize = 3;

impl Library {
    /// Saves a text as the file of that agent, if it is valid and the file is in the expected state.
    pub fn save(&self, name: &str, text: &str, expected: ExpectedState<'_>) -> Result<Version, LibraryError> {
        check_name(name)?;
        if text.len() as u64 > FILE_BYTES {
            return Err(LibraryError::TooLarge { name: name.to_owned() });
        }
        let examined = check::examine(text, Some(name), Some(self));
        let faulty = examined.errors().next().is_some();
        let Some(spec) = examined.spec.filter(|_| !faulty).map(Arc::new) else {
            return Err(LibraryError::Faulty { name: name.to_owned(), faults: examined.faults });
        };
        let _one_at_a_time = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.keep_current_version(name, expected)?;
        self.keep_and_write(name, text)?;
        Ok(Version { hash: hash_text(text), text: Arc::from(text), spec })
    }

    /// Writes a text over whatever the file contains. The caller has checked the text and holds the write
    /// lock.
    pub(crate) fn put(&self, name: &str, text: &str) -> Result<(), LibraryError> {
        self.keep_current_version(name, ExpectedState::Anything)?;
        self.keep_and_write(name, text)
    }

    fn keep_and_write(&self, name: &str, text: &str) -> Result<(), LibraryError> {
        let hash = hash_text(text);
        let disk = |path| move |source| LibraryError::Disk { path, source };
        // Keep the version first, so that every text in the folder also exists as a version.
        self.folder.keep(name, &hash, text).map_err(disk(self.folder.version(name, &hash)))?;
        self.folder.write(name, text).map_err(disk(self.folder.file(name)))?;
        self.refresh(name);
        Ok(())
    }

    /// Writes an agent over its file and preserves the comments where possible. If the file is edited at the
    /// same time, it is read again, so that its newest comments are preserved.
    pub fn save_over(
        &self,
        name: &str,
        spec: &AgentSpec,
        comments: LostComments,
        expected: ExpectedState<'_>,
    ) -> Result<Version, LibraryError> {
        check_name(name)?;
        let mut tries = TRIES;
        loop {
            tries -= 1;
            let found = self.read_text(name);
            let current = found.as_ref().map(|(_, hash)| hash.as_str());
            check_expected(name, expected, current)?;
            let carried = merge_text(name, spec, found.as_ref().map(|(text, _)| &**text))?;
            if comments == LostComments::Keep && !carried.lost.is_empty() {
                return Err(LibraryError::Comments { name: name.to_owned(), lines: carried.lost });
            }
            match self.save(
                name,
                &carried.text,
                current.map_or(ExpectedState::Nothing, ExpectedState::Version),
            ) {
                Err(LibraryError::Changed { .. }) if tries > 0 => {}
                saved => return saved,
            }
        }
    }

    /// Returns the text that `save_over` would write.
    pub fn merge_over(&self, name: &str, spec: &AgentSpec) -> Result<MergedText, LibraryError> {
        merge_text(name, spec, self.read_text(name).as_ref().map(|(text, _)| &**text))
    }

    /// Removes the file; its versions stay. A built-in agent is restored at the next start.
    pub fn remove(&self, name: &str, expected: ExpectedState<'_>) -> Result<(), LibraryError> {
        check_name(name)?;
        let _one_at_a_time = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.folder.stamp(name).is_none() {
            return Err(LibraryError::Unknown(name.to_owned()));
        }
        self.keep_current_version(name, expected)?;
        let path = self.folder.file(name);
        self.folder.remove(name).map_err(|source| LibraryError::Disk { path, source })?;
        self.refresh(name);
        Ok(())
    }

    /// Checks the expected state and keeps the current text as a version before it is overwritten.
    fn keep_current_version(&self, name: &str, expected: ExpectedState<'_>) -> Result<(), LibraryError> {
        let seen = self.refresh(name);
        check_expected(name, expected, seen.as_ref().map(|seen| seen.hash.as_str()))?;
        let Some(Ok(version)) = seen.map(|seen| seen.read) else { return Ok(()) };
        let path = self.folder.version(name, &version.hash);
        let written = self.folder.keep(name, &version.hash, &version.text);
        written.map_err(|source| LibraryError::Disk { path, source })
    }
}

fn check_expected(name: &str, expected: ExpectedState<'_>, found: Option<&str>) -> Result<(), LibraryError> {
    if expected.fits(found) {
        return Ok(());
    }
    Err(LibraryError::Changed { name: name.to_owned(), found: found.map(str::to_owned) })
}

fn merge_text(name: &str, spec: &AgentSpec, old: Option<&str>) -> Result<MergedText, LibraryError> {
    let carried = match old {
        Some(old) => comments::merge_comments(old, spec),
        None => check::write(spec).map(|text| MergedText { text, lost: Vec::new() }),
    };
    carried.map_err(|fault| LibraryError::Unwritable { name: name.to_owned(), why: fault.to_string() })
}

fn check_name(name: &str) -> Result<(), LibraryError> {
    if agent_name::is_service_agent(name) {
        return Err(LibraryError::Own(name.to_owned()));
    }
    if agent_lookup::is_agent_name(name) { Ok(()) } else { Err(LibraryError::Name(name.to_owned())) }
}
