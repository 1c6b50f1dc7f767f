//! Rooms and their files: imports run downwards and in no circle, folders stay small, names stay unique, and
//! comments open with the thing that they describe.

use super::source::{File, file};
use super::{none, rust, shipped};
use std::collections::{BTreeMap, BTreeSet};

const FOLDER_FILES: usize = 12;
/// Folders that import a neighbour which imports them. The list may only become shorter.
const FOLDER_CIRCLES: [&str; 5] =
    ["browser::page::frames", "http::mcp", "http::rest", "store::sqlite::connection", "store::sqlite::runs"];
/// Occurrences of one public type name.
const TYPE_NAMES: usize = 2;
/// Function names that say nothing by themselves.
const VAGUE: [&str; 7] = ["of", "told", "said", "one", "heard", "asked", "known"];
/// Openings of comments that describe around a thing instead of naming it.
const WEAK_OPENINGS: [&str; 13] = [
    "What", "Whether", "How", "Where", "Those", "That", "One", "Of", "Who", "Whose", "So", "Whatever",
    "Which",
];
/// Comments with such an opening: descriptions of the turn's schema, which models read. The count may only fall.
const WEAK_COMMENTS: usize = 4;
/// File names that do not tell what is in the file.
const OPAQUE_FILE_NAMES: &[&str] = &[
    "words", "inputs", "hosts", "closed", "spending", "progress", "desk", "hands", "houses", "ladder",
    "shelf", "holding", "known", "told", "asked", "said", "heard", "tried", "sent", "kept", "whole", "sight",
    "reach", "world", "letters", "course", "letter", "aside", "beside",
];

type ModulePath = Vec<String>;

/// Rooms as `src/lib.rs` lists them, lowest first.
fn rooms() -> Vec<String> {
    listed_modules("src/lib.rs")
}

fn listed_modules(path: &str) -> Vec<String> {
    let root = file(path);
    let names = root.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    names.map(str::to_owned).collect()
}

#[test]
fn a_room_imports_only_from_rooms_below_it() {
    let rooms = rooms();
    let floor = |room: &str| rooms.iter().position(|name| name == room);
    let mut faults = Vec::new();
    for file in shipped() {
        let Some(own) = file.module().filter(|own| !["main", "lib"].contains(own)) else { continue };
        let Some(height) = floor(own) else {
            faults.push(format!("{}: list the room `{own}` in src/lib.rs", file.path));
            continue;
        };
        for target in named_rooms(&file.production()) {
            if target != own && floor(&target).is_none_or(|found| found > height) {
                faults
                    .push(format!("{}: `{own}` may not import `{target}`, which is not below it", file.path));
            }
        }
    }
    none(faults);
}

// `src/browser/mod.rs` lists the sub-rooms, lowest first.
#[test]
fn a_sub_room_of_the_browser_imports_only_from_those_listed_before_it() {
    none(upward_imports_within("browser"));
}

// `src/engine/mod.rs` lists its folders and files, lowest first.
#[test]
fn a_sub_room_of_the_engine_imports_only_from_those_listed_before_it() {
    none(upward_imports_within("engine"));
}

/// Imports of sub-rooms of `room` from those that its `mod.rs` lists after them.
fn upward_imports_within(room: &str) -> Vec<String> {
    let listed = listed_modules(&format!("src/{room}/mod.rs"));
    let floor = |name: &str| listed.iter().position(|listed| listed == name);
    let mut faults = Vec::new();
    for file in shipped() {
        let own = module_path(&file.path);
        let [own_room, sub, ..] = own.as_slice() else { continue };
        let Some(height) = floor(sub).filter(|_| own_room == room) else { continue };
        let (code, prefix) = (file.production(), format!("crate::{room}::"));
        let named = code
            .split(&prefix)
            .skip(1)
            .map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>());
        let imported = imported_paths(&code, &own).into_iter();
        let imported = imported.filter(|path| path.first().is_some_and(|first| first == room));
        let targets: BTreeSet<String> =
            named.chain(imported.filter_map(|path| path.get(1).cloned())).collect();
        for target in targets.iter().filter(|target| floor(target).is_some_and(|found| found > height)) {
            faults
                .push(format!("{}: `{sub}` may not import `{target}`, which is listed after it", file.path));
        }
    }
    faults
}

