//! Progress of a build, parsed from the output of pip or the container engine.

use std::sync::{Mutex, PoisonError};
use tokio::sync::watch;

/// Completed steps, total number of steps, and the current one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildProgress {
    pub done: usize,
    pub of: usize,
    pub at: String,
}

impl BuildProgress {
    /// Returns the completed share, from 0 up to but not including 1.
    pub fn share(&self) -> f64 {
        if self.of == 0 {
            return 0.0;
        }
        // The last step, moving the result into the cache, is not counted in `of`.
        let (done, of) = (self.done.min(self.of), self.of + 1);
        u32::try_from(done).map_or(0.0, f64::from) / u32::try_from(of).map_or(1.0, f64::from)
    }
}

/// Splits the output into lines, and sends the progress that they report.
pub struct ProgressParser<'t> {
    line: Mutex<Vec<u8>>,
    sender: &'t watch::Sender<BuildProgress>,
    read: fn(&str, &BuildProgress) -> Option<BuildProgress>,
}

impl<'t> ProgressParser<'t> {
    /// Creates a reader; `read` derives the progress from a line, or returns `None`.
    pub fn new(
        sender: &'t watch::Sender<BuildProgress>,
        read: fn(&str, &BuildProgress) -> Option<BuildProgress>,
    ) -> Self {
        Self { line: Mutex::default(), sender, read }
    }

    /// Reads printed bytes. A line may come in several parts.
    pub fn feed(&self, bytes: &[u8]) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        for byte in bytes {
            if *byte != b'\n' {
                line.push(*byte);
                continue;
            }
            let words = String::from_utf8_lossy(&line).into_owned();
            line.clear();
            let now = (self.read)(&words, &self.sender.borrow());
            if let Some(now) = now {
                self.sender.send_replace(now);
            }
        }
    }
}

/// Parses a line of pip, which names each package when it starts with it. Indented lines concern pip's own
/// dependencies.
pub fn parse_pip_line(line: &str, before: &BuildProgress) -> Option<BuildProgress> {
    if line.starts_with("Installing collected packages") {
        return Some(BuildProgress { done: before.of, at: String::new(), ..before.clone() });
    }
    let named = line.strip_prefix("Collecting ").or_else(|| line.strip_prefix("Processing "))?;
    let word = named.split_whitespace().next()?;
    let file = word.rsplit('/').next()?;
    let at = file.split(['=', '-']).next()?.to_owned();
    let done = if before.at.is_empty() { before.done } else { before.done + 1 };
    Some(BuildProgress { done: done.min(before.of), at, of: before.of })
}

/// Parses a line of a container engine: `STEP 2/5: RUN …` of podman, `Step 2/5 : RUN …` and `#7 [2/5] RUN …`
/// of docker.
pub fn parse_engine_line(line: &str, before: &BuildProgress) -> Option<BuildProgress> {
    let from = ["STEP ", "Step "].into_iter().find_map(|word| line.strip_prefix(word));
    let (numbers, at) = match from {
        Some(rest) => rest.split_once(':')?,
        None => line.strip_prefix('#')?.split_once('[')?.1.split_once(']')?,
    };
    let (step, of) = numbers.trim().rsplit(' ').next()?.split_once('/')?;
    let (step, of) = (step.parse::<usize>().ok()?, of.parse::<usize>().ok()?);
    let now = BuildProgress { done: step.saturating_sub(1), of, at: at.trim().chars().take(60).collect() };
    (now.share() >= before.share()).then_some(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Progress is parsed from chunks of output (S4.28).
    #[test]
    fn build_progress_is_parsed_from_output() {
        let (sender, received) = watch::channel(BuildProgress { of: 2, ..BuildProgress::default() });
        let pip = ProgressParser::new(&sender, parse_pip_line);
        let mut seen = Vec::new();
        for part in [
            "Looking in links: x\nCollec",
            "ting one==1.0 (from -r x)\n",
            "  Collecting inner\nProcessing /a/in/two-1.0-py3-none-any.whl\n",
            "Installing collected packages: one, two\n",
        ] {
            pip.feed(part.as_bytes());
            let now = received.borrow().clone();
            seen.push((now.done, now.at.clone(), (now.share() * 100.0).round()));
        }
        let expected = [(0, "", 0.0), (0, "one", 0.0), (1, "two", 33.0), (2, "", 67.0)];
        assert_eq!(seen, expected.map(|(done, at, share)| (done, at.to_owned(), share)));
        for line in ["STEP 2/5: RUN id", "Step 2/5 : RUN id", "#7 [2/5] RUN id", "#7 [stage 2/5] RUN id"] {
            let now = parse_engine_line(line, &BuildProgress::default()).unwrap();
            assert_eq!((now.done, now.of, now.at.as_str()), (1, 5, "RUN id"), "{line}");
        }
        assert_eq!(parse_engine_line("#7 sha256:abc 1/2", &BuildProgress::default()), None);
    }
}
