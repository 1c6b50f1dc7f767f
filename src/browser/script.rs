//! The page script: the files of `page/`, joined into one function that defines one global.

use chromiumoxide::cdp::browser_protocol::page::AddScriptToEvaluateOnNewDocumentParams;
use std::sync::LazyLock;

/// Files of the page script. Each file can use the names of those before it (see `page/dom.js`).
const PARTS: [&str; 53] = [
    include_str!("page/dom.js"),
    include_str!("page/ids.js"),
    include_str!("page/roles.js"),
    include_str!("page/clean.js"),
    include_str!("page/said.js"),
    include_str!("page/secrets.js"),
    include_str!("page/unseen.js"),
    include_str!("page/trail.js"),
    include_str!("page/names.js"),
    include_str!("page/states.js"),
    include_str!("page/bounds.js"),
    include_str!("page/visibility.js"),
    include_str!("page/mapped.js"),
    include_str!("page/hit.js"),
    include_str!("page/hosts.js"),
    include_str!("page/collect.js"),
    include_str!("page/rows.js"),
    include_str!("page/more.js"),
    include_str!("page/pass.js"),
    include_str!("page/modal.js"),
    include_str!("page/walk.js"),
    include_str!("page/holders.js"),
    include_str!("page/actors.js"),
    include_str!("page/hints.js"),
    include_str!("page/sets.js"),
    include_str!("page/drops.js"),
    include_str!("page/drawn.js"),
    include_str!("page/things.js"),
    include_str!("page/budget.js"),
    include_str!("page/look.js"),
    include_str!("page/reading.js"),
    include_str!("page/markdown.js"),
    include_str!("page/extract.js"),
    include_str!("page/form.js"),
    include_str!("page/sent.js"),
    include_str!("page/held.js"),
    include_str!("page/noted.js"),
    include_str!("page/listed.js"),
    include_str!("page/unfold.js"),
    include_str!("page/prices.js"),
    include_str!("page/target.js"),
    include_str!("page/covered.js"),
    include_str!("page/ready.js"),
    include_str!("page/frames.js"),
    include_str!("page/act.js"),
    include_str!("page/slide.js"),
    include_str!("page/choose.js"),
    include_str!("page/named.js"),
    include_str!("page/drag.js"),
    include_str!("page/upload.js"),
    include_str!("page/scroll.js"),
    include_str!("page/settle.js"),
    include_str!("page/api.js"),
];

/// Name of our isolated world in each document.
pub const WORLD: &str = "askfirst";

/// Script that runs at the beginning of every document.
pub const GUARD: &str = include_str!("page/guard.js");

/// Builds the command that installs the guard script in a page, or in a frame with its own process.
pub fn guard_command() -> AddScriptToEvaluateOnNewDocumentParams {
    let mut order = AddScriptToEvaluateOnNewDocumentParams::new(GUARD);
    order.world_name = Some(WORLD.to_owned());
    order
}

/// Installs the page script, unless the document already has it (a page restored from the back/forward
/// cache).
pub static INSTALL: LazyLock<String> = LazyLock::new(|| {
    let body = PARTS.concat();
    format!("if (typeof askfirst === \"undefined\") (() => {{\"use strict\";\n{body}\n}})()")
});
