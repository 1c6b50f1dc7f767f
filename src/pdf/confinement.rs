//! Confinement of the process that reads a PDF: it reaches its file and libraries, and no network.

use crate::sandbox::guard::landlocked::{self, Permissions};
use std::path::Path;

/// Confines this process irrevocably. Returns what the system cannot enforce; the rest is in effect then.
pub fn confine_worker(file: &Path) -> Result<(), String> {
    let walls = Permissions {
        readable: vec![file.to_owned()],
        writable: Vec::new(),
        // It makes no files anywhere.
        with_run_files: true,
        same_user: true,
        network: false,
    };
    let Err(why) = landlocked::confine(&walls) else { return Ok(()) };
    // Without Landlock it still has no sockets, and cannot reach into other processes.
    match landlocked::deny_calls(&walls, 0) {
        Ok(()) => Err(why),
        Err(more) => Err(format!("{why}; {more}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::net::UdpSocket;

    // Both apply to the thread that calls them, and to the threads that it starts.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "both are joined")]
    fn a_confined_reader_opens_its_own_file_only_and_no_socket() {
        let folder = tempfile::tempdir().unwrap();
        let (own, other) = (folder.path().join("own.pdf"), folder.path().join("other.pdf"));
        for path in [&own, &other] {
            std::fs::write(path, "%PDF-").unwrap();
        }
        let confined = std::thread::spawn(move || {
            let confined = confine_worker(&own);
            let inner = std::thread::spawn(move || {
                assert!(File::open(&own).is_ok());
                assert!(UdpSocket::bind("127.0.0.1:0").is_err(), "it has no network");
                (File::open(&other).is_err(), File::create(own.with_extension("new")).is_err())
            });
            (confined, inner.join().unwrap())
        });
        let (confined, denied) = confined.join().unwrap();
        // A kernel without Landlock cannot keep files from it, which is told then.
        assert_eq!(denied, (confined.is_ok(), confined.is_ok()), "{confined:?}");
    }
}
