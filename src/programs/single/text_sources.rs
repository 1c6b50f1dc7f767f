//! Sources of the texts that a single call sends and gives back (the flow layer of the gate). A tool of a server gets
//! them asked about; code and models pass them on, files keep them.

use crate::gate::flow::crossing::{Flow, FoundFlow};
use crate::gate::flow::explain::find_foreign_text;
use crate::gate::flow::read_texts::TextSource;
use crate::gate::flow::sent_pieces::{PiecePlace, SentPiece};
use crate::gate::flow::tree_texts::list_texts;
use crate::programs::single::action_description::{Executable, tool_arguments};
use crate::programs::single::visit_context::SingleVisit;
use crate::record;

/// Returns the text that a tool's arguments would take to its server, unless the person has consented.
pub fn find_flow(cx: &SingleVisit, code: Executable<'_>) -> Option<Flow> {
    let Executable::Tool(tool) = code else { return None };
    record::record_value("flow", || {
        let to = TextSource::Tool(tool.server.clone());
        let texts = argument_texts(cx);
        let values: Vec<&str> = texts.iter().map(String::as_str).collect();
        let foreign = cx.deps.texts.explain(|sources, sent| {
            let pieces = pieces(&texts);
            find_foreign_text(&values, &to, sources)
                .or_else(|| pieces.iter().find_map(|piece| sent.find_foreign(&to, piece, sources)))
        })?;
        cx.deps.texts.unless_consented(FoundFlow { from: foreign.from, to, text: foreign.text })
    })
}

/// Records what a tool's server gets: later calls may send other pieces of the same text.
pub fn record_sent(cx: &SingleVisit, server: &str) {
    let to = TextSource::Tool(server.to_owned());
    let texts = argument_texts(cx);
    let values: Vec<&str> = texts.iter().map(String::as_str).collect();
    if cx.deps.texts.explain(|sources, _| find_foreign_text(&values, &to, sources)).is_none() {
        cx.deps.texts.add_sent(&to, &pieces(&texts));
    }
}

/// Records a text that a tool's server gave.
pub fn add_tool_text(cx: &SingleVisit, server: &str, text: &str) {
    cx.deps.texts.add_text(&cx.input.run, TextSource::Tool(server.to_owned()), text);
}

/// Records that code may read files of the run.
pub fn add_files_read(cx: &SingleVisit) {
    cx.deps.texts.add_files_read(&cx.input.run, &cx.state.context, &list_files(cx));
}

/// Records the files that code has written. `before` are those that there were.
pub fn add_files_written(cx: &SingleVisit, before: &[String]) {
    cx.deps.texts.add_files_written(&cx.input.run, &cx.state.context, (before, &list_files(cx)));
}

/// Returns the names of the files of the run tree.
pub fn list_files(cx: &SingleVisit) -> Vec<String> {
    cx.deps.files.run_files(cx.root()).list().into_iter().map(|file| file.name).collect()
}

fn argument_texts(cx: &SingleVisit) -> Vec<String> {
    tool_arguments(&cx.deps.spec, &cx.state.context).values().flat_map(list_texts).collect()
}

fn pieces(texts: &[String]) -> Vec<SentPiece> {
    texts.iter().map(|text| (PiecePlace::Argument, text.clone())).collect()
}
