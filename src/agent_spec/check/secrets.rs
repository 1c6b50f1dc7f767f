//! Checks that secret inputs are not used where they could be read, and stay secret in called agents.

use crate::agent_spec::check::variable_types;
use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::types::graph::{Binding, CONTEXT};
use crate::agent_spec::types::spec::AgentSpec;
use crate::agent_spec::{secret_inputs, template};

pub fn check(spec: &AgentSpec, found: &mut Vec<SpecFault>) {
    for (index, input) in spec.inputs.iter().enumerate().filter(|(_, input)| input.secret) {
        if !variable_types::fits("string", variable_types::type_of_variable(input)) {
            let fault =
                SpecFault::new(format!("inputs[{index}].type"), "is a secret, which is always a text");
            found.push(fault.hint("write string"));
        }
    }
    for (index, output) in spec.outputs.iter().enumerate() {
        if spec.browser.is_none() && secret_inputs::declared_secrets(spec).any(|name| name == output.name) {
            let message = format!("\"{}\" is a secret input, and nothing secret leaves a run", output.name);
            found.push(SpecFault::new(format!("outputs[{index}].name"), message));
        }
    }
    if let Some(llm) = &spec.llm {
        let hint = "take it out; code, commands and fields of pages can be given secrets";
        check_text(spec, "llm.prompt", &llm.prompt, "no secret goes to a model", hint, found);
        if let Some(system) = &llm.system {
            check_text(spec, "llm.system", system, "no secret goes to a model", hint, found);
        }
    }
    for (index, arg) in spec.shell.iter().flat_map(|shell| &shell.args).enumerate() {
        let why = "every program of the machine can read the arguments of another";
        let hint = "let the command read it from the JSON on its standard input";
        check_text(spec, &format!("shell.args[{index}]"), arg, why, hint, found);
    }
}

fn check_text(spec: &AgentSpec, path: &str, text: &str, why: &str, hint: &str, found: &mut Vec<SpecFault>) {
    let names = template::names(text);
    for name in secret_inputs::declared_secrets(spec).filter(|name| names.iter().any(|used| used == name)) {
        let mut fault = SpecFault::new(path, format!("asks for the secret \"{name}\", and {why}")).hint(hint);
        let line = text.lines().position(|line| line.contains(name)).unwrap_or_default();
        fault.within = u64::try_from(line + 1).ok();
        found.push(fault);
    }
}

/// Checks a binding of an agent's own input to an input of a called agent.
pub fn check_handed(
    path: &str,
    binding: &Binding,
    own: &AgentSpec,
    agent: &AgentSpec,
    found: &mut Vec<SpecFault>,
) {
    let (from, to) = (&binding.from_var, &binding.to_var);
    let Some(input) = own.inputs.iter().find(|input| input.name == *from) else { return };
    let taken = secret_inputs::declared_secrets(agent).any(|name| name == to);
    if binding.from_agent_item_id != CONTEXT || input.secret == taken {
        return;
    }
    let path = format!("{path}.from_var");
    if taken {
        let message = format!("hands \"{from}\" on to \"{to}\" of {}, which is a secret", agent.name);
        found.push(SpecFault::warning(path, message).hint(format!("write secret: true at the input {from}")));
    } else if agent.browser.is_none() {
        let message = format!(
            "hands the secret \"{from}\" on to \"{to}\" of {}, which is none and is given a mark in its place",
            agent.name
        );
        let hint = format!("write secret: true at the input {to} of {}", agent.name);
        found.push(SpecFault::warning(path, message).hint(hint));
    }
}
