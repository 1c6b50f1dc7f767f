//! Python packages that a test creates, and agents that are built from them.

use super::app::{self, TestApp};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Creates a wheel. Arguments: folder, name, version, code.
const WHEEL: &str = r#"
import hashlib, sys, zipfile
folder, name, version, code = sys.argv[1:]
path, info = f"{folder}/{name}-{version}-py3-none-any.whl", f"{name}-{version}.dist-info"
files = {
    f"{name}/__init__.py": code,
    f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
    f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    f"{info}/entry_points.txt": f"[console_scripts]\n{name} = {name}:main\n",
}
with zipfile.ZipFile(path, "w") as packed:
    for file, text in files.items():
        packed.writestr(zipfile.ZipInfo(file), text)
    packed.writestr(zipfile.ZipInfo(f"{info}/RECORD"), "".join(f"{file},,\n" for file in [*files, f"{info}/RECORD"]))
print(hashlib.sha256(open(path, "rb").read()).hexdigest())
"#;

/// Creates a source package with its own build backend. Arguments: folder, name, code of the backend, which
/// assigns the code of the package to `code`.
const SOURCES: &str = r#"
import hashlib, io, sys, tarfile
folder, name, builder = sys.argv[1:]
builder += f'''
import zipfile
def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = "{name}-1.0.dist-info"
    files = {{
        "{name}/__init__.py": made(),
        info + "/METADATA": "Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n",
        info + "/WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    }}
    file = "{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel_directory + "/" + file, "w") as packed:
        for path, text in files.items():
            packed.writestr(path, text)
        packed.writestr(info + "/RECORD", "".join(path + ",,\\n" for path in [*files, info + "/RECORD"]))
    return file
'''
path = f"{folder}/{name}-1.0.tar.gz"
with tarfile.open(path, "w:gz") as packed:
    for file, text in {
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "builder"\nbackend-path = ["."]\n',
        "builder.py": builder,
        "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
    }.items():
        facts = tarfile.TarInfo(f"{name}-1.0/{file}")
        facts.size = len(text.encode())
        packed.addfile(facts, io.BytesIO(text.encode()))
print(hashlib.sha256(open(path, "rb").read()).hexdigest())
"#;

/// A folder of agents, each with its own subfolder.
pub struct Shop {
    pub folder: TempDir,
}

impl Default for Shop {
    fn default() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }
}

impl Shop {
    pub fn agents(&self) -> PathBuf {
        self.folder.path().join("agents")
    }

    pub fn agent(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.agents().join(name).join("wheels")).unwrap();
        std::fs::write(self.agents().join(format!("{name}.yaml")), format!("name: {name}\n{text}")).unwrap();
    }

    pub fn file(&self, agent: &str, name: &str, text: &str) {
        std::fs::write(self.agents().join(agent).join(name), text).unwrap();
    }

    /// Adds a wheel to the folder of an agent, and returns its hash.
    pub fn wheel(&self, agent: &str, name: &str, version: &str, code: &str) -> String {
        run_python(WHEEL, &self.agents().join(agent).join("wheels"), &[name, version, code])
    }

    /// Adds a source package to the folder of an agent, and returns its hash.
    pub fn sources(&self, agent: &str, name: &str, builder: &str) -> String {
        run_python(SOURCES, &self.agents().join(agent).join("wheels"), &[name, builder])
    }

    pub async fn serve(self, settings: &[(&str, &str)]) -> TestApp {
        app::spawn_in(self.folder, settings).await
    }
}

/// Formats a line of a lock file.
pub fn locked(name: &str, version: &str, hash: &str) -> String {
    format!("{name}=={version} --hash=sha256:{hash}\n")
}

fn run_python(script: &str, folder: &Path, args: &[&str]) -> String {
    let output =
        Command::new("/usr/bin/python3").args(["-c", script]).arg(folder).args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Returns the task events of a run, oldest first.
pub async fn tasks(app: &TestApp, run: &Value) -> Vec<Value> {
    tasks_at(&app.base, run["run_id"].as_str().unwrap()).await
}

pub async fn tasks_at(base: &str, run: &str) -> Vec<Value> {
    let list: Value =
        reqwest::get(format!("{base}/api/runs/{run}/events?limit=1000")).await.unwrap().json().await.unwrap();
    let events = list["items"].as_array().unwrap_or_else(|| panic!("{list}"));
    events.iter().filter(|event| event["event"] == "task").map(|event| event["data"].clone()).collect()
}

/// Returns the folders of finished and of unfinished builds.
pub fn builds(data: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let entries = std::fs::read_dir(data.join("builds")).into_iter().flatten().flatten();
    let hidden = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with('.');
    let (coming, done): (Vec<PathBuf>, Vec<PathBuf>) = entries.map(|entry| entry.path()).partition(hidden);
    (done, coming)
}
