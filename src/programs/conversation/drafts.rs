//! The message to the person while the model writes it, with secrets masked.

use crate::engine::registry::feed::DraftWritten;
use crate::ids::RunId;
use crate::model::endpoint::streaming::{DraftReceiver, DraftSink};
use crate::page::masked_address::mask_addresses;
use crate::programs::conversation::visit_context::VisitContext;
use crate::secrets::scrub::Replacement;
use crate::secrets::vault::Vault;
use actix::Recipient;
use std::sync::Arc;

/// Sends drafts of one run to the viewers that asked for them.
struct RunDrafts {
    receiver: Recipient<DraftWritten>,
    root: RunId,
    run: RunId,
    vault: Arc<Vault>,
}

impl DraftReceiver for RunDrafts {
    fn mask(&self, text: &str) -> String {
        mask_addresses(&self.vault.scrub_text(text, Replacement::Mask)).into_owned()
    }

    fn secret_words(&self) -> usize {
        self.vault.most_words()
    }

    fn send(&self, text: &str) {
        let draft = DraftWritten { root: self.root.clone(), run: self.run.clone(), text: text.into() };
        self.receiver.do_send(draft);
    }
}

/// Returns where the message to the person goes while the model writes it.
pub fn draft_sink(cx: &VisitContext) -> Option<DraftSink> {
    let receiver = cx.deps.drafts.clone()?;
    let (root, run, vault) = (cx.root.clone(), cx.run.clone(), Arc::clone(&cx.deps.vault));
    Some(DraftSink::new(RunDrafts { receiver, root, run, vault }))
}