#[test]
fn files_of_a_room_import_each_other_in_no_circle() {
    let mut imports = imports_within_rooms();
    // A file that imports none of the rest can be taken away, and so can one that nobody imports; of a circle no
    // file can.
    loop {
        let left: BTreeSet<ModulePath> = imports.keys().cloned().collect();
        let used: BTreeSet<ModulePath> = imports.values().flatten().cloned().collect();
        imports
            .retain(|own, targets| used.contains(own) && targets.iter().any(|target| left.contains(target)));
        let remaining: BTreeSet<ModulePath> = imports.keys().cloned().collect();
        for targets in imports.values_mut() {
            targets.retain(|target| remaining.contains(target));
        }
        if remaining.len() == left.len() {
            break;
        }
    }
    none(imports.keys().map(|own| format!("{}: is in an import circle", own.join("::"))).collect());
}

#[test]
fn folders_of_a_room_import_each_other_in_no_circle() {
    let files = imports_within_rooms();
    let folders: BTreeSet<&[String]> =
        files.keys().flat_map(|file| (1..file.len()).map(|end| &file[..end])).collect();
    // An import leads from a child of the lowest common folder to another of its children.
    let mut imports: BTreeMap<&[String], BTreeSet<&[String]>> = BTreeMap::new();
    for (own, targets) in &files {
        for target in targets {
            let shared = own.iter().zip(target).take_while(|(one, other)| one == other).count();
            if let (Some(from), Some(to)) = (own.get(..=shared), target.get(..=shared)) {
                imports.entry(from).or_default().insert(to);
            }
        }
    }
    let in_circle = |folder: &&[String]| {
        let mut reached: BTreeSet<&[String]> = BTreeSet::new();
        let mut open: Vec<&[String]> = vec![*folder];
        while let Some(next) = open.pop() {
            let targets = imports.get(next).into_iter().flatten().copied();
            open.extend(targets.filter(|target| reached.insert(*target)));
        }
        reached.contains(folder)
    };
    let found: BTreeSet<String> =
        folders.into_iter().filter(in_circle).map(|folder| folder.join("::")).collect();
    let granted: BTreeSet<String> = FOLDER_CIRCLES.iter().map(|folder| (*folder).to_owned()).collect();
    let new = found.difference(&granted).map(|folder| format!("{folder}: is in an import circle of folders"));
    let old =
        granted.difference(&found).map(|folder| format!("{folder}: is in no circle; take it off the list"));
    none(new.chain(old).collect());
}

/// Modules of the shipped files, each with those of its room that it imports.
fn imports_within_rooms() -> BTreeMap<ModulePath, BTreeSet<ModulePath>> {
    let files = shipped();
    let modules: BTreeMap<ModulePath, &File> = files
        .iter()
        .filter(|file| !file.path.ends_with("main.rs"))
        .map(|file| (module_path(&file.path), file))
        .collect();
    let targets_of = |own: &ModulePath, file: &File| {
        let found = imported_paths(&file.production(), own).into_iter().filter_map(|path| {
            let known = (1..=path.len()).rev().find_map(|end| modules.get_key_value(&path[..end]));
            known.map(|(module, _)| module.clone())
        });
        found.filter(|target| target != own && target[0] == own[0]).collect()
    };
    modules.iter().map(|(own, file)| (own.clone(), targets_of(own, file))).collect()
}

/// Module path of a file, e.g. `browser`, `page`, `tab`.
fn module_path(path: &str) -> ModulePath {
    let stem = path.trim_start_matches("src/").trim_end_matches(".rs");
    let parts = stem.split('/').filter(|part| *part != "mod");
    parts.map(str::to_owned).collect()
}

/// Paths in the crate that a file's `use` items name, each to its last part.
fn imported_paths(code: &str, own: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for item in code.split("use ").skip(1).filter_map(|rest| rest.split(';').next()) {
        let item: String = item.split_whitespace().collect();
        let (head, group) =
            item.split_once('{').map_or((item.as_str(), None), |(head, group)| (head, Some(group)));
        let mut parts: Vec<&str> = head.split("::").filter(|part| !part.is_empty()).collect();
        let mut base = match parts.first() {
            Some(&"crate") => Vec::new(),
            Some(&"super" | &"self") => own.to_vec(),
            _ => continue,
        };
        while let Some(first @ ("crate" | "self" | "super")) = parts.first().copied() {
            if first == "super" {
                base.pop();
            }
            parts.remove(0);
        }
        base.extend(parts.into_iter().map(str::to_owned));
        match group {
            None => found.push(base),
            Some(group) => {
                let names = group.split([',', '{', '}']).filter_map(|part| part.split("::").next());
                for name in names.filter(|name| !name.is_empty()) {
                    let mut path = base.clone();
                    path.push(name.to_owned());
                    found.push(path);
                }
            }
        }
    }
    found
}

#[test]
fn folders_stay_small() {
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for ending in ["rs", "js"] {
        for file in super::files(&["src", "static"], ending) {
            let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            *folders.entry(folder.to_owned()).or_default() += 1;
        }
    }
    let crowded = folders.into_iter().filter(|(_, count)| *count > FOLDER_FILES);
    none(crowded.map(|(folder, count)| format!("{folder}: {count} files; at most {FOLDER_FILES}")).collect());
}

