//! Decides which environment variables of the service a command may receive: the service's own settings
//! contain keys and tokens.

/// Variables that the sandbox sets for every command.
const SET: [&str; 7] = ["PATH", "HOME", "PWD", "TMPDIR", "LANG", "USER", "LOGNAME"];

/// Checks a variable name of an agent file. The error says why the variable does not reach the command.
pub fn may_pass(name: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(plain) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(format!("`{name}`, which is not a variable name; list names only, without values"));
    }
    if name.starts_with("ASKFIRST_") {
        return Err(format!("`{name}`, a setting of the service, which never passes"));
    }
    if SET.contains(&name) {
        return Err(format!("`{name}`, which the sandbox sets itself; leave it out"));
    }
    Ok(())
}
