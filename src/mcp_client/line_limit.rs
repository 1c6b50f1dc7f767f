//! A reader that limits the length of lines. A server that sends a longer line loses its connection, so its
//! callers fail at once instead of waiting.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};

/// Maximum size of a message in bytes.
pub const MESSAGE: usize = 4 * 1024 * 1024;

/// Reader that fails at a line beyond the maximum size of a message.
pub struct LineLimitReader<R> {
    inner: R,
    /// Bytes since the last end of a line.
    read: usize,
}

impl<R> LineLimitReader<R> {
    /// Wraps a reader that stands at the beginning of a line.
    pub fn new(inner: R) -> Self {
        Self { inner, read: 0 }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for LineLimitReader<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, into))?;
        let fresh = into.filled().get(before..).unwrap_or_default();
        self.read = match fresh.iter().rposition(|byte| *byte == b'\n') {
            Some(index) => fresh.len() - index - 1,
            None => self.read + fresh.len(),
        };
        if self.read > MESSAGE {
            let words = format!("a message has more than {MESSAGE} bytes");
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, words)));
        }
        Poll::Ready(Ok(()))
    }
}
