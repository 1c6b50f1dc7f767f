//! `askfirst serve`: serves until SIGTERM or Ctrl-C.

use crate::app;
use crate::app::error::AppError;
use crate::app::mapped_code;
use crate::cli::args::Serve;
use crate::config::Settings;
use std::io::Write as _;
use tokio::signal::unix::{SignalKind, signal};

/// Starts the service, prints its address (`docs/protocol.md`), and shuts down cleanly on a signal.
pub async fn serve(settings: Settings, serve: Serve) -> Result<(), AppError> {
    let (host, base) = (settings.server.host.clone(), settings.server.base_path.clone());
    let running = app::start(settings).await?;
    let (handle, drain) = (running.handle.clone(), running.drain());
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    actix::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        // Other services go on with the runs while this one still answers its last requests.
        drain.run().await;
        handle.stop(true).await;
    });
    let host = if host.contains(':') { format!("[{host}]") } else { host };
    print_line(&format!("listening on http://{host}:{}{}", running.port, base.as_str()));
    if running.address.contains("?token=") {
        print_line(&format!("open {}", running.address));
    }
    actix::spawn(mapped_code::release_code_pages_periodically());
    if serve.open {
        open_in_browser(&running.address);
    }
    running.serve().await
}

/// Prints a line. Errors are ignored: a closed standard output is no reason to end.
fn print_line(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Opens an address with the desktop's program for it. A failure is logged; the printed address is still
/// there.
#[allow(clippy::disallowed_methods, reason = "the one program that is started for the person, not for a run")]
fn open_in_browser(address: &str) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    if let Err(fault) = std::process::Command::new(opener).arg(address).spawn() {
        tracing::warn!(%fault, opener, "no browser could be opened");
    }
}
