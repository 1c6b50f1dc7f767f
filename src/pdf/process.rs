//! Starts the process that reads a PDF, and collects what it reads.

use crate::pdf::worker::{WORKER, WorkerLine};
use crate::pdf::{PdfError, PdfPage, PdfReading, PdfRequest};
use crate::sandbox::guard_client::own_program;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{ChildStdout, Command};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Processes that read at a time.
const WORKERS: usize = 2;
/// Time after which the process is ended.
const MOST_TIME: Duration = Duration::from_secs(30);
/// Bytes that it may write.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Reader of the service. It starts few processes at a time.
#[derive(Debug)]
pub struct PdfReader {
    worker_slots: Semaphore,
}

impl Default for PdfReader {
    fn default() -> Self {
        Self { worker_slots: Semaphore::new(WORKERS) }
    }
}

impl PdfReader {
    /// Reads a PDF. When the process ends early, what it has read before is returned.
    pub async fn read_pdf(&self, request: &PdfRequest) -> Result<PdfReading, PdfError> {
        let failed = |fault: &dyn std::fmt::Display| PdfError::File(fault.to_string());
        let _slot = self.worker_slots.acquire().await.map_err(|fault| failed(&fault))?;
        let mut child = start(request).map_err(|fault| failed(&fault))?;
        let mut collected = Collected::default();
        if let Some(output) = child.stdout.take() {
            let _ = timeout(MOST_TIME, collect(output, &mut collected)).await;
        }
        let _ = child.start_kill();
        let _ = child.wait().await;
        collected.finish()
    }
}

/// Starts the process, without the service's environment. Dropping it ends it.
#[expect(clippy::disallowed_methods, reason = "it ends when it is dropped, or by its limits")]
fn start(request: &PdfRequest) -> std::io::Result<tokio::process::Child> {
    let program = if cfg!(target_os = "linux") { own_program() } else { std::env::current_exe()? };
    Command::new(program)
        .arg(WORKER)
        .arg(serde_json::to_string(request)?)
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
}

#[derive(Default)]
struct Collected {
    reading: Option<PdfReading>,
    expected: Vec<u32>,
    is_done: bool,
    refusal: Option<PdfError>,
}

async fn collect(output: ChildStdout, collected: &mut Collected) {
    let mut lines = BufReader::new(output.take(MOST_BYTES)).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        match serde_json::from_str(&line) {
            Ok(line) => collected.add(line),
            Err(_) => return,
        }
    }
}

impl Collected {
    fn add(&mut self, line: WorkerLine) {
        match line {
            WorkerLine::Unconfined(why) => tracing::warn!(why, "a PDF is read without full isolation"),
            WorkerLine::Opened { count, title, pages } => {
                self.reading = Some(PdfReading { count, title, ..PdfReading::default() });
                self.expected = pages;
            }
            WorkerLine::Page(page, picture) => {
                let picture = picture.and_then(|picture| STANDARD.decode(picture).ok());
                if let Some(read) = &mut self.reading {
                    read.pages.push(PdfPage { is_drawn: picture.is_some(), picture, ..page });
                }
            }
            WorkerLine::Refused(why) => self.refusal = Some(why),
            WorkerLine::Done => self.is_done = true,
        }
    }

    fn finish(self) -> Result<PdfReading, PdfError> {
        if let Some(why) = self.refusal {
            return Err(why);
        }
        let mut reading = self.reading.ok_or(PdfError::TooComplex)?;
        let mut unread = self.expected;
        unread.drain(..reading.pages.len().min(unread.len()));
        reading.failed_at = unread.first().copied().filter(|_| !self.is_done);
        reading.unread_pages = unread;
        Ok(reading)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: u32) -> WorkerLine {
        WorkerLine::Page(PdfPage { number, ..PdfPage::default() }, None)
    }

    #[test]
    fn what_was_read_before_a_page_that_is_too_much_is_kept() {
        let opened = || WorkerLine::Opened { count: 9, title: None, pages: vec![2, 3, 4] };
        for (lines, read, unread, failed_at) in [
            (vec![opened(), page(2), WorkerLine::Done], vec![2], vec![3, 4], None),
            (vec![opened(), page(2)], vec![2], vec![3, 4], Some(3)),
            (vec![opened(), page(2), page(3), page(4)], vec![2, 3, 4], vec![], None),
        ] {
            let mut collected = Collected::default();
            lines.into_iter().for_each(|line| collected.add(line));
            let reading = collected.finish().unwrap();
            let numbers: Vec<u32> = reading.pages.iter().map(|page| page.number).collect();
            assert_eq!((numbers, reading.unread_pages, reading.failed_at), (read, unread, failed_at));
        }
        assert_eq!(Collected::default().finish(), Err(PdfError::TooComplex));
    }
}
