//! The code of a Python agent from start to end, compared with a plain interpreter that runs the same code.
//! The difference is the cost of the sandbox: the guard, the isolation, and the harness for inputs and
//! outputs.

use crate::table::{Goal, Row, Sample};
use askfirst::clock::Stopwatch;
use askfirst::config::layers::Flags;
use askfirst::config::{SandboxMeans, Settings};
use askfirst::sandbox::Sandbox;
use askfirst::sandbox::calls::PythonCall;
use serde_json::json;
use std::process::{Command, Stdio};

const ROUNDS: usize = 40;
const CODE: &str = "total = sum(n * n for n in range(count))";
const PLAIN: &str = "import json; count = 100; print(json.dumps(sum(n * n for n in range(count))))";

pub async fn measure() -> Vec<Row> {
    let home = [(String::from("HOME"), String::from("/nowhere"))];
    let settings = Settings::load(&Flags::default(), home).unwrap().sandbox;
    let folder = tempfile::tempdir().unwrap();
    let mut rows = Vec::new();
    for (means, what) in [
        (SandboxMeans::Bubblewrap, "code of an agent, held by bubblewrap"),
        (SandboxMeans::Landlock, "code of an agent, held by Landlock"),
    ] {
        let settings = askfirst::config::Sandbox { means, ..settings.clone() };
        let sandbox = Sandbox::open(&settings, folder.path().join("scratch"));
        if let Some(why) = sandbox.refusal() {
            eprintln!("not measured: {why}");
            continue;
        }
        let (mut floor, mut ours) = (Sample::default(), Sample::default());
        for _ in 0..ROUNDS {
            floor.add(measure_plain(&sandbox));
            ours.add(measure_sandboxed(&sandbox).await);
        }
        rows.push(Row::new(what, "ms", ours, Goal::Ratio(4.0)).with_floor(floor));
    }
    rows
}

fn measure_plain(sandbox: &Sandbox) -> f64 {
    let watch = Stopwatch::start();
    let python = sandbox.interpreter().unwrap();
    let ended = Command::new(python).args(["-c", PLAIN]).stdout(Stdio::piped()).output().unwrap();
    assert_eq!(ended.stdout, b"328350\n");
    watch.seconds() * 1000.0
}

async fn measure_sandboxed(sandbox: &Sandbox) -> f64 {
    let inputs = json!({"count": 100}).as_object().unwrap().clone();
    let call = PythonCall {
        code: CODE.to_owned(),
        inputs,
        outputs: vec![String::from("total")],
        ..PythonCall::default()
    };
    let watch = Stopwatch::start();
    assert_eq!(sandbox.python(call).await.unwrap().vars["total"], 328_350);
    watch.seconds() * 1000.0
}
