//! Standard input and output as async streams. Each has a thread, because reading and writing may block as
//! long as the other side likes.

use std::io::{self, Read, Write};
use std::thread;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::runtime::Handle;

const ROOM: usize = 64 * 1024;

/// Returns the streams for standard input and standard output.
#[expect(
    clippy::disallowed_methods,
    reason = "they end with the streams, or with the process that these belong to"
)]
pub fn streams() -> (DuplexStream, DuplexStream) {
    let (input, mut input_writer) = duplex(ROOM);
    let (output, mut output_reader) = duplex(ROOM);
    let (here, there) = (Handle::current(), Handle::current());
    thread::spawn(move || {
        let mut part = vec![0; ROOM];
        while let Ok(read @ 1..) = io::stdin().read(&mut part) {
            let written = here.block_on(input_writer.write_all(part.get(..read).unwrap_or_default()));
            if written.is_err() {
                return;
            }
        }
    });
    thread::spawn(move || {
        let mut part = vec![0; ROOM];
        while let Ok(read @ 1..) = there.block_on(output_reader.read(&mut part)) {
            let mut out = io::stdout().lock();
            let written = out.write_all(part.get(..read).unwrap_or_default()).and_then(|()| out.flush());
            if written.is_err() {
                return;
            }
        }
    });
    (input, output)
}
