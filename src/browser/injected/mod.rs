//! The page script: the files of this folder, joined into one function that defines one global.

use chromiumoxide::cdp::browser_protocol::page::AddScriptToEvaluateOnNewDocumentParams;
use serde_json::Value;
use std::sync::LazyLock;

/// Files of the page script. Each file can use the names of those before it (see `dom/dom.js`).
const PARTS: [&str; 54] = [
    include_str!("dom/dom.js"),
    include_str!("dom/ids.js"),
    include_str!("dom/roles.js"),
    include_str!("dom/one_line.js"),
    include_str!("dom/labels.js"),
    include_str!("secrets/secret_fields.js"),
    include_str!("secrets/uncovered_roots.js"),
    include_str!("secrets/recent_places.js"),
    include_str!("dom/names.js"),
    include_str!("dom/states.js"),
    include_str!("dom/field_limits.js"),
    include_str!("dom/visibility.js"),
    include_str!("dom/frame_coordinates.js"),
    include_str!("dom/hit_test.js"),
    include_str!("dom/closed_shadow_roots.js"),
    include_str!("walk/collect.js"),
    include_str!("walk/rows.js"),
    include_str!("walk/virtual_lists.js"),
    include_str!("walk/skipped_blocks.js"),
    include_str!("walk/modal.js"),
    include_str!("walk/walk.js"),
    include_str!("walk/containers.js"),
    include_str!("walk/controls.js"),
    include_str!("walk/clickables.js"),
    include_str!("walk/grouped_controls.js"),
    include_str!("walk/drop_targets.js"),
    include_str!("observe/svg_and_image_maps.js"),
    include_str!("walk/headings_images_frames.js"),
    include_str!("observe/line_selection.js"),
    include_str!("observe/observe.js"),
    include_str!("read/full_text.js"),
    include_str!("read/markdown.js"),
    include_str!("read/extract.js"),
    include_str!("read/form_facts.js"),
    include_str!("read/hidden_values.js"),
    include_str!("person/field_snapshot.js"),
    include_str!("secrets/typed_by_person.js"),
    include_str!("person/drop_down_style.js"),
    include_str!("person/drop_down.js"),
    include_str!("read/prices.js"),
    include_str!("read/surroundings.js"),
    include_str!("read/target_facts.js"),
    include_str!("act/covered_by.js"),
    include_str!("act/ready.js"),
    include_str!("observe/unreadable_frames.js"),
    include_str!("act/act.js"),
    include_str!("act/slider.js"),
    include_str!("act/choose.js"),
    include_str!("act/named_secret.js"),
    include_str!("act/drag.js"),
    include_str!("act/upload.js"),
    include_str!("act/scroll.js"),
    include_str!("act/settle.js"),
    include_str!("api.js"),
];

/// Name of our isolated world in each document.
pub const WORLD: &str = "askfirst";

/// Script that runs at the beginning of every document.
pub const GUARD: &str = include_str!("input_guard.js");

/// Builds the command that installs the guard script in a page, or in a frame with its own process.
pub fn guard_command() -> AddScriptToEvaluateOnNewDocumentParams {
    let mut command = AddScriptToEvaluateOnNewDocumentParams::new(GUARD);
    command.world_name = Some(WORLD.to_owned());
    command
}

/// Installs the page script, unless the document already has it (a page restored from the back/forward
/// cache).
pub static INSTALL: LazyLock<String> = LazyLock::new(|| {
    let body = PARTS.concat();
    format!("if (typeof askfirst === \"undefined\") (() => {{\"use strict\";\n{body}\n}})()")
});

/// Files of the wrapper of sockets, which runs in the page's own world.
const SOCKET_PARTS: [&str; 5] = [
    include_str!("sockets/intrinsics.js"),
    include_str!("sockets/held_messages.js"),
    include_str!("sockets/web_sockets.js"),
    include_str!("sockets/streams.js"),
    include_str!("sockets/controls.js"),
];

/// Beginning of the name of the binding through which the wrapper of sockets reports, and of the console message by
/// which it hands over its controls. The rest is random, so that no page can guess it.
pub const SOCKET_REPORT: &str = "askfirstSockets";

/// Builds the wrapper of sockets, which reports through this binding.
pub fn socket_wrapper(binding: &str) -> String {
    let (body, name) = (SOCKET_PARTS.join("\n"), js_string(binding));
    format!("((BINDING, TOKEN) => {{\"use strict\";\n{body}\n}})({name}, {name});")
}

/// Returns the text as a JavaScript string literal.
pub fn js_string(text: &str) -> String {
    Value::from(text).to_string()
}
