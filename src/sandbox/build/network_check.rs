//! Checks that a Containerfile cannot reach the network (pure). Only syntax that all engines parse in the
//! same way is accepted, so that the check does not depend on the engine.

use crate::sandbox::build::containerfile::{KNOWN, instructions};
use std::collections::BTreeSet;

/// A line that could reach the network or hide another such line, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedLine {
    pub line: String,
    pub instead: &'static str,
}

const DIRECTIVE: &str = "leave this directive out";
const ENDING: &str = "end the line with one backslash, or with none";
const SIGNS: &str = "leave out characters that cannot be seen";
const REMARK: &str = "end the instruction above the remark first; it does not end there for every engine";
const HEREDOC: &str = "put the text into a file beside the Containerfile, and COPY it";
const UNKNOWN: &str = "begin each instruction with its name, such as RUN or COPY";
const ADD: &str = "use COPY, or ADD with plain paths below the agent's folder, without variables and quotes";
const FROM: &str =
    "name a stage that stands above it, or its number; COPY what else is needed from the agent's folder";
const MOUNT: &str = "use mounts of type bind, cache or tmpfs";
const FLAG: &str = "leave out this option";

/// Returns the first line that is refused.
pub fn find_refused_line(text: &str) -> Option<RefusedLine> {
    let fault = |(line, instead): (&str, &'static str)| RefusedLine { line: line.trim().to_owned(), instead };
    if let Some(found) = ambiguous(text) {
        return Some(fault(found));
    }
    let mut stages = Stages::default();
    for line in instructions(text) {
        if let Some(instead) = check_instruction(&line, &stages) {
            return Some(fault((&line, instead)));
        }
        stages.add_line(&line);
    }
    None
}

/// Finds a line after which engines parse the file differently.
fn ambiguous(text: &str) -> Option<(&str, &'static str)> {
    let (mut goes_on, mut after_remark) = (false, false);
    for line in text.lines() {
        if line.chars().any(|c| (c.is_control() && c != '\t') || (c.is_whitespace() && !" \t".contains(c))) {
            return Some((line, SIGNS));
        }
        let trimmed = line.trim();
        if let Some(remark) = trimmed.strip_prefix('#') {
            let name = remark.split('=').next().unwrap_or_default().trim().to_ascii_lowercase();
            if remark.contains('=') && ["syntax", "escape"].contains(&&*name) {
                return Some((line, DIRECTIVE));
            }
            after_remark = goes_on;
            continue;
        }
        if trimmed.is_empty() {
            continue;
        }
        if trimmed.ends_with("\\\\") {
            return Some((line, ENDING));
        }
        if goes_on && after_remark && KNOWN.contains(&&*first(trimmed)) {
            return Some((line, REMARK));
        }
        (goes_on, after_remark) = (trimmed.ends_with('\\'), false);
    }
    None
}

fn first(line: &str) -> String {
    line.split_whitespace().next().unwrap_or_default().to_ascii_uppercase()
}

/// Returns what to write instead of an instruction that is refused.
fn check_instruction(line: &str, stages: &Stages) -> Option<&'static str> {
    let name = first(line);
    if !KNOWN.contains(&&*name) {
        return Some(UNKNOWN);
    }
    let rest = line.trim().get(name.len()..).unwrap_or_default().trim_start();
    if ["ADD", "COPY", "RUN"].contains(&&*name) && rest.contains("<<") {
        return Some(HEREDOC);
    }
    let mut words = rest.split_whitespace().peekable();
    let flags = std::iter::from_fn(|| words.next_if(|word| word.starts_with("--")));
    match &*name {
        "ONBUILD" => check_instruction(rest, stages),
        "ADD" => each(flags, |flag| allowed(flag, &["chown", "chmod", "link"]))
            .or_else(|| words.any(|word| !is_plain_path(word)).then_some(ADD)),
        "COPY" => each(flags, |flag| match flag.strip_prefix("--from=") {
            Some(from) => (!stages.has(from)).then_some(FROM),
            None => allowed(flag, &["chown", "chmod", "link", "parents", "exclude"]),
        }),
        "RUN" => each(flags, |flag| match flag.strip_prefix("--mount=") {
            Some(mount) => mounted(mount, stages),
            None => Some(FLAG),
        }),
        // For a platform other than the local one, the engine would pull the image.
        "FROM" => each(flags, |_| Some(FLAG)),
        _ => None,
    }
}

fn each<'a>(
    flags: impl Iterator<Item = &'a str>,
    judge: impl Fn(&str) -> Option<&'static str>,
) -> Option<&'static str> {
    // Engines remove quotes and backslashes from names and values.
    let quoted = |flag: &str| flag.contains(['"', '\'', '\\', '`']).then_some(FLAG);
    flags.into_iter().find_map(|flag| quoted(flag).or_else(|| judge(flag)))
}

fn allowed(flag: &str, names: &[&str]) -> Option<&'static str> {
    let name = flag.trim_start_matches('-').split('=').next().unwrap_or_default();
    (!names.contains(&name)).then_some(FLAG)
}

fn mounted(mount: &str, stages: &Stages) -> Option<&'static str> {
    mount.split(',').find_map(|part| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        match &*name.to_ascii_lowercase() {
            _ if part.contains('$') => Some(MOUNT),
            "from" => (!stages.has(value)).then_some(FROM),
            "type" => (!["bind", "cache", "tmpfs"].contains(&value)).then_some(MOUNT),
            _ => None,
        }
    })
}

