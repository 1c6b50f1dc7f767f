//! Approvals of one run's actions that no request has used yet. In memory only: after a restart people are asked again.

use crate::gate::wire_layer::proposed_request::{ApprovedContent, ApprovedEffect};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Unused approvals, oldest first. The mutex is never held across an await.
#[derive(Debug, Default)]
pub struct OpenApprovals(Mutex<Vec<ApprovedEffect>>);

impl OpenApprovals {
    /// Begins an action: keeps the earlier approvals that still hold for it, and adds its own.
    pub fn begin_action(
        &self,
        still_holds: impl FnMut(&ApprovedEffect) -> bool,
        approved: Option<ApprovedEffect>,
    ) {
        let mut open = self.lock();
        open.retain(still_holds);
        open.extend(approved);
    }

    /// Returns the approvals that a request may use.
    pub fn list(&self) -> Vec<ApprovedEffect> {
        self.lock().clone()
    }

    /// Uses an approval up. Returns false if another request has used it already. A file may be sent in parts, so its
    /// approval stays.
    pub fn use_up(&self, reference: &str) -> bool {
        let mut open = self.lock();
        let Some(place) = open.iter().position(|approved| approved.reference == reference) else {
            return false;
        };
        if !matches!(open[place].content, ApprovedContent::Files(_)) {
            open.remove(place);
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, Vec<ApprovedEffect>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::wire_layer::proposed_request::ApprovedFiles;

    #[test]
    fn an_approval_is_used_once_and_that_of_files_stays() {
        let open = OpenApprovals::default();
        let effect = |reference: &str, content| ApprovedEffect { reference: reference.into(), content };
        open.begin_action(|_| true, Some(effect("q1", ApprovedContent::Address("https://a.test/".into()))));
        open.begin_action(|_| true, Some(effect("q2", ApprovedContent::Files(ApprovedFiles::default()))));
        assert_eq!(open.list().len(), 2);
        assert!(open.use_up("q1") && !open.use_up("q1"));
        assert!(open.use_up("q2") && open.use_up("q2"));
        open.begin_action(|_| false, None);
        assert!(open.list().is_empty() && !open.use_up("q2"));
    }
}
