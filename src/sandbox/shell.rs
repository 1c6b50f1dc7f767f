//! Commands: validation of requests, and evaluation of results. The command and its arguments stay separate
//! up to the kernel. An agent that wants a shell must name one.

use crate::agent_spec::types::env;
use crate::sandbox::calls::{ShellCall, ShellResult};
use crate::sandbox::error::SandboxError;
use crate::sandbox::guard_client::ProgramOutput;
use crate::sandbox::guard_messages::{GuardVerdict, NO_PROGRAM, SandboxRequest};
use std::path::{Component, Path, PathBuf};

/// Completes a request with a call, or returns what is wrong with the call.
pub fn complete_request(call: &ShellCall, request: SandboxRequest) -> Result<SandboxRequest, SandboxError> {
    if call.command.trim().is_empty() {
        return Err(SandboxError::Command(String::from("is empty; name a program")));
    }
    if [&call.command].into_iter().chain(&call.args).any(|part| part.contains('\0')) {
        return Err(SandboxError::Command(String::from("or an argument holds a NUL; leave it out")));
    }
    let within = resolve_working_folder(call.cwd.as_deref().unwrap_or_default(), call.files.as_deref())?;
    let mut env = request.env.clone();
    for name in &call.env {
        if let Some(value) = read_variable(name)? {
            env.insert(name.clone(), value);
        }
    }
    let (command, args) = (call.command.clone(), call.args.clone());
    Ok(SandboxRequest {
        command,
        args,
        within,
        env,
        files: call.files.clone(),
        files_read_only: call.files_read_only,
        ..request
    })
}

/// Returns the initial folder within the working folder. `files/…` must exist.
fn resolve_working_folder(given: &str, files: Option<&Path>) -> Result<String, SandboxError> {
    let refused = |why: &str| SandboxError::Cwd(format!("`{given}`, {why}"));
    let mut folder = PathBuf::new();
    for part in Path::new(given).components() {
        match part {
            Component::Normal(name) => folder.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                return Err(refused("and may not lead up; name a folder within the scratch folder"));
            }
            Component::RootDir | Component::Prefix(_) => {
                return Err(refused("and may not be absolute; name a folder within the scratch folder"));
            }
        }
    }
    if given.contains('\0') {
        return Err(refused("and may not hold a NUL"));
    }
    if let Ok(rest) = folder.strip_prefix("files") {
        let run_files =
            files.ok_or_else(|| refused("and the run's files are not lent; set `files: true`"))?;
        let inside = rest.components().try_fold(run_files.to_owned(), |path, part| {
            let path = path.join(part);
            std::fs::symlink_metadata(&path).ok().filter(std::fs::Metadata::is_dir).map(|_| path)
        });
        inside.ok_or_else(|| refused("and there is no such folder among the run's files"))?;
    }
    Ok(folder.to_string_lossy().into_owned())
}

fn read_variable(name: &str) -> Result<Option<String>, SandboxError> {
    env::may_pass(name).map_err(SandboxError::Env)?;
    Ok(std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
}

/// Returns the result, or the reason why there is none.
pub fn read(
    output: ProgramOutput,
    request: &SandboxRequest,
    allow_failure: bool,
) -> Result<ShellResult, SandboxError> {
    let GuardVerdict::Ended(status) = output.verdict else {
        return Err(SandboxError::Broken(String::from("it ended in no known way")));
    };
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if status != 0 && stderr.trim_end() == NO_PROGRAM {
        return Err(SandboxError::NotFound(request.command.clone()));
    }
    if let Some(fault) = limit_of_signal(status, request) {
        return Err(fault);
    }
    if status != 0 && !allow_failure {
        if let Some(fault) = limit_in_output(&stderr, request) {
            return Err(fault);
        }
        return Err(SandboxError::Status { command: request.command.clone(), status, stderr });
    }
    Ok(ShellResult { status, stdout, stderr })
}

/// Recognizes limits of the kernel by the signal that ended the program.
fn limit_of_signal(status: i32, request: &SandboxRequest) -> Option<SandboxError> {
    const CPU: i32 = 128 + nix::libc::SIGXCPU;
    const SIZE: i32 = 128 + nix::libc::SIGXFSZ;
    match status {
        CPU => Some(SandboxError::Cpu(request.bounds.cpu_s)),
        SIZE => Some(SandboxError::Scratch(request.bounds.scratch_mb)),
        _ => None,
    }
}

/// Recognizes exceeded limits by the error output of a failed program. The words prove nothing if the program
/// succeeded.
fn limit_in_output(stderr: &str, request: &SandboxRequest) -> Option<SandboxError> {
    let bounds = &request.bounds;
    let contains_any = |words: &[&str]| words.iter().any(|word| stderr.contains(word));
    if contains_any(&["Cannot fork", "fork: ", "Resource temporarily unavailable"]) {
        Some(SandboxError::Processes(bounds.processes))
    } else if contains_any(&["No space left on device", "File too large", "File size limit exceeded"]) {
        Some(SandboxError::Scratch(bounds.scratch_mb))
    } else if contains_any(&["memory exhausted", "Cannot allocate memory", "Out of memory", "MemoryError"]) {
        Some(SandboxError::Memory(bounds.memory_mb))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Folders outside the working folder are refused (S0.32).
    #[test]
    fn a_folder_stays_within_the_scratch_folder() {
        let files = tempfile::tempdir().unwrap();
        std::fs::create_dir(files.path().join("in")).unwrap();
        std::os::unix::fs::symlink("/etc", files.path().join("out")).unwrap();
        for (given, with_files, expected) in [
            ("", false, Ok("")),
            (".", false, Ok("")),
            ("a/b", false, Ok("a/b")),
            ("./a//b/", false, Ok("a/b")),
            ("files/in", true, Ok("files/in")),
            ("files", true, Ok("files")),
            ("files", false, Err("are not lent")),
            ("files/none", true, Err("no such folder")),
            ("files/out", true, Err("no such folder")),
            ("..", false, Err("may not lead up")),
            ("a/../../b", false, Err("may not lead up")),
            ("/etc", false, Err("may not be absolute")),
            ("a\0b", false, Err("NUL")),
        ] {
            let found = resolve_working_folder(given, with_files.then(|| files.path()));
            match expected {
                Ok(folder) => assert_eq!(found.unwrap(), folder, "{given}"),
                Err(words) => {
                    let fault = found.unwrap_err();
                    assert!(
                        fault.code() == "bad_cwd" && fault.to_string().contains(words),
                        "{given}: {fault}"
                    );
                }
            }
        }
    }

    // Variables pass by name, except the service's own (S0.33).
    #[test]
    fn variables_pass_by_name_and_never_the_services_own() {
        for name in ["", "A=1", "1A", "A B", "ASKFIRST_SERVER__TOKEN", "PATH", "HOME"] {
            assert_eq!(read_variable(name).unwrap_err().code(), "bad_env", "{name}");
        }
        assert_eq!(read_variable("CARGO_MANIFEST_DIR").unwrap().as_deref(), Some(env!("CARGO_MANIFEST_DIR")));
        assert_eq!(read_variable("ASK_OF_NOBODY").unwrap(), None);
    }
}
