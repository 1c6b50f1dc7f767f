//! Starts an application as its file says, on a free port and with data of its own.

use super::chores::RealApp;
use crate::real_apps::application::Application;
use crate::support::app::free_port;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Reason for which an application is left out.
pub struct StartFault(pub String);

/// Folder that `scripts/real-apps.sh` installs an application into.
fn installed(app: &RealApp) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("real-apps").join(&app.name)
}

/// Makes the data of an application and starts it.
pub async fn start(app: &RealApp, folder: &Path) -> Result<Application, StartFault> {
    if !installed(app).join("installed.txt").exists() {
        return Err(StartFault(String::from("it is not installed; see scripts/real-apps.sh")));
    }
    for (name, text) in &app.files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let ports = [free_port(), free_port()];
    finish(&mut shell(app, &app.prepare, folder, ports))?;
    let mut command = shell(app, &format!("exec {}", app.start), folder, ports);
    let running =
        Application::launch(&mut command, ports[0], folder, &app.ready).await.map_err(StartFault)?;
    finish(&mut shell(app, &app.fill, folder, ports))?;
    Ok(running)
}

/// Runs commands that make data to their end.
fn finish(command: &mut Command) -> Result<(), StartFault> {
    let made = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output();
    let Output { status, stderr, .. } = made.map_err(|fault| StartFault(fault.to_string()))?;
    if !status.success() {
        return Err(StartFault(format!("its data cannot be made: {}", String::from_utf8_lossy(&stderr))));
    }
    Ok(())
}

/// A command of the shell that finds the programs of the application first. `{port}` is its port, `{port2}` another
/// free one.
fn shell(app: &RealApp, text: &str, folder: &Path, ports: [u16; 2]) -> Command {
    let text = text.replace("{port}", &ports[0].to_string()).replace("{port2}", &ports[1].to_string());
    let root = installed(app);
    let own = [root.join("bin"), root.join("node_modules/.bin")];
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&inherited))).unwrap();
    let mut command = Command::new("bash");
    command
        .args(["-euc", &text])
        .current_dir(folder)
        .env("PATH", path)
        .env("APP", &root)
        // Settings of the person who runs the tests are not theirs.
        .env("HOME", folder)
        .env_remove("PYTHONPATH")
        .stdin(Stdio::null());
    command
}
