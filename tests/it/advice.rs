//! Advice in messages, texts and documents: each command, make target and script that it names exists.

use askfirst::cli::args::Cli;
use clap::CommandFactory;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every text that people read advice in.
fn texts() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let roots =
        ["src", "static", "docs", "scripts", "README.md", "CONTRIBUTING.md", "Makefile", "Dockerfile"];
    let mut left: Vec<PathBuf> = roots.iter().map(|root_path| root().join(root_path)).collect();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            found.push((path, text));
        }
    }
    assert!(found.len() > 500, "the texts are read");
    found
}

/// Texts in backticks that begin with this word, without the word.
fn named<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = &'t str> {
    let begins = move |quoted: &&str| quoted.split_whitespace().next() == Some(word);
    let quoted = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    quoted.filter(begins).map(move |quoted| quoted.trim_start()[word.len()..].trim())
}

/// A word that can be typed as it is, not one that stands for another: NAME, {name}, `…`.
fn is_literal(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

// S0.48: one command runs all tests, at a desk as in continuous integration.
#[test]
fn the_readme_and_continuous_integration_name_the_same_test_command() {
    for path in ["README.md", ".ci/run"] {
        let text = std::fs::read_to_string(root().join(path)).unwrap();
        assert!(
            text.lines().any(|line| line.trim_start().starts_with("make test")),
            "{path} names no `make test`"
        );
    }
}

#[test]
fn every_make_target_that_is_named_exists() {
    let makefile = std::fs::read_to_string(root().join("Makefile")).unwrap();
    let is_target = |word: &str| makefile.lines().any(|line| line.starts_with(&format!("{word}:")));
    let mut named_at_all = 0;
    for (path, text) in texts() {
        for rest in named(&text, "make") {
            let Some(target) = rest.split_whitespace().next() else { continue };
            named_at_all += 1;
            assert!(is_target(target), "{}: there is no `make {target}`", path.display());
        }
    }
    assert!(named_at_all > 3, "some are named");
}

#[test]
fn every_command_that_is_named_exists() {
    let cli = Cli::command();
    let mut named_at_all = 0;
    for (path, text) in texts() {
        for rest in named(&text, "askfirst") {
            let mut command = &cli;
            for word in rest.split_whitespace() {
                if let Some(option) = word.strip_prefix("--") {
                    let known = command.get_arguments().any(|one| one.get_long() == Some(option));
                    assert!(
                        known || !is_literal(option),
                        "{}: `askfirst {rest}` has no --{option}",
                        path.display()
                    );
                } else if is_literal(word) && command.has_subcommands() {
                    command = command.find_subcommand(word).unwrap_or_else(|| {
                        panic!("{}: there is no `askfirst {rest}`", path.display());
                    });
                    named_at_all += 1;
                }
            }
        }
    }
    assert!(named_at_all > 20, "some are named");
}

#[test]
fn every_script_that_is_named_exists() {
    for (path, text) in texts() {
        for (at, _) in text.match_indices("scripts/") {
            let name: String =
                text[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || "/._-".contains(*c)).collect();
            let name = name.trim_end_matches('.');
            if name.ends_with(".sh") || name.ends_with(".mjs") {
                assert!(root().join(name).is_file(), "{}: there is no {name}", path.display());
            }
        }
    }
}
