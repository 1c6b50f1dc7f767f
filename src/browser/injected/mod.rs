//! The page script: the files of this folder, joined into one function that defines one global.

use chromiumoxide::cdp::browser_protocol::page::AddScriptToEvaluateOnNewDocumentParams;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Path of a file below this folder, and its content when the service was built.
type ScriptFile = (&'static str, &'static str);

macro_rules! script_files {
    ($($path:literal),* $(,)?) => { [$(($path, include_str!($path))),*] };
}

/// Returns the content of a script file. Debug builds read it from the disk, so that trying a change needs no build.
fn script_text(&(path, built_in): &ScriptFile) -> Cow<'static, str> {
    if cfg!(debug_assertions) {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/browser/injected");
        if let Ok(text) = std::fs::read_to_string(format!("{folder}/{path}")) {
            return Cow::Owned(text);
        }
    }
    Cow::Borrowed(built_in)
}

/// Joins files without their comments and indentation: each document gets the script anew, and Chromium takes about
/// 0.1 ms to pass a kilobyte on.
fn join_scripts(files: &[ScriptFile], separator: &str) -> String {
    files.iter().map(|file| strip_comments(&script_text(file))).collect::<Vec<_>>().join(separator)
}

/// Removes the lines that are comments, blank lines and indentation. A comment behind code stays.
fn strip_comments(script: &str) -> String {
    let mut stripped = String::with_capacity(script.len());
    let mut in_block = false;
    for line in script.lines().map(str::trim_start) {
        let is_comment = in_block || line.starts_with("//") || line.starts_with("/*");
        in_block = (in_block || line.starts_with("/*")) && !line.contains("*/");
        if !is_comment && !line.is_empty() {
            stripped.push_str(line);
            stripped.push('\n');
        }
    }
    stripped
}

/// Files of the page script. Each file can use the names of those before it (see `dom/dom.js`).
const PARTS: &[ScriptFile] = &script_files![
    "dom/dom.js",
    "dom/ids.js",
    "dom/roles.js",
    "dom/one_line.js",
    "widgets/element_internals.js",
    "style/style_sheets.js",
    "style/counters.js",
    "style/drawn_text.js",
    "style/icon_names.js",
    "dom/labels.js",
    "style/drawn_labels.js",
    "style/drawn_columns.js",
    "secrets/secret_fields.js",
    "secrets/uncovered_roots.js",
    "secrets/recent_places.js",
    "widgets/drawn_lists.js",
    "editors/code_editors.js",
    "editors/whole_text.js",
    "widgets/drawn_switches.js",
    "dom/names.js",
    "dom/states.js",
    "dom/field_limits.js",
    "dom/visibility.js",
    "dom/frame_coordinates.js",
    "dom/hit_test.js",
    "dom/closed_shadow_roots.js",
    "widgets/embedded_pdfs.js",
    "walk/collect.js",
    "walk/rows.js",
    "walk/virtual_lists.js",
    "widgets/owned_items.js",
    "walk/skipped_blocks.js",
    "walk/modal.js",
    "walk/walk.js",
    "walk/containers.js",
    "walk/controls.js",
    "walk/clickables.js",
    "options/stated_parts.js",
    "widgets/context_menus.js",
    "widgets/wheel_boxes.js",
    "widgets/touch_only.js",
    "walk/grouped_controls.js",
    "walk/drop_targets.js",
    "drawings/drawn_handles.js",
    "drawings/ratings.js",
    "drawings/drawn_marks.js",
    "drawings/pressed_signs.js",
    "drawings/plain_items.js",
    "style/hover_rules.js",
    "drawings/svg_and_image_maps.js",
    "drawings/wires.js",
    "drawings/shape_crowd.js",
    "walk/headings_images_frames.js",
    "observe/line_selection.js",
    "observe/same_named.js",
    "observe/calendar_days.js",
    "observe/clipped_content.js",
    "identity/things.js",
    "identity/heirs.js",
    "identity/recycled.js",
    "observe/page_changes.js",
    "observe/unshown.js",
    "observe/observe.js",
    "read/full_text.js",
    "read/markdown.js",
    "read/extract.js",
    "read/money.js",
    "read/form_facts.js",
    "read/hidden_values.js",
    "read/live_messages.js",
    "person/field_snapshot.js",
    "secrets/typed_by_person.js",
    "person/drop_down_style.js",
    "person/drop_down.js",
    "read/prices.js",
    "widgets/menu_opener.js",
    "read/surroundings.js",
    "read/target_facts.js",
    "act/covered_by.js",
    "act/ready.js",
    "observe/unreadable_frames.js",
    "act/act.js",
    "act/slider.js",
    "act/press_guard.js",
    "options/choose.js",
    "options/picked_options.js",
    "options/search_options.js",
    "options/check_choice.js",
    "act/named_secret.js",
    "act/drag.js",
    "act/select_text.js",
    "act/upload.js",
    "act/scroll.js",
    "settle/loading_signs.js",
    "settle/rest.js",
    "settle/change_watch.js",
    "settle/settle.js",
    "settle/first_content.js",
    "act/gesture_effect.js",
    "observe/page_state.js",
    "observe/status_words.js",
    "observe/action_trace.js",
    "read/find.js",
    "read/rows.js",
    "widgets/scrolled_rows.js",
    "api.js",
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

/// Builds the command that installs the page script at the beginning of each document of a page, before anybody asks: a
/// look at a new document need not wait until hundreds of kilobytes have reached it. Documents of frames get it when they are
/// looked at, since most never are.
pub fn page_script_command() -> AddScriptToEvaluateOnNewDocumentParams {
    let mut command =
        AddScriptToEvaluateOnNewDocumentParams::new(format!("if (self === top) {{ {} }}", *INSTALL));
    command.world_name = Some(WORLD.to_owned());
    command
}

/// Expression that is true in a document that has the page script.
pub const IS_INSTALLED: &str = "typeof askfirst !== \"undefined\"";

/// Builds the script that lets pages declare tools as earlier drafts of WebMCP had it.
pub fn model_context_alias() -> Cow<'static, str> {
    script_text(&("widgets/model_context_alias.js", include_str!("widgets/model_context_alias.js")))
}

