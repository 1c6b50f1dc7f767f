//! A server that is a program of this machine, and its guard. It leads a process group of its own; a tiny POSIX
//! shell beside it, the guard, holds the other end of a pipe of ours and kills the whole group when that closes,
//! because we let go of it or because we died by any cause. The program itself waits until the guard knows its group.

use super::bounded::Bounded;
use crate::config::mcp::McpServer;
use std::collections::VecDeque;
use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{self, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Becomes the server once told so; `read` of a pipe takes no more than the line.
const LAUNCH: &str = r#"read -r go && exec "$@""#;

/// `kill` is given a negative number, the group.
const GUARD: &str = r#"
trap : HUP INT TERM
read -r group
while read -r line; do :; done
[ -n "$group" ] && kill -KILL "-$group" 2>/dev/null
"#;

/// Of what it says of faults: so many lines of so many bytes are kept, and so many logged.
const LINES: usize = 4;
const LINE: usize = 400;
const LOGGED: usize = 200;
/// Its last words are waited for so long.
const LAST: Duration = Duration::from_millis(500);

/// A running server. Dropping it ends it and all its children.
pub struct Child {
    lifeline: Option<ChildStdin>,
    guard: Option<process::Child>,
    /// Reaped last: while it is not, nobody else can get its group's number.
    leader: Option<process::Child>,
    last: Last,
    /// Ends with what it says of faults.
    heard: Option<JoinHandle<()>>,
}

/// The last lines of what it said of faults.
type Last = Arc<Mutex<VecDeque<String>>>;

/// What is said to it and heard of it.
pub type Talk = (Bounded<ChildStdout>, ChildStdin);

pub async fn begin(name: &str, settings: &McpServer) -> io::Result<(Child, Talk)> {
    let mut guard = shell(GUARD).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let mut lifeline = guard.stdin.take();
    let environment = settings.env.iter().map(|(name, value)| (name, value.expose()));
    let mut leader = shell(LAUNCH)
        .args(&settings.command)
        .env_clear()
        .envs(environment)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    tell(&mut lifeline, &format!("{}\n", leader.id().unwrap_or_default())).await?;
    let mut say = leader.stdin.take();
    tell(&mut say, "go\n").await?;
    let last = Last::default();
    let heard = leader.stderr.take().map(|stderr| hear(name.to_owned(), stderr, Arc::clone(&last)));
    let hear = leader.stdout.take();
    let (Some(say), Some(hear)) = (say, hear) else { return Err(io::Error::other("it has no streams")) };
    let child = Child { lifeline, guard: Some(guard), leader: Some(leader), last, heard };
    Ok((child, (Bounded::new(hear), say)))
}

async fn tell(pipe: &mut Option<ChildStdin>, line: &str) -> io::Result<()> {
    let Some(pipe) = pipe else { return Err(io::Error::other("it has no standard input")) };
    pipe.write_all(line.as_bytes()).await?;
    pipe.flush().await
}

#[expect(clippy::disallowed_methods, reason = "this is the home of servers' processes, guarded to the end")]
fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    // A group of its own: an interrupt at the keyboard must not reach it.
    command.arg("-c").arg(script).arg("sh").stdin(Stdio::piped()).process_group(0);
    command
}

/// Logs what it says of faults, bounded; the last lines tell why it did not begin.
#[expect(clippy::disallowed_methods, reason = "it ends with the stream, which ends with the process")]
fn hear(name: String, mut stderr: ChildStderr, last: Last) -> JoinHandle<()> {
    tokio::spawn(async move {
        let (mut line, mut buffer, mut logged) = (Vec::new(), [0; 4096], 0_usize);
        while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
            for byte in buffer.iter().take(read) {
                if *byte != b'\n' {
                    if line.len() < LINE {
                        line.push(*byte);
                    }
                    continue;
                }
                let said = plain(&std::mem::take(&mut line));
                if said.is_empty() {
                    continue;
                }
                logged += 1;
                match logged {
                    ..LOGGED => tracing::info!(server = name, said, "an MCP server says"),
                    LOGGED => tracing::warn!(server = name, "an MCP server says too much; no more is logged"),
                    _ => {}
                }
                keep(&last, said);
            }
        }
    })
}

fn plain(line: &[u8]) -> String {
    String::from_utf8_lossy(line).chars().filter(|c| !c.is_control()).collect::<String>().trim().to_owned()
}

fn keep(last: &Last, said: String) {
    let mut lines = last.lock().unwrap_or_else(PoisonError::into_inner);
    if lines.len() >= LINES {
        lines.pop_front();
    }
    lines.push_back(said);
}

impl Child {
    /// What it said of faults last, of one that has ended or is given up.
    pub async fn last(&mut self) -> String {
        if let Some(heard) = self.heard.take() {
            let _ = timeout(LAST, heard).await;
        }
        let lines = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect::<Vec<_>>().join(" / ")
    }

    /// Whether it runs no longer.
    pub fn has_ended(&mut self) -> bool {
        self.leader.as_mut().is_none_or(|leader| !matches!(leader.try_wait(), Ok(None)))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // The order to kill.
        self.lifeline = None;
        let (guard, leader) = (self.guard.take(), self.leader.take());
        let (Ok(runtime), Some(mut guard), Some(mut leader)) =
            (tokio::runtime::Handle::try_current(), guard, leader)
        else {
            return;
        };
        runtime.spawn(async move {
            let _ = guard.wait().await;
            let _ = leader.wait().await;
        });
    }
}
