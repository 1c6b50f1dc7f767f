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
use crate::programs::single::visit_context::Cx;
use crate::texts;
use serde_json::{Map, Value, json};

/// Names of the outputs for the whole text, and for the JSON in it.
const TEXT: &str = "output_text";
const JSON: &str = "output_json";

pub async fn execute(cx: &mut Cx) -> Result<Outcome, ProgramError> {
    if let Some(spent) = find_used_up_limit(&cx.deps.store, &cx.given.run).await? {
        return Ok(cx.may_spend_no_more(spent));
    }
    let spec = std::sync::Arc::clone(&cx.deps.spec);
    let Some(llm) = &spec.llm else { return Ok(cx.failed(String::new())) };
    let Some(writer) = cx.deps.writer.clone() else {
        let text = texts::model::agent_needs_model(cx.state.locale).to_owned();
        return Ok(cx.failed(text));
    };
    let prompt = match Prompt::render(llm, &cx.state.context).await {
        Ok(prompt) => prompt,
        Err(fault) => return Ok(cx.failed(fault.to_string())),
    };
    // Usage is recorded as each answer arrives, so that a run stopped during a second request still pays for
    // the first.
    let mut told = Vec::new();
    let written =
        ask(cx, &writer, llm, &prompt, &mut |usage| told.push(cx.given.journal.store_usage(&usage))).await;
    for told in told {
        told.await?;
    }
    Ok(match written {
        Ok(written) => cx.succeed(outputs(&spec, llm, written)),
        Err(WriteError { message }) => cx.failed(message),
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

async fn ask(
    cx: &Cx,
    writer: &Writer,
    llm: &Llm,
    prompt: &Prompt,
    spent: &mut (dyn FnMut(ModelUsage) + Send),
) -> Result<TextReply, WriteError> {
    let wanted: Vec<RequestedValue> = cx.deps.spec.outputs.iter().filter_map(requested_output).collect();
    let order = TextRequest {
        locale: cx.state.locale,
        system: prompt.system.as_deref(),
        prompt: &prompt.prompt,
        model: cx.deps.model.as_deref(),
        temperature: llm.temperature,
        wanted: llm.parse_json.then_some(&wanted),
    };
    writer.write(&order, spent).await
}

/// Returns the output that the model is asked for, unless it is one of the two general ones.
fn requested_output(output: &Variable) -> Option<RequestedValue> {
    (output.name != TEXT && output.name != JSON).then(|| RequestedValue {
        name: output.name.clone(),
        type_name: output.of.clone().unwrap_or_else(|| String::from("any")),
        description: output.description.clone(),
        optional: output.required == Some(false),
    })
}

/// Collects the outputs: the whole answer under the two general names (S0.28), and values under their own. If
/// no JSON is requested and there is exactly one other output, it gets the text.
fn outputs(spec: &AgentSpec, llm: &Llm, written: TextReply) -> Map<String, Value> {
    let TextReply { text, values, json } = written;
    let mut found = values;
    found.insert(TEXT.to_owned(), json!(text));
    if let Some(json) = json {
        found.insert(JSON.to_owned(), json);
    }
    let mut others = spec.outputs.iter().filter(|output| output.name != TEXT && output.name != JSON);
    if let (false, Some(only), None) = (llm.parse_json, others.next(), others.next()) {
        found.insert(only.name.clone(), json!(text));
    }
    found
}
