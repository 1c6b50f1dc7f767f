//! An MCP server that runs as a local process. It leads a process group of its own. A small POSIX shell
//! beside it, the guard, reads from a pipe of the service and kills the whole group when the pipe closes,
//! whether it was dropped or the service died. The server itself starts only after the guard knows its group.

use crate::config::mcp::McpServer;
use crate::mcp_client::line_limit::LineLimitReader;
use std::collections::VecDeque;
use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{self, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Waits for a line and then executes the server. `read` consumes no more of the pipe than the line.
const LAUNCH: &str = r#"read -r go && exec "$@""#;

/// `kill` receives the negative group id.
const GUARD: &str = r#"
trap : HUP INT TERM
read -r group
while read -r line; do :; done
[ -n "$group" ] && kill -KILL "-$group" 2>/dev/null
"#;

/// Limits of standard error: kept lines, bytes of a line, and logged lines.
const LINES: usize = 4;
const LINE: usize = 400;
const LOGGED: usize = 200;
/// Time to wait for the last lines of standard error.
const LAST: Duration = Duration::from_millis(500);

/// A running server process. Dropping it kills the process and all its children.
pub struct ServerProcess {
    lifeline: Option<ChildStdin>,
    guard: Option<process::Child>,
    /// Reaped last, so that the group id is not reused before.
    leader: Option<process::Child>,
    last: StderrTail,
    /// Reads standard error, and ends with it.
    stderr_log: Option<JoinHandle<()>>,
}

/// Last lines of standard error.
type StderrTail = Arc<Mutex<VecDeque<String>>>;

/// Standard output and input of the server.
pub type ServerPipes = (LineLimitReader<ChildStdout>, ChildStdin);

/// Starts the program of a server, and a guard that ends its process group with the service.
pub async fn begin(name: &str, settings: &McpServer) -> io::Result<(ServerProcess, ServerPipes)> {
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
    write_line(&mut lifeline, &format!("{}\n", leader.id().unwrap_or_default())).await?;
    let mut stdin = leader.stdin.take();
    write_line(&mut stdin, "go\n").await?;
    let last = StderrTail::default();
    let stderr_log =
        leader.stderr.take().map(|stderr| log_stderr(name.to_owned(), stderr, Arc::clone(&last)));
    let stdout = leader.stdout.take();
    let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
        return Err(io::Error::other("it has no streams"));
    };
    let child = ServerProcess { lifeline, guard: Some(guard), leader: Some(leader), last, stderr_log };
    Ok((child, (LineLimitReader::new(stdout), stdin)))
}

async fn write_line(pipe: &mut Option<ChildStdin>, line: &str) -> io::Result<()> {
    let Some(pipe) = pipe else { return Err(io::Error::other("it has no standard input")) };
    pipe.write_all(line.as_bytes()).await?;
    pipe.flush().await
}

#[expect(clippy::disallowed_methods, reason = "this is the home of servers' processes, guarded to the end")]
fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    // A process group of its own, so that an interrupt at the keyboard does not reach it.
    command.arg("-c").arg(script).arg("sh").stdin(Stdio::piped()).process_group(0);
    command
}

/// Logs a bounded part of standard error. The last lines are kept to explain a failed start.
#[expect(clippy::disallowed_methods, reason = "it ends with the stream, which ends with the process")]
fn log_stderr(name: String, mut stderr: ChildStderr, last: StderrTail) -> JoinHandle<()> {
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
                let text = printable_text(&std::mem::take(&mut line));
                if text.is_empty() {
                    continue;
                }
                logged += 1;
                match logged {
                    ..LOGGED => tracing::info!(server = name, said = text, "an MCP server says"),
                    LOGGED => tracing::warn!(server = name, "an MCP server says too much; no more is logged"),
                    _ => {}
                }
                push_line(&last, text);
            }
        }
    })
}

fn printable_text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).chars().filter(|c| !c.is_control()).collect::<String>().trim().to_owned()
}

fn push_line(last: &StderrTail, text: String) {
    let mut lines = last.lock().unwrap_or_else(PoisonError::into_inner);
    if lines.len() >= LINES {
        lines.pop_front();
    }
    lines.push_back(text);
}

impl ServerProcess {
    /// Returns the last lines of standard error, once the process has ended or is given up.
    pub async fn last(&mut self) -> String {
        if let Some(stderr_log) = self.stderr_log.take() {
            let _ = timeout(LAST, stderr_log).await;
        }
        let lines = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect::<Vec<_>>().join(" / ")
    }

    /// Reports whether the process has ended.
    pub fn has_ended(&mut self) -> bool {
        self.leader.as_mut().is_none_or(|leader| !matches!(leader.try_wait(), Ok(None)))
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // Closing the pipe makes the guard kill the group.
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
