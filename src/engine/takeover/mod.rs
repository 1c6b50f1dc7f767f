//! Take-overs of pages: `lease` decides who controls the page of a run tree, `leases` holds the leases of all
//! trees, and `pages` gives pages to people. `registry::takeovers` receives the requests and carries out the effects.

pub mod lease;
pub mod leases;
pub mod pages;
