//! Checks of the sandbox, the store and the port.

use crate::cli::doctor::finding::Finding;
use crate::config::{self, Server};
use crate::ids;
use crate::protocol::Locale;
use crate::sandbox::Sandbox;
use crate::sandbox::backend::Backend;
use crate::sandbox::container_engine::ContainerEngine;
use crate::texts::terminal::doctor as texts;
use std::io;
use std::path::Path;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// Free space below which the store may soon refuse to write.
const LOW_DISK_BYTES: u64 = 1024 * 1024 * 1024;

/// Checks the sandbox for agents' code and commands by using it. Without a sandbox the service works, but
/// such agents do not.
pub fn check_sandbox(settings: &config::Sandbox, locale: Locale) -> Finding {
    let scratch = std::env::temp_dir().join(format!("askfirst-doctor-{}", ids::token()));
    let sandbox = Sandbox::without_cleanup(settings, scratch.clone());
    let means = sandbox.backend();
    // Exists only if the backend needed it.
    let _ = std::fs::remove_dir(&scratch);
    let works = means.is_ok();
    let finding = match means {
        Ok(Backend::None) => {
            Finding::note("sandbox", texts::sandbox_off(locale), texts::turn_sandbox_on(locale))
        }
        Ok(means @ Backend::Bubblewrap(_)) => {
            Finding::good("sandbox", texts::program_works(&means.to_string(), locale))
        }
        Ok(Backend::Landlock) => {
            Finding::note("sandbox", texts::landlock_works(locale), texts::install_bubblewrap(locale))
        }
        Err(why) => Finding::note("sandbox", texts::no_sandbox(locale), why),
    };
    match sandbox.interpreter() {
        Err(fault) if works => {
            let text = texts::sandbox_without_python(&finding.text, &fault.to_string(), locale);
            Finding::note("sandbox", text, "apt install python3")
        }
        Ok(_) | Err(_) => finding,
    }
}

/// Checks whether agents whose `build` is an image can run.
pub async fn check_images(settings: &config::Build, locale: Locale) -> Finding {
    let Some(engine) = ContainerEngine::found(settings.engine.as_deref()) else {
        let advice = match &settings.engine {
            Some(program) => texts::correct_build_engine(&program.display().to_string(), locale),
            None => String::from(texts::install_podman(locale)),
        };
        return Finding::note("images", texts::no_container_engine(locale), advice);
    };
    match engine.check_works().await {
        Ok(()) => Finding::good("images", texts::program_works(&engine.name(), locale)),
        Err(why) => {
            let text = texts::container_engine_broken(&engine.name(), &why, locale);
            Finding::note("images", text, texts::start_container_engine(locale))
        }
    }
}

/// Checks whether the data folder takes a database, and how much space is free.
pub fn check_store(data_dir: &Path, locale: Locale) -> Vec<Finding> {
    let shown = data_dir.display().to_string();
    if let Err(why) = try_store(data_dir, locale) {
        let text = texts::folder_unusable(&shown, &why, locale);
        return vec![Finding::missing("store", text, texts::choose_folder(locale))];
    }
    vec![Finding::good("store", texts::folder_writable(&shown, locale)), check_disk(data_dir, locale)]
}

/// Creates the folder and a small database in it, then removes the database.
fn try_store(data_dir: &Path, locale: Locale) -> Result<(), String> {
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
        mode => Err(texts::no_wal(mode, locale)),
    }
}

fn try_sqlite(path: &Path) -> rusqlite::Result<String> {
    let database = rusqlite::Connection::open(path)?;
    let mode = database.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    database.execute_batch("CREATE TABLE proof (word TEXT); INSERT INTO proof VALUES ('it works');")?;
    Ok(mode)
}

#[allow(clippy::unnecessary_cast, reason = "these numbers are narrower on macOS")]
fn check_disk(data_dir: &Path, locale: Locale) -> Finding {
    let Ok(disk) = nix::sys::statvfs::statvfs(data_dir) else {
        return Finding::note("disk", texts::unknown_space(locale), texts::check_space(locale));
    };
    let free = disk.blocks_available() as u64 * disk.fragment_size() as u64;
    let text = texts::free_space(free as f64 / 1e9, locale);
    if free < LOW_DISK_BYTES {
        return Finding::note("disk", text, texts::make_space(locale));
    }
    Finding::good("disk", text)
}

/// Checks whether the service could listen at the configured address, or already does.
pub async fn check_port(server: &Server, locale: Locale) -> Finding {
    let address = format!("{}:{}", server.host, server.port);
    let host = server.host.trim_matches(['[', ']']);
    let error = match TcpListener::bind((host, server.port)).await {
        Ok(_) => return Finding::good("port", texts::port_free(&address, locale)),
        Err(error) => error,
    };
    if error.kind() != io::ErrorKind::AddrInUse {
        let text = texts::port_unusable(&address, &error.to_string(), locale);
        return Finding::missing("port", text, texts::correct_host(locale));
    }
    let answers = timeout(Duration::from_secs(2), is_alive(host, server.port)).await;
    if matches!(answers, Ok(Ok(true))) {
        return Finding::note(
            "port",
            texts::port_used_by_service(&address, locale),
            texts::change_port(locale),
        );
    }
    Finding::missing("port", texts::port_taken(&address, locale), texts::free_port(locale))
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
