//! The command line: reads it, starts what it asks for, and turns the end into an exit code.

use askfirst::app::{self, AppError};
use askfirst::cli::{Cli, Command, Doctor, Serve};
use askfirst::config::Settings;
use askfirst::{doctor, telemetry};
use clap::Parser;
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};

const FAILED: u8 = 3;
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let settings = match Settings::load(&cli.flags(), std::env::vars()) {
        Ok(settings) => settings,
        Err(fault) => return told(USAGE, &fault),
    };
    if let Err(fault) = telemetry::start(&settings.telemetry) {
        return told(USAGE, &fault);
    }
    for name in &settings.strangers {
        tracing::warn!(name, "this variable is no setting");
    }
    let system = actix::System::new();
    match cli.command {
        Command::Serve(serve) => match system.block_on(serve_until_told(settings, serve)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(fault) => told(FAILED, &fault),
        },
        Command::Doctor(Doctor { json, .. }) => {
            let findings = system.block_on(doctor::examine(&settings));
            print!("{}", if json { doctor::json(&findings) } else { doctor::lines(&findings) });
            ExitCode::from(doctor::exit_code(&findings))
        }
    }
}

async fn serve_until_told(settings: Settings, serve: Serve) -> Result<(), AppError> {
    let host = settings.server.host.clone();
    let running = app::start(settings).await?;
    let handle = running.handle.clone();
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    actix::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        handle.stop(true).await;
    });
    let host = if host.contains(':') { format!("[{host}]") } else { host };
    println!("listening on http://{host}:{}", running.port);
    if running.address.contains("?token=") {
        println!("open {}", running.address);
    }
    if serve.open {
        open_in_browser(&running.address);
    }
    running.serve().await
}

/// Whatever the desktop opens addresses with; without one, the printed address must do.
#[allow(clippy::disallowed_methods, reason = "the one program that is started for the person, not for a run")]
fn open_in_browser(address: &str) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    if let Err(fault) = std::process::Command::new(opener).arg(address).spawn() {
        tracing::warn!(%fault, opener, "no browser could be opened");
    }
}

fn told(code: u8, fault: &dyn std::error::Error) -> ExitCode {
    eprintln!("askfirst: {fault}");
    ExitCode::from(code)
}