/// Reports whether the word is a local path: not a URL, not a repository, and without variables or quotes.
fn is_plain_path(word: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "._-+*?/".contains(c);
    word.chars().all(plain) && !word.contains("//") && !word.to_ascii_lowercase().starts_with("github.com/")
}

/// Stages that have ended, by their names, and the number of stages begun.
#[derive(Default)]
struct Stages {
    names: BTreeSet<String>,
    begun: usize,
    now: Option<String>,
}

impl Stages {
    fn add_line(&mut self, line: &str) {
        if first(line) != "FROM" {
            return;
        }
        self.names.extend(self.now.take());
        let words: Vec<&str> = line.split_whitespace().skip(2).collect();
        if let [word, name] = words[..] {
            self.now = word.eq_ignore_ascii_case("as").then(|| name.to_owned());
        }
        self.begun += 1;
    }

    fn has(&self, name: &str) -> bool {
        let number = name.parse::<usize>().ok().filter(|number| number.to_string() == name);
        self.names.contains(name) || number.is_some_and(|number| number + 1 < self.begun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Instructions without network access are accepted (S4.28).
    #[test]
    fn containerfile_instructions_without_network_are_accepted() {
        for text in [
            "FROM a\nCOPY x /x\nRUN curl https://x.test\n",
            "FROM a AS made\nRUN make \\\n  # why\n  all\nfrom scratch\nCOPY --from=made --chown=$U:1 /a /a\n",
            "FROM a\nFROM b\nCOPY --from=0 /a /a\nRUN --mount=type=bind,from=0,target=/m --mount=type=cache,target=/c id\n",
            "FROM a\nADD x.tar.gz lib/*.txt /place/\nHEALTHCHECK --interval=3s CMD true\nENV A=https://x.test\n",
            "# a remark, and one = more\r\nFROM a\r\nRUN a \\\r\n\r\n && b\r\n",
            "FROM a\nONBUILD COPY x /x\n",
        ] {
            assert_eq!(find_refused_line(text), None, "{text}");
        }
        let text = crate::sandbox::build::containerfile::generate_containerfile("a", &[String::from("git")]);
        assert_eq!(find_refused_line(&text), None);
    }

    // Known ways to reach the network are refused (S4.28).
    #[test]
    fn containerfile_instructions_with_network_are_refused_with_advice() {
        for (text, line, instead) in [
            ("COPY --from=evil.test/img:latest /a /a", "COPY --from=evil.test/img:latest /a /a", FROM),
            ("FROM b AS evil\nCOPY --from=evil /a /a", "COPY --from=evil /a /a", FROM),
            ("COPY --from=0 /a /a", "COPY --from=0 /a /a", FROM),
            ("COPY --fr\"om\"=x /a /a", "COPY --fr\"om\"=x /a /a", FLAG),
            ("RUN --mount=type=bind,FROM=x,target=/x id", "RUN --mount=type=bind,FROM=x,target=/x id", FROM),
            ("RUN --mount=\"type=bind\",from=x id", "RUN --mount=\"type=bind\",from=x id", FLAG),
            ("RUN --mount=${K}=x id", "RUN --mount=${K}=x id", MOUNT),
            ("RUN --mount=type=ssh id", "RUN --mount=type=ssh id", MOUNT),
            ("RUN --network=host id", "RUN --network=host id", FLAG),
            ("RUN --net\\\nwork=host id", "RUN --network=host id", FLAG),
            ("COPY --chown=a\\\n --from=x /a /a", "COPY --chown=a --from=x /a /a", FROM),
            ("ARG S=//evil.test\nADD https:${S}/y /y", "ADD https:${S}/y /y", ADD),
            ("ADD https://x.test/y /y", "ADD https://x.test/y /y", ADD),
            ("ADD [\"x\", \"/y\"]", "ADD [\"x\", \"/y\"]", ADD),
            ("add \\\n git@x.test:y /y", "add  git@x.test:y /y", ADD),
            ("ADD github.com/x/y /y", "ADD github.com/x/y /y", ADD),
            ("ADD --checksum=sha256:1 x /y", "ADD --checksum=sha256:1 x /y", FLAG),
            ("ONBUILD ADD https://x.test/y /y", "ONBUILD ADD https://x.test/y /y", ADD),
            ("FROM --platform=linux/arm64 a", "FROM --platform=linux/arm64 a", FLAG),
            ("RUN <<E\nFROM b AS x\nE", "RUN <<E", HEREDOC),
            ("RUN echo \\\\\nADD https://x.test/y /y", "RUN echo \\\\", ENDING),
            ("RUN a \\\n  # b\nADD https://x.test/y /y", "ADD https://x.test/y /y", REMARK),
            ("RUN a \\\u{a0}\nADD https://x.test/y /y", "RUN a \\", SIGNS),
            ("INCLUDE x", "INCLUDE x", UNKNOWN),
        ] {
            let text = format!("FROM a\n{text}\n");
            assert_eq!(
                find_refused_line(&text),
                Some(RefusedLine { line: line.to_owned(), instead }),
                "{text}"
            );
        }
        for directive in
            ["# syntax=evil/front", "#!/bin/x\n# Syntax = evil/front", "# escape=`", "#ESCAPE =`"]
        {
            let found =
                find_refused_line(&format!("{directive}\nFROM a\nRUN --net`\nwork=host id\n")).unwrap();
            assert_eq!(found.instead, DIRECTIVE, "{directive}");
        }
        let advice = find_refused_line("\u{feff}# syntax=evil/front\nFROM a\n").map(|found| found.instead);
        assert_eq!(advice, Some(UNKNOWN));
    }
}
