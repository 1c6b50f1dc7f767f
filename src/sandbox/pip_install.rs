//! Installation of Python packages from a lock, by pip in the sandbox. Pip can write one folder, and has
//! network access only if the settings name an index.

use crate::sandbox::calls::PythonCall;
use crate::sandbox::error::SandboxError;
use crate::sandbox::guard_client::OutputListener;
use crate::sandbox::guard_messages::{GuardVerdict, SandboxRequest};
use crate::sandbox::{Sandbox, python};
use std::path::PathBuf;
use std::time::Duration;

const INSTALL: &str = include_str!("scripts/packages.py");
/// Most files and folders of an installation. Large packages have many.
const ENTRIES: u64 = 200_000;

/// Packages to install.
#[derive(Clone, Debug)]
pub struct PackagesCall {
    /// Folder that contains `requirements.txt` and the folder `wheels`.
    pub given: PathBuf,
    /// Empty folder. Afterwards its subfolder `site` contains the packages.
    pub into: PathBuf,
    /// URL of an index. If set, pip may use the network.
    pub index: Option<String>,
    pub timeout: Duration,
    pub max_mb: u64,
}

impl Sandbox {
    /// Installs the packages. Returns true if pip succeeded, and pip's output.
    pub async fn packages(
        &self,
        call: &PackagesCall,
        listener: OutputListener<'_>,
    ) -> Result<(bool, String), SandboxError> {
        let backend = self.find_backend().await?;
        let program = self.interpreter()?;
        let mut readable = python::readable(&program, &self.0.settings, &self.0.scratch)?;
        readable.push(call.given.clone());
        let mut request = SandboxRequest {
            command: program.to_string_lossy().into_owned(),
            args: ["-I", "-B", "-X", "utf8", "-c", INSTALL].map(String::from).to_vec(),
            files: Some(call.into.clone()),
            readable,
            network: call.index.is_some(),
            ..self.new_request(&backend, Some(call.timeout))
        };
        request.args.push(call.given.to_string_lossy().into_owned());
        request.args.push(call.index.clone().unwrap_or_default());
        request.bounds.scratch_mb = call.max_mb;
        request.bounds.entries = ENTRIES;
        request.bounds.cpu_s = request.bounds.cpu_s.max(call.timeout.as_secs());
        let output = self.run(&request, &[], listener).await?;
        let words = [output.stdout, output.stderr].concat();
        Ok((output.verdict == GuardVerdict::Ended(0), String::from_utf8_lossy(&words).into_owned()))
    }

    /// Returns the version of the Python that runs code, as it reports itself. Packages fit one version only.
    pub async fn python_version(&self) -> Result<String, SandboxError> {
        let code = "import sys\nresult = f'{sys.implementation.cache_tag} {sys.version} {sys.platform}'";
        let outputs = vec![String::from("version")];
        let call = PythonCall { code: code.to_owned(), outputs, ..PythonCall::default() };
        let found = self.python(call).await?;
        Ok(found.vars.get("version").and_then(|value| value.as_str()).unwrap_or_default().to_owned())
    }
}
