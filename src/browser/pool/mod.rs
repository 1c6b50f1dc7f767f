//! Supervisor of the Chromium processes and their users.
//!
//! An actor that owns every Chromium (a shared one, and one for each profile; each starts on first use and
//! ends soon after its last user has left), the browsers, one for each run tree, and the slots for working in
//! them. Runs send it `Enter`, `Open` and `Release`; browsers send it `NeedChromium` and `Shown`. States of a
//! Chromium: idle, starting, up, idle. The actor never looks into a page. When it ends, for any reason, so
//! does every Chromium.

pub mod messages;
pub mod supervisor;
pub mod admission;
pub mod chromiums;
pub mod inventory;
pub mod profile_key;
pub mod slots;
pub mod instances;
pub(crate) mod drain;
pub(crate) mod limits;
