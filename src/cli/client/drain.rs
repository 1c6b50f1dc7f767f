//! `askfirst drain`: gives the runs of the service to the other nodes of its cluster.

use crate::cli::args::Drain;
use crate::cli::client::api::Api;
use crate::cli::client::error::{ClientError, Exit};
use crate::cli::client::follow::terminal_output::print;
use crate::cli::client::terminal_language::terminal;
use crate::texts::terminal::{drain_ended, drained};
use serde_json::json;

pub async fn carry_out(api: &Api, args: &Drain) -> Result<Exit, ClientError> {
    let report = api.post("/api/nodes/drain", &json!({"undo": args.undo})).await?;
    let text = match args.undo {
        true => drain_ended(terminal()).to_owned(),
        false => {
            let number = |name: &str| report[name].as_u64().unwrap_or(0);
            drained(number("trees"), number("takers"), terminal())
        }
    };
    print(&format!("{text}\n"));
    Ok(Exit::Succeeded)
}
