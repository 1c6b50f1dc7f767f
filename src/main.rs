//! Entry point: parses the command line, runs the command and converts its result into an exit code.

use askfirst::app::{copying, replaying, serve, service_handle};
use askfirst::cli::args::{Cli, Command, Doctor};
use askfirst::cli::doctor;
use askfirst::config::Settings;
use askfirst::observability::logs;
use askfirst::pdf::worker;
use askfirst::sandbox;
use clap::Parser;
use std::process::ExitCode;

const FAILED: u8 = 3;
const USAGE: u8 = 2;
/// Log filter for replays. The log lines of the steps were written when the steps were recorded.
const REPLAY_LOG_FILTER: &str = "error,askfirst::programs::conversation=off";

#[expect(clippy::disallowed_methods, reason = "the settings are given the environment here, once")]
fn main() -> ExitCode {
    if let Some(code) = sandbox::run_if_guard().or_else(worker::run_if_worker) {
        return code;
    }
    let cli = Cli::parse();
    let mut settings = match Settings::load(&cli.flags(), std::env::vars()) {
        Ok(settings) => settings,
        Err(fault) => return print_error(USAGE, &fault),
    };
    match cli.command {
        Command::Serve(_) | Command::Doctor(_) => {}
        Command::Replay(_) => settings.telemetry.quieten(REPLAY_LOG_FILTER),
        _ => settings.telemetry.quieten("error"),
    }
    if let Err(fault) = logs::start(&settings.telemetry) {
        return print_error(USAGE, &fault);
    }
    for name in &settings.strangers {
        tracing::warn!(name, "this variable is no setting");
    }
    let system = actix::System::new();
    match cli.command {
        Command::Serve(serve) => match system.block_on(serve::serve(settings, serve)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(fault) => print_error(FAILED, &fault),
        },
        Command::Doctor(Doctor { json, .. }) => {
            let (report, code) = system.block_on(doctor::report(&settings, json));
            print!("{report}");
            ExitCode::from(code)
        }
        Command::Copy(arguments) => ExitCode::from(copying::command(&settings, &arguments)),
        Command::Replay(order) => ExitCode::from(system.block_on(replaying::command(settings, order))),
        command => ExitCode::from(system.block_on(service_handle::run_command(settings, command))),
    }
}

fn print_error(code: u8, fault: &dyn std::error::Error) -> ExitCode {
    eprintln!("askfirst: {fault}");
    ExitCode::from(code)
}
