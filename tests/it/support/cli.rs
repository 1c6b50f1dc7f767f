//! Runs the command line as a person or a script does: the real binary, with its output and input.

use super::app::{PATIENCE, variables};
use nix::pty::{OpenptyResult, openpty};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::path::Path;
use std::process::Stdio;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::watch;

/// The result of a command that has exited.
#[derive(Debug)]
pub struct CommandResult {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl CommandResult {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|fault| panic!("{fault}: {self:?}"))
    }
}

/// A running command.
pub struct Terminal {
    child: Child,
    keys: Keys,
    out: watch::Receiver<String>,
    err: watch::Receiver<String>,
}

enum Keys {
    Pipe(Option<ChildStdin>),
    /// Master side of a pseudo-terminal.
    Real(std::fs::File),
}

/// Creates an `askfirst` command with these arguments, on the data folder below `folder`.
fn command(folder: &Path, words: &[&str], vars: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_askfirst"));
    command.args(words).arg("--data-dir").arg(folder.join("data"));
    command.env("LC_ALL", "C").env("ASKFIRST_AGENTS_DIR", folder.join("agents")).envs(variables(vars));
    command.kill_on_drop(true);
    command
}

/// Runs a command to its end, with empty standard input.
pub async fn askfirst(folder: &Path, words: &[&str], vars: &[(&str, &str)]) -> CommandResult {
    Terminal::start(folder, words, vars).ends().await
}

/// Runs a command to its end, with this standard input.
pub async fn askfirst_with(
    folder: &Path,
    words: &[&str],
    vars: &[(&str, &str)],
    input: &str,
) -> CommandResult {
    let mut terminal = Terminal::start(folder, words, vars);
    terminal.types(input).await;
    terminal.ends().await
}

impl Terminal {
    /// Starts a command with pipes.
    pub fn start(folder: &Path, words: &[&str], vars: &[(&str, &str)]) -> Self {
        let mut command = command(folder, words, vars);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let keys = Keys::Pipe(child.stdin.take());
        Self { keys, out: collect(out), err: collect(err), child }
    }

    /// Starts a command at a pseudo-terminal. Standard output is still a pipe.
    pub fn open(folder: &Path, words: &[&str], vars: &[(&str, &str)]) -> Self {
        let OpenptyResult { master, slave } = openpty(None, None).unwrap();
        let mut command = command(folder, words, vars);
        command.env("TERM", "xterm").env_remove("NO_COLOR");
        command.stdin(slave.try_clone().unwrap()).stdout(Stdio::piped()).stderr(slave);
        let mut child = command.spawn().unwrap();
        // The command holds the slave side, which would keep the terminal open.
        drop(command);
        let screen = tokio::fs::File::from_std(std::fs::File::from(master.try_clone().unwrap()));
        let out = child.stdout.take().unwrap();
        Self { keys: Keys::Real(master.into()), out: collect(out), err: collect(screen), child }
    }

    pub async fn types(&mut self, text: &str) {
        match &mut self.keys {
            Keys::Pipe(Some(stdin)) => stdin.write_all(text.as_bytes()).await.unwrap(),
            Keys::Pipe(None) => panic!("its standard input has been closed"),
            Keys::Real(master) => std::io::Write::write_all(master, text.as_bytes()).unwrap(),
        }
    }

    /// Waits until standard error contains the words.
    pub async fn shows(&mut self, words: &str) {
        let seen = tokio::time::timeout(PATIENCE, self.err.wait_for(|err| err.contains(words))).await;
        let seen = seen.is_ok_and(|seen| seen.is_ok());
        if !seen {
            panic!("it never shows \"{words}\": {}", *self.err.borrow());
        }
    }

    /// Returns standard error so far.
    pub fn screen(&self) -> String {
        self.err.borrow().clone()
    }

    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id().unwrap()).unwrap());
        kill(pid, signal).unwrap();
    }

    pub fn is_over(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Closes standard input and waits for the end.
    pub async fn ends(mut self) -> CommandResult {
        if let Keys::Pipe(stdin) = &mut self.keys {
            drop(stdin.take());
        }
        let ended = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        let Ok(status) = ended else { panic!("it does not end: {}", *self.err.borrow()) };
        let code = status.unwrap().code().unwrap_or_else(|| panic!("it was killed"));
        CommandResult { code, out: whole(self.out).await, err: whole(self.err).await }
    }
}

/// Collects the output as it arrives.
fn collect(mut from: impl AsyncRead + Unpin + 'static) -> watch::Receiver<String> {
    let (sender, receiver) = watch::channel(String::new());
    actix_web::rt::spawn(async move {
        let mut part = [0; 4096];
        let mut bytes = Vec::new();
        // Reading a terminal whose other side is closed fails instead of returning 0.
        while let Ok(read @ 1..) = from.read(&mut part).await {
            bytes.extend_from_slice(&part[..read]);
            sender.send_replace(String::from_utf8_lossy(&bytes).into_owned());
        }
    });
    receiver
}

async fn whole(mut from: watch::Receiver<String>) -> String {
    while from.changed().await.is_ok() {}
    from.borrow().clone()
}
