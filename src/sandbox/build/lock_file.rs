//! Parses lock files of packages (pure). Each line is one package with an exact version and the hashes of its
//! files. Everything else that pip would accept, such as other files, URLs and options, is refused, so that
//! packages come from no other source.

/// The contents of a lock file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// Package names.
    pub names: Vec<String>,
    /// The lock file as passed to pip: only the parts that were parsed here.
    pub text: String,
}

/// A lock file that is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct LockFault {
    pub line: usize,
    pub message: String,
}

const HASHES: &str = "make the lock with `uv pip compile --generate-hashes` or `pip-compile --generate-hashes`; \
    `pip hash FILE` tells that of a wheel of your own";

/// Parses a lock file. Every requirement needs a version and a hash.
pub fn read(text: &str) -> Result<Lock, LockFault> {
    let (mut names, mut lines) = (Vec::new(), Vec::new());
    for (line, requirement_line) in logical_lines(text) {
        let (name, written) =
            requirement(&requirement_line).map_err(|message| LockFault { line, message })?;
        names.push(name);
        lines.push(written + "\n");
    }
    if names.is_empty() {
        let message = String::from("it names no package; write lines like name==1.0 --hash=sha256:…");
        return Err(LockFault { line: 1, message });
    }
    Ok(Lock { names, text: lines.concat() })
}

/// Joins continued lines and removes comments. Returns each line with its number.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (index, line) in text.lines().enumerate() {
        let plain = match line.find('#') {
            Some(0) => "",
            Some(at) if line[..at].ends_with(char::is_whitespace) => &line[..at],
            Some(_) | None => line,
        };
        let plain = plain.trim();
        let (words, next) = plain.strip_suffix('\\').map_or((plain, false), |words| (words.trim(), true));
        match found.last_mut().filter(|_| goes_on) {
            Some((_, whole)) => *whole = format!("{whole} {words}"),
            None if words.is_empty() && !next => {}
            None => found.push((index + 1, words.to_owned())),
        }
        goes_on = next;
    }
    found.retain(|(_, words)| !words.trim().is_empty());
    found
}

/// Parses one requirement. Returns its name, and the line to pass to pip.
fn requirement(line: &str) -> Result<(String, String), String> {
    if line.starts_with('-') {
        let option = line.split([' ', '=']).next().unwrap_or_default();
        return Err(format!("the option `{option}` may not stand in a lock; leave it out"));
    }
    let (wanted, rest) = line.split_once("--").map_or((line, ""), |(wanted, _)| {
        let wanted = wanted.trim_end();
        (wanted, line[wanted.len()..].trim())
    });
    let (wanted, marker) =
        wanted.split_once(';').map_or((wanted, None), |(one, two)| (one, Some(two.trim())));
    let wanted = wanted.trim();
    let shown: String = wanted.chars().take(80).collect();
    let (named, version) = wanted.split_once("==").ok_or_else(|| {
        format!("`{shown}` names no version; write name==version with its hash, no range, file or address")
    })?;
    let name = named.split('[').next().unwrap_or_default().trim();
    let letters = |text: &str, more: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
    };
    let extras = named.trim().strip_prefix(name).unwrap_or_default();
    let extras_fit = extras.is_empty() || (extras.ends_with(']') && letters(extras, "[]._-, "));
    if !letters(name, "._-") || !extras_fit || !letters(version.trim(), "._-+!") {
        return Err(format!("`{shown}` is no name==version"));
    }
    if marker.is_some_and(|marker| !letters(marker, "_.'\"<>=!()~,- ")) {
        return Err(format!("the condition of `{shown}` is not understood"));
    }
    let hashes =
        hashes(rest).map_err(|word| format!("`{word}` of `{shown}` is no --hash=sha256:…; {HASHES}"))?;
    if hashes.is_empty() {
        return Err(format!("`{shown}` has no hash; {HASHES}"));
    }
    let marker = marker.map_or_else(String::new, |marker| format!(" ; {marker}"));
    let written = format!("{name}{extras}=={}{marker} {}", version.trim(), hashes.join(" "));
    Ok((name.to_owned(), written))
}

fn hashes(rest: &str) -> Result<Vec<String>, String> {
    let one = |word: &str| {
        let digits = word.strip_prefix("--hash=sha256:").unwrap_or_default();
        let fits = digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if fits { Ok(word.to_owned()) } else { Err(word.to_owned()) }
    };
    rest.split_whitespace().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(digit: &str) -> String {
        format!("--hash=sha256:{}", digit.repeat(64))
    }

    // A lock file written by a tool is parsed (S4.28).
    #[test]
    fn a_lock_of_a_tool_is_read() {
        let text = format!(
            "# made by a tool\nTiny==1.0 \\\n    {} \\\n    {}\n    # via other\n\nother[fast,x]==2!1.0+local ; python_version < '3.13' {}\n",
            hash("a"),
            hash("b"),
            hash("c")
        );
        let lock = read(&text).unwrap();
        assert_eq!(lock.names, ["Tiny", "other"]);
        let lines: Vec<&str> = lock.text.lines().collect();
        assert_eq!(lines[0], format!("Tiny==1.0 {} {}", hash("a"), hash("b")));
        assert_eq!(lines[1], format!("other[fast,x]==2!1.0+local ; python_version < '3.13' {}", hash("c")));
        assert_eq!(read(&lock.text).unwrap(), lock, "what pip is given is a lock itself");
    }

    // Packages without hashes are refused, with advice (S4.28).
    #[test]
    fn an_invalid_lock_file_is_refused_with_advice() {
        for (text, line, words) in [
            ("\ntiny==1.0\n", 2, "has no hash; make the lock with"),
            ("tiny>=1.0 --hash=sha256:aa", 1, "names no version"),
            ("tiny", 1, "names no version"),
            ("tiny==1.* --hash=sha256:aa", 1, "is no name==version"),
            ("tiny==1.0 --hash=md5:aa", 1, "is no --hash=sha256"),
            ("tiny==1.0 --hash=sha256:aa", 1, "is no --hash=sha256"),
            ("tiny==1.0 --global-option=x", 1, "is no --hash=sha256"),
            ("-r other.txt", 1, "the option `-r`"),
            ("--index-url=https://evil.test/", 1, "the option `--index-url`"),
            ("tiny @ https://evil.test/tiny.whl", 1, "names no version"),
            ("./tiny.whl", 1, "names no version"),
            ("tiny==${HOME}", 1, "is no name==version"),
            ("tiny==1.0 ; $(id)", 1, "condition"),
            ("# nothing\n", 1, "names no package"),
        ] {
            let fault = read(text).unwrap_err();
            assert!(fault.line == line && fault.message.contains(words), "{text}: {fault}");
        }
    }
}
