//! Executes `llm` agents. The prompt is a template over the context (S0.27). The answer is a text, or values
//! named by the outputs (S0.28).

use crate::agent_spec::template;
use crate::agent_spec::template::error::TemplateError;
use crate::agent_spec::types::executor::Llm;
use crate::agent_spec::types::spec::{AgentSpec, Variable};
use crate::engine::program::ProgramError;
use crate::engine::program::model_usage::find_used_up_limit;
use crate::model::writer::{RequestedValue, TextReply, TextRequest, WriteError, Writer};
use crate::planning::ModelUsage;
use crate::programs::single::graph::execute::Outcome;
use crate::programs::single::visit_context::SingleVisit;
use crate::texts;
use serde_json::{Map, Value, json};

/// Names of the outputs for the whole text, and for the JSON in it.
const TEXT_OUTPUT: &str = "output_text";
const JSON_OUTPUT: &str = "output_json";

pub async fn execute(cx: &mut SingleVisit) -> Result<Outcome, ProgramError> {
    if let Some(used_up) = find_used_up_limit(&cx.deps.store, &cx.input.run).await? {
        return Ok(cx.refuse_over_budget(used_up));
    }
    let spec = std::sync::Arc::clone(&cx.deps.spec);
    let Some(llm) = &spec.llm else { return Ok(cx.fail(String::new())) };
    let Some(writer) = cx.deps.writer.clone() else {
        let text = texts::model::agent_needs_model(cx.state.locale).to_owned();
        return Ok(cx.fail(text));
    };
    let prompt = match Prompt::render(llm, &cx.state.context).await {
        Ok(prompt) => prompt,
        Err(fault) => return Ok(cx.fail(fault.to_string())),
    };
    // Usage is recorded as each answer arrives, so that a run stopped during a second request still pays for
    // the first.
    let mut usage_writes = Vec::new();
    let written = write_text(cx, &writer, llm, &prompt, &mut |usage| {
        usage_writes.push(cx.input.journal.store_usage(&usage))
    })
    .await;
    for write in usage_writes {
        write.await?;
    }
    Ok(match written {
        Ok(written) => cx.succeed(collect_outputs(&spec, llm, written)),
        Err(WriteError { message }) => cx.fail(message),
    })
}

/// The templates of an agent, filled in.
struct Prompt {
    system: Option<String>,
    prompt: String,
}

impl Prompt {
    async fn render(llm: &Llm, context: &Map<String, Value>) -> Result<Self, TemplateError> {
        let templates = [Some(&llm.prompt), llm.system.as_ref()].into_iter().flatten().cloned().collect();
        let mut texts =
            template::render_texts(templates, context.clone()).await.map_err(|(_, fault)| fault)?.into_iter();
        Ok(Self { prompt: texts.next().unwrap_or_default(), system: texts.next() })
    }
}

async fn write_text(
    cx: &SingleVisit,
    writer: &Writer,
    llm: &Llm,
    prompt: &Prompt,
    on_usage: &mut (dyn FnMut(ModelUsage) + Send),
) -> Result<TextReply, WriteError> {
    let wanted: Vec<RequestedValue> = cx.deps.spec.outputs.iter().filter_map(requested_output).collect();
    let request = TextRequest {
        locale: cx.state.locale,
        system: prompt.system.as_deref(),
        prompt: &prompt.prompt,
        model: cx.deps.model.as_deref(),
        temperature: llm.temperature,
        wanted: llm.parse_json.then_some(&wanted),
    };
    writer.write(&request, on_usage).await
}

/// Returns the output that the model is asked for, unless it is one of the two general ones.
fn requested_output(output: &Variable) -> Option<RequestedValue> {
    (output.name != TEXT_OUTPUT && output.name != JSON_OUTPUT).then(|| RequestedValue {
        name: output.name.clone(),
        type_name: output.of.clone().unwrap_or_else(|| String::from("any")),
        description: output.description.clone(),
        optional: output.required == Some(false),
    })
}

/// Collects the outputs: the whole answer under the two general names (S0.28), and values under their own. If
/// no JSON is requested and there is exactly one other output, it gets the text.
fn collect_outputs(spec: &AgentSpec, llm: &Llm, written: TextReply) -> Map<String, Value> {
    let TextReply { text, values, json } = written;
    let mut found = values;
    found.insert(TEXT_OUTPUT.to_owned(), json!(text));
    if let Some(json) = json {
        found.insert(JSON_OUTPUT.to_owned(), json);
    }
    let mut others =
        spec.outputs.iter().filter(|output| output.name != TEXT_OUTPUT && output.name != JSON_OUTPUT);
    if let (false, Some(only), None) = (llm.parse_json, others.next(), others.next()) {
        found.insert(only.name.clone(), json!(text));
    }
    found
}
