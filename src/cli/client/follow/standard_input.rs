//! Standard input, line by line. A blocked reading thread could not be stopped, so standard input is polled
//! while a line is awaited, and read only when there is something. On a terminal, text typed before a
//! question was shown is discarded.

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{self, FlushArg, LocalFlags, SetArg, Termios};
use std::io::{self, IsTerminal, Stdin};
use std::os::fd::AsFd;
use std::time::Duration;

/// Bytes read at once.
const PART: usize = 8 * 1024;
/// Polling interval; no one types faster.
const TICK: Duration = Duration::from_millis(25);

#[derive(Debug, Default)]
pub struct Keyboard {
    buffer: Vec<u8>,
    ended: bool,
    /// Terminal settings before echo was turned off.
    shown: Option<Termios>,
}

impl Keyboard {
    /// Returns the next line, or `None` at the end. Cancel safe: it may be dropped at any await.
    pub async fn line(&mut self) -> io::Result<Option<String>> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=end).collect();
                return Ok(Some(text(&line)));
            }
            if self.ended {
                let rest = std::mem::take(&mut self.buffer);
                return Ok((!rest.is_empty()).then(|| text(&rest)));
            }
            self.more().await?;
        }
    }

    /// Returns the remaining text.
    pub async fn rest(&mut self) -> io::Result<String> {
        while !self.ended {
            self.more().await?;
        }
        let rest = std::mem::take(&mut self.buffer);
        String::from_utf8(rest).map_err(|_| io::Error::other("it is not UTF-8 text"))
    }

    /// Waits until there is something to read, then reads it, because reading may block.
    async fn more(&mut self) -> io::Result<()> {
        let stdin = io::stdin();
        while !has_some(&stdin)? {
            tokio::time::sleep(TICK).await;
        }
        let mut part = [0; PART];
        let read = nix::unistd::read(&stdin, &mut part)?;
        self.ended = read == 0;
        self.buffer.extend_from_slice(&part[..read]);
        Ok(())
    }

    /// Discards text typed so far; `hidden` turns echo off for the answer.
    pub fn ready(&mut self, hidden: bool) {
        let stdin = io::stdin();
        if !stdin.is_terminal() {
            return;
        }
        self.buffer.clear();
        let _ = termios::tcflush(&stdin, FlushArg::TCIFLUSH);
        if hidden && let Ok(now) = termios::tcgetattr(&stdin) {
            let mut quiet = now.clone();
            quiet.local_flags.remove(LocalFlags::ECHO);
            if termios::tcsetattr(&stdin, SetArg::TCSANOW, &quiet).is_ok() {
                self.shown = Some(now);
            }
        }
    }

    /// Turns echo on again. Returns true if it was off.
    pub fn show(&mut self) -> bool {
        let Some(before) = self.shown.take() else { return false };
        termios::tcsetattr(io::stdin(), SetArg::TCSANOW, &before).is_ok()
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        self.show();
    }
}

/// True if a person is at the terminal: questions are shown on standard error and answered on standard input.
pub fn is_attended() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// True if reading would not block: there is data, or the input has ended.
fn has_some(stdin: &Stdin) -> io::Result<bool> {
    let mut descriptors = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
    Ok(poll(&mut descriptors, PollTimeout::ZERO)? > 0)
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end_matches(['\r', '\n']).to_owned()
}