#[test]
fn file_names_describe_their_contents() {
    let opaque = shipped().into_iter().filter(|file| {
        let path = module_path(&file.path);
        path.last().is_some_and(|name| OPAQUE_FILE_NAMES.contains(&name.as_str()))
    });
    none(opaque.map(|file| format!("{}: name it by what is inside", file.path)).collect());
}

#[test]
fn names_of_types_are_unique() {
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in shipped() {
        for line in file.production().lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_public = words.first().is_some_and(|word| word.starts_with("pub"));
            let kind = words.iter().position(|word| ["struct", "enum", "trait", "type"].contains(word));
            let Some(kind) = kind.filter(|index| is_public && *index <= 3) else { continue };
            let name: String = words
                .get(kind + 1)
                .map_or("", |name| *name)
                .chars()
                .take_while(|c| c.is_alphanumeric())
                .collect();
            // A macro that declares types leaves the name to its callers.
            if !name.is_empty() {
                names.entry(name).or_default().push(file.path.clone());
            }
        }
    }
    // Each node of a graph has an `Outcome`.
    let repeated =
        names.into_iter().filter(|(name, at)| at.len() > TYPE_NAMES && name != "Outcome" && name != "Error");
    none(
        repeated
            .map(|(name, at)| format!("{name}: in {}; name each for what it is", at.join(", ")))
            .collect(),
    );
}

#[test]
fn function_names_say_what_they_do() {
    let mut found = Vec::new();
    for file in rust() {
        for part in file.text.split("fn ").skip(1) {
            let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if VAGUE.contains(&name.as_str()) {
                found.push(format!("{}: fn {name}", file.path));
            }
        }
    }
    none(found);
}

#[test]
fn comments_open_with_the_thing_itself() {
    let found: Vec<String> = rust().iter().flat_map(|file| weak_comments(file, "//")).collect();
    assert!(found.len() <= WEAK_COMMENTS, "{} such comments:\n{}", found.len(), found.join("\n"));
}

#[test]
fn comments_of_settings_agents_and_scripts_open_with_the_thing_itself() {
    let mut texts = Vec::new();
    for (folder, ending) in [
        ("config", "toml"),
        (".config", "toml"),
        ("config", "yaml"),
        ("agents", "yaml"),
        ("src", "yaml"),
        ("scripts", "sh"),
        ("scripts", "txt"),
    ] {
        texts.extend(super::files(&[folder], ending));
    }
    for path in ["Cargo.toml", "clippy.toml", "deny.toml", "Makefile", "Dockerfile", ".ci/run"] {
        texts.push(File { path: path.to_owned(), text: file(path) });
    }
    assert!(texts.iter().all(|file| !file.text.is_empty()), "every file is there");
    let mut found: Vec<String> = texts.iter().flat_map(|file| weak_comments(file, "#")).collect();
    found.extend(super::files(&["scripts"], "mjs").iter().flat_map(|file| weak_comments(file, "//")));
    none(found);
}

/// Comments of a file that open with a word of `WEAK_OPENINGS`. A comment may span several lines.
fn weak_comments(file: &File, mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut goes_on = false;
    for (number, line) in file.text.lines().enumerate() {
        let comment = line.trim_start().strip_prefix(mark).filter(|_| !line.starts_with("#!"));
        let comment = comment.map(|rest| rest.trim_start_matches(['/', '!', '#']).trim());
        let Some(comment) = comment.filter(|comment| !comment.is_empty() || goes_on) else {
            goes_on = false;
            continue;
        };
        let first: String = comment.chars().take_while(|c| c.is_alphabetic()).collect();
        if !goes_on && WEAK_OPENINGS.contains(&first.as_str()) {
            found.push(format!("{}:{}: {comment}", file.path, number + 1));
        }
        goes_on = true;
    }
    found
}

/// Rooms that a text names: every `crate::room`, and every `crate::{room, …}`.
pub fn named_rooms(code: &str) -> BTreeSet<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut found = BTreeSet::new();
    for (offset, _) in code.match_indices("crate::") {
        let rest = &code[offset + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => {
                let mut depth = 0;
                for part in group.split_inclusive([',', '{', '}']) {
                    if depth == 0 {
                        found.insert(word(part.trim()));
                    }
                    depth += i32::from(part.ends_with('{')) - i32::from(part.ends_with('}'));
                    if depth < 0 {
                        break;
                    }
                }
            }
            None => drop(found.insert(word(rest))),
        }
    }
    found.remove("");
    found
}
