//! Checks of the sandbox, the store and the port.

use crate::cli::doctor::finding::Finding;
use crate::config::{self, Server};
use crate::ids;
use crate::sandbox::Sandbox;
use crate::sandbox::backend::Backend;
use crate::sandbox::container_engine::ContainerEngine;
use std::io;
use std::path::Path;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// Free space below which the store may soon refuse to write.
const LOW_DISK_BYTES: u64 = 1024 * 1024 * 1024;

/// Checks the sandbox for agents' code and commands by using it. Without a sandbox the service works, but
/// such agents do not.
pub fn check_sandbox(settings: &config::Sandbox) -> Finding {
    let scratch = std::env::temp_dir().join(format!("askfirst-doctor-{}", ids::token()));
    let sandbox = Sandbox::without_cleanup(settings, scratch.clone());
    let means = sandbox.backend();
    // Exists only if the backend needed it.
    let _ = std::fs::remove_dir(&scratch);
    let works = means.is_ok();
    let install = "install bubblewrap (apt install bubblewrap)";
    let finding = match means {
        Ok(Backend::None) => {
            let text = "none: agents’ code and commands run with all the rights of the service";
            Finding::note(
                "sandbox",
                text,
                "unset sandbox.means, and install bubblewrap (apt install bubblewrap)",
            )
        }
        Ok(means @ Backend::Bubblewrap(_)) => Finding::good("sandbox", format!("{means} works")),
        Ok(means @ Backend::Landlock) => {
            Finding::note("sandbox", format!("{means} work; bubblewrap holds more"), install)
        }
        Err(why) => Finding::note("sandbox", "none, so agents with code or commands cannot run", why),
    };
    match sandbox.interpreter() {
        Err(fault) if works => {
            Finding::note("sandbox", format!("{}, but {fault}", finding.text), "apt install python3")
        }
        Ok(_) | Err(_) => finding,
    }
}

/// Checks whether agents whose `build` is an image can run.
pub async fn check_images(settings: &config::Build) -> Finding {
    let refused = "so agents that run in an image (`build: {image: …}`) cannot run";
    let Some(engine) = ContainerEngine::found(settings.engine.as_deref()) else {
        let advice = match &settings.engine {
            Some(program) => format!("there is no {}; correct build.engine", program.display()),
            None => String::from("install podman (apt install podman) if you have such agents"),
        };
        return Finding::note("images", format!("neither podman nor docker, {refused}"), advice);
    };
    match engine.check_works().await {
        Ok(()) => Finding::good("images", format!("{} works", engine.name())),
        Err(why) => {
            let text = format!("{} does not work, {refused}: {why}", engine.name());
            Finding::note("images", text, "start its service, or install podman (apt install podman)")
        }
    }
}

/// Checks whether the data folder takes a database, and how much space is free.
pub fn check_store(data_dir: &Path) -> Vec<Finding> {
    let shown = data_dir.display();
    if let Err(why) = try_store(data_dir) {
        let advice = "choose another folder with --data-dir or ASKFIRST_DATA_DIR, or fix its permissions";
        return vec![Finding::missing("store", format!("{shown} cannot be used: {why}"), advice)];
    }
    vec![
        Finding::good("store", format!("{shown} is writable; SQLite opens in WAL mode")),
        check_disk(data_dir),
    ]
}

/// Creates the folder and a small database in it, then removes the database.
fn try_store(data_dir: &Path) -> Result<(), String> {
    std::fs::create_dir_all(data_dir).map_err(|error| error.to_string())?;
    let path = data_dir.join(format!(".doctor-{}.sqlite", ids::token()));
    let tried = try_sqlite(&path).map_err(|error| error.to_string());
    for ending in ["", "-wal", "-shm"] {
        let mut name = path.clone().into_os_string();
        name.push(ending);
        let _ = std::fs::remove_file(name);
    }
    match tried?.as_str() {
        "wal" => Ok(()),
        mode => Err(format!("SQLite cannot use WAL here (it stays in mode {mode}); is it a network drive?")),
    }
}

fn try_sqlite(path: &Path) -> rusqlite::Result<String> {
    let database = rusqlite::Connection::open(path)?;
    let mode = database.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    database.execute_batch("CREATE TABLE proof (word TEXT); INSERT INTO proof VALUES ('it works');")?;
    Ok(mode)
}

#[allow(clippy::unnecessary_cast, reason = "these numbers are narrower on macOS")]
fn check_disk(data_dir: &Path) -> Finding {
    let Ok(disk) = nix::sys::statvfs::statvfs(data_dir) else {
        return Finding::note(
            "disk",
            "unknown free space",
            "check that the disk of the data folder has space",
        );
    };
    let free = disk.blocks_available() as u64 * disk.fragment_size() as u64;
    let text = format!("{:.1} GB free", free as f64 / 1e9);
    if free < LOW_DISK_BYTES {
        return Finding::note("disk", text, "free some space, or choose another folder with --data-dir");
    }
    Finding::good("disk", text)
}

/// Checks whether the service could listen at the configured address, or already does.
pub async fn check_port(server: &Server) -> Finding {
    let address = format!("{}:{}", server.host, server.port);
    let host = server.host.trim_matches(['[', ']']);
    let error = match TcpListener::bind((host, server.port)).await {
        Ok(_) => return Finding::good("port", format!("{address} is free")),
        Err(error) => error,
    };
    if error.kind() != io::ErrorKind::AddrInUse {
        let advice = "correct server.host, or choose a server.port of 1024 or above";
        return Finding::missing("port", format!("{address} cannot be used: {error}"), advice);
    }
    let answers = timeout(Duration::from_secs(2), is_alive(host, server.port)).await;
    if matches!(answers, Ok(Ok(true))) {
        let text = format!("{address} is used by a running service, perhaps this one");
        return Finding::note("port", text, "if it is another program, set server.port or use --port");
    }
    let advice = "stop the program that listens there, set server.port or use --port";
    Finding::missing("port", format!("{address} is used by another program"), advice)
}

/// Requests `/healthz`, as a load balancer does.
async fn is_alive(host: &str, port: u16) -> io::Result<bool> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = TcpStream::connect((host, port)).await?;
    let name = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {name}:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut status = [0; 12];
    stream.read_exact(&mut status).await?;
    Ok(&status == b"HTTP/1.1 200")
}
