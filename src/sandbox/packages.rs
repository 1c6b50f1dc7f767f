//! Packages of Python, made from a lock by pip, which is held as all code is: it writes one folder, and has a
//! network only where the settings name an index.

use super::order::{Order, Verdict};
use super::{Heard, Sandbox, SandboxError, python};
use std::path::PathBuf;
use std::time::Duration;

const INSTALL: &str = include_str!("packages.py");
/// Large packages have many files.
const ENTRIES: u64 = 200_000;

/// What is to be made.
#[derive(Clone, Debug)]
pub struct PackagesCall {
    /// Holds `requirements.txt` and the folder `wheels`.
    pub given: PathBuf,
    /// An empty folder; the packages are in its `site` afterwards.
    pub into: PathBuf,
    /// With it there is a network.
    pub index: Option<String>,
    pub timeout: Duration,
    pub max_mb: u64,
}

impl Sandbox {
    /// What pip said, with how it ended.
    pub async fn packages(
        &self,
        call: &PackagesCall,
        heard: Heard<'_>,
    ) -> Result<(bool, String), SandboxError> {
        let means = self.found().await?;
        let program = self.interpreter()?;
        let mut readable = python::readable(&program, &self.0.settings, &self.0.scratch)?;
        readable.push(call.given.clone());
        let mut order = Order {
            command: program.to_string_lossy().into_owned(),
            args: ["-I", "-B", "-X", "utf8", "-c", INSTALL].map(String::from).to_vec(),
            files: Some(call.into.clone()),
            readable,
            network: call.index.is_some(),
            ..self.order(&means, Some(call.timeout))
        };
        order.args.push(call.given.to_string_lossy().into_owned());
        order.args.push(call.index.clone().unwrap_or_default());
        order.bounds.scratch_mb = call.max_mb;
        order.bounds.entries = ENTRIES;
        order.bounds.cpu_s = order.bounds.cpu_s.max(call.timeout.as_secs());
        let said = self.run(&order, &[], heard).await?;
        let words = [said.stdout, said.stderr].concat();
        Ok((said.verdict == Verdict::Ended(0), String::from_utf8_lossy(&words).into_owned()))
    }

    /// What Python runs code, as it says itself: packages fit one alone.
    pub async fn python_version(&self) -> Result<String, SandboxError> {
        let code = "import sys\nresult = f'{sys.implementation.cache_tag} {sys.version} {sys.platform}'";
        let outputs = vec![String::from("version")];
        let call = super::PythonCall { code: code.to_owned(), outputs, ..super::PythonCall::default() };
        let found = self.python(call).await?;
        Ok(found.vars.get("version").and_then(|value| value.as_str()).unwrap_or_default().to_owned())
    }
}
