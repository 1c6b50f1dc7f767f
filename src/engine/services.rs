//! Services that all runs share: store, pages, programs, archive, recording.

use crate::config::recording::Recording;
use crate::engine::archive::Archive;
use crate::engine::program::programs::ProgramFactory;
use crate::engine::takeover::pages::Pages;
use crate::store::Store;
use actix::prelude::*;
use std::sync::Arc;

/// Shared services of all runs.
pub struct RunServices {
    pub store: Arc<dyn Store>,
    pub pages: Arc<dyn Pages>,
    pub programs: Arc<dyn ProgramFactory>,
    pub archive: Addr<Archive>,
    pub recording: Recording,
}