/// Installs the page script, unless the document already has it (a page restored from the back/forward
/// cache).
pub static INSTALL: LazyLock<String> = LazyLock::new(|| {
    let body = join_scripts(PARTS, "");
    let (internals, timers) = (js_string(&INTERNALS), js_string(&TIMERS));
    format!(
        "if (typeof askfirst === \"undefined\") ((INTERNALS, TIMERS) => {{\"use strict\";\n{body}\n}})({internals}, {timers})"
    )
});

/// Type of the events by which the page script asks the wrapper in the page's own world for what an element says of
/// itself by `ElementInternals`. It is random, so that no page can listen for them.
static INTERNALS: LazyLock<String> = LazyLock::new(|| format!("askfirstInternals{}", crate::ids::token()));

/// Files of the wrapper of sockets, which runs in the page's own world.
const SOCKET_PARTS: &[ScriptFile] = &script_files![
    "sockets/intrinsics.js",
    "sockets/held_messages.js",
    "sockets/web_sockets.js",
    "sockets/streams.js",
    "widgets/internals_report.js",
    "editors/text_report.js",
    "sockets/timers.js",
    "sockets/controls.js",
];

/// Beginning of the name of the binding through which the wrapper of sockets reports, and of the console message by
/// which it hands over its controls. The rest is random, so that no page can guess it.
pub const SOCKET_REPORT: &str = "askfirstSockets";

/// Name of the event by which the page script asks the wrapper about timers; random, so that no page knows it.
static TIMERS: LazyLock<String> = LazyLock::new(crate::ids::token);

/// Builds the wrapper of sockets, which reports through this binding.
pub fn socket_wrapper(binding: &str) -> String {
    let (body, name) = (join_scripts(SOCKET_PARTS, "\n"), js_string(binding));
    let (internals, timers) = (js_string(&INTERNALS), js_string(&TIMERS));
    format!(
        "((BINDING, TOKEN, INTERNALS, TIMERS) => {{\"use strict\";\n{body}\n}})({name}, {name}, {internals}, {timers});"
    )
}

/// Returns the text as a JavaScript string literal.
pub fn js_string(text: &str) -> String {
    Value::from(text).to_string()
}

/// Removes nulls, which the page script writes for unknown values, so that our types use their defaults.
pub fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            fields.into_iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k, without_nulls(v))).collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        plain => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Returns the name that a line without indentation defines.
    fn defined_name(line: &str) -> Option<&str> {
        let kinds = ["async function ", "function* ", "function ", "const ", "let ", "class "];
        let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$')?;
        Some(&rest[..end]).filter(|name| !name.is_empty())
    }

    #[test]
    fn comments_are_left_out_and_code_is_kept() {
        let script = "// Title.\n\n/** Adds one. */\nconst add = (n) => n + 1; // kept\n/**\n * More.\n */\n  add(2);\n";
        assert_eq!(strip_comments(script), "const add = (n) => n + 1; // kept\nadd(2);\n");
        assert!(!INSTALL.contains("\n//") && !INSTALL.contains("\n/*"));
    }

    // The files share one scope: a second function of a name would silently take the place of the first.
    #[test]
    fn no_name_is_defined_twice_in_the_page_script() {
        for files in [PARTS, SOCKET_PARTS] {
            let mut known = BTreeSet::new();
            for (path, text) in files {
                for name in text.lines().filter_map(defined_name) {
                    assert!(known.insert(name), "{path} defines `{name}`, which another file has");
                }
            }
            assert!(known.len() > 20, "{known:?}");
        }
    }
}
