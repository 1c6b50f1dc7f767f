//! Saves a run as an agent: builds a script from it, and writes that to the library.

use crate::agent_spec::agent_lookup;
use crate::agent_spec::check;
use crate::agent_spec::files::library::Library;
use crate::agent_spec::files::library::error::LibraryError;
use crate::agent_spec::files::version::{ExpectedState, LostComments, Version};
use crate::agent_spec::types::spec::AgentSpec;
use crate::http::guard::Guard;
use crate::http::json_object::JsonObject;
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::run_bodies;
use crate::http::service::{Service, run_blocking};
use crate::ids::RunId;
use crate::programs::conversation::Conversation;
use crate::programs::conversation::ending::title::cut_at_word;
use crate::programs::conversation::ending::trace_story;
use crate::protocol::{Locale, Status};
use crate::script::author;
use crate::script::author::identifiers;
use crate::script::author::recorded_run::{AgentDraft, AgentNames, RecordedRun};
use crate::store::rows::RunRow;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;

/// Maximum length of the message from which a title is made, in characters.
const MAX_MESSAGE: usize = 80;

/// The agent that a run can be saved as, or was saved as.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
struct AgentOffer {
    name: String,
    /// True if an agent of that name exists.
    exists: bool,
    /// Path of the file, once it has been saved.
    #[schema(required)]
    path: Option<String>,
    /// The whole file as JSON, and in `yaml` as text.
    spec: Value,
    yaml: String,
    /// Steps of a script that a model carried out differently: `{step, was, now}`.
    mended: Vec<Value>,
    /// Actions that are not in the script: `{action_id, action, why}`, where `why` is failed, waits, scrolls, finds,
    /// points, again, back, elsewhere, asked or ended.
    left_out: Vec<Value>,
}

#[derive(Deserialize, ToSchema)]
pub struct SaveAsAgentRequest {
    /// a-z, 0-9 and _, starting with a letter.
    name: String,
    title_ua: Option<String>,
    title_en: Option<String>,
    /// Replace an existing agent of this name; its earlier versions are kept.
    #[serde(default)]
    overwrite: bool,
    /// Remove comments of the existing file that cannot be kept.
    #[serde(default)]
    drop_comments: bool,
    /// Default values by the names of inputs, instead of the values that the run used; null: the input has no
    /// default and is required.
    #[serde(default)]
    #[schema(value_type = Object)]
    defaults: BTreeMap<String, Value>,
}

/// Result of the check whether a run can be saved as an agent.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
struct Savable {
    savable: bool,
    /// Error that saving would return: busy, nothing_to_save.
    #[schema(required)]
    code: Option<String>,
    #[schema(required)]
    detail: Option<String>,
}

/// Check whether a run can be saved as an agent now. The checks are those of saving, but a refusal is no
/// error.
#[utoipa::path(get, path = "/api/runs/{id}/agent/check", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = Savable),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
))]
pub async fn check_offer(
    service: web::Data<Service>,
    guard: web::Data<Guard>,
    id: web::Path<String>,
) -> HttpResult {
    let refused = match load_finished_run(&service, &guard, id.into_inner()).await {
        Ok((row, agent, story)) => draft_agent(&story, &agent, &AgentNames::default(), &row).err(),
        Err(problem) => Some(problem),
    };
    match refused {
        Some(problem) if problem.status == StatusCode::NOT_FOUND || problem.status.is_server_error() => {
            Err(problem)
        }
        Some(problem) => Ok(HttpResponse::Ok().json(json!({
            "savable": false, "code": problem.code, "detail": problem.detail,
        }))),
        None => Ok(HttpResponse::Ok().json(json!({"savable": true, "code": null, "detail": null}))),
    }
}

/// Get the agent that a finished browsing run can be saved as.
#[utoipa::path(get, path = "/api/runs/{id}/agent", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = AgentOffer),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
    (status = 409, description = "It has not ended.", body = run_bodies::Fault),
    (status = 422, description = "It did nothing on any page.", body = run_bodies::Fault),
))]
pub async fn offer(
    service: web::Data<Service>,
    guard: web::Data<Guard>,
    id: web::Path<String>,
) -> HttpResult {
    let (row, agent, story) = load_finished_run(&service, &guard, id.into_inner()).await?;
    let mut called = with_title(AgentNames::default(), &agent, &row, &story);
    let (library, own) = (Arc::clone(&service.library), agent.name.clone());
    let title = called.title_ua.clone().or_else(|| called.title_en.clone());
    let suggestion = run_blocking(move || {
        let name = suggest_name(&library, own, title.as_deref());
        let exists = library.get(&name).is_some();
        (name, exists)
    });
    let (name, exists) = suggestion.await?;
    called.name = name;
    let draft = draft_agent(&story, &agent, &called, &row)?;
    let text = spec_text(&draft.spec)?;
    Ok(HttpResponse::Ok().json(offer_body(&draft, &text, exists, None)))
}

/// Save a finished browsing run as an agent that repeats its actions.
#[utoipa::path(post, path = "/api/runs/{id}/agent", tag = "runs", params(("id" = String, Path)), request_body = SaveAsAgentRequest, responses(
    (status = 201, description = "It has been saved.", body = AgentOffer),
    (status = 200, description = "It has replaced the existing one.", body = AgentOffer),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
    (status = 409, description = "The name is taken, comments would be lost (`lines` says which), or the run has not ended.", body = run_bodies::Fault),
    (status = 422, description = "The name is not valid, there is nothing to save, or `defaults` names no input.", body = run_bodies::Fault),
    (status = 507, description = "The file cannot be written.", body = run_bodies::Fault),
))]
pub async fn save(
    service: web::Data<Service>,
    guard: web::Data<Guard>,
    id: web::Path<String>,
    body: web::Json<JsonObject<SaveAsAgentRequest>>,
) -> HttpResult {
    let SaveAsAgentRequest { name, title_ua, title_en, overwrite, drop_comments, defaults } =
        body.into_inner().0;
    if !agent_lookup::is_agent_name(&name) {
        return Err(LibraryError::Name(name).into());
    }
    let (row, agent, story) = load_finished_run(&service, &guard, id.into_inner()).await?;
    let non_blank = |title: Option<String>| title.filter(|title| !title.trim().is_empty());
    let called =
        AgentNames { name: name.clone(), title_ua: non_blank(title_ua), title_en: non_blank(title_en) };
    let called = with_title(called, &agent, &row, &story);
    let mut draft = draft_agent(&story, &agent, &called, &row)?;
    set_defaults(&mut draft.spec, defaults)?;
    // If the file is this agent's own, its comments and format are kept; the file of another agent is
    // replaced as a whole.
    let own = !lacks_script(&agent) && agent.name == name;
    let comments = own.then_some(if drop_comments { LostComments::Drop } else { LostComments::Keep });
    let (library, spec) = (Arc::clone(&service.library), draft.spec.clone());
    let saved = run_blocking(move || {
        let there = library.read_text(&name).is_some();
        write(&library, &name, &spec, comments, overwrite).map(|saved| (there, saved, library.file(&name)))
    });
    let (there, saved, path) = saved.await??;
    let status = if there { StatusCode::OK } else { StatusCode::CREATED };
    let path = Some(path.display().to_string());
    Ok(HttpResponse::build(status).json(offer_body(&draft, &saved.text, true, path)))
}

/// Writes the spec over the existing file and its comments, or as a new file.
fn write(
    library: &Library,
    name: &str,
    spec: &AgentSpec,
    comments: Option<LostComments>,
    overwrite: bool,
) -> Result<Version, Problem> {
    let expected = if overwrite { ExpectedState::Anything } else { ExpectedState::Nothing };
    let saved = match comments {
        Some(comments) => library.save_over(name, spec, comments, expected),
        None => library.save(name, &spec_text(spec)?, expected),
    };
    saved.map_err(|fault| match fault {
        LibraryError::Changed { name, .. } if !overwrite => {
            let detail =
                format!("there is an agent {name} already; choose another name, or send `overwrite`: true");
            Problem::conflict("agent_exists", detail)
        }
        fault => fault.into(),
    })
}

/// Returns a finished conversation, with its agent and its actions. Fails if the run has not ended or is no
/// conversation.
async fn load_finished_run(
    service: &Service,
    guard: &Guard,
    id: String,
) -> Result<(RunRow, Arc<AgentSpec>, RecordedRun), Problem> {
    let row = service.run(&RunId::from(id)).await?;
    if !Status::from_word(&row.status).is_some_and(Status::is_outcome) {
        let detail = format!("the run is {}; save it when it has ended", row.status);
        return Err(Problem::conflict("busy", detail));
    }
    if row.program != Conversation::NAME {
        return Err(nothing_to_save_problem(&row));
    }
    let (library, name, version) = (Arc::clone(&service.library), row.agent.clone(), row.version.clone());
    let agent = run_blocking(move || library.version_or_current(&name, version.as_deref())).await?;
    let agent = agent.ok_or_else(|| {
        let detail = format!("the agent {} that the run was of is gone", row.agent);
        Problem::invalid("nothing_to_save", detail)
    })?;
    let story = RecordedRun { own_origin: guard.own_origin(), ..story(service, &row).await? };
    Ok((row, agent, story))
}

async fn story(service: &Service, row: &RunRow) -> Result<RecordedRun, Problem> {
    let stored =
        service.store().restore(row.id.clone()).await?.ok_or_else(|| nothing_to_save_problem(row))?;
    let steps = service.store().steps(row.id.clone()).await?.into_iter().map(|step| step.changes);
    trace_story::story_of_run(stored.state, steps).map_err(|fault| Problem::internal(&fault))
}

fn draft_agent(
    story: &RecordedRun,
    agent: &AgentSpec,
    called: &AgentNames,
    row: &RunRow,
) -> Result<AgentDraft, Problem> {
    author::draft_agent(story, agent, called).ok_or_else(|| nothing_to_save_problem(row))
}

/// Sets default values instead of the values that the run used.
fn set_defaults(spec: &mut AgentSpec, defaults: BTreeMap<String, Value>) -> Result<(), Problem> {
    for (name, value) in defaults {
        let refused = |words: String| Err(Problem::invalid("bad_input", words));
        let Some(input) = spec.inputs.iter_mut().find(|input| input.name == name) else {
            return refused(format!("the agent has no input `{name}`; leave it out of `defaults`"));
        };
        if input.secret {
            return refused(format!(
                "`{name}` is a secret, of which nothing is kept; leave it out of `defaults`"
            ));
        }
        input.default = Some(value).filter(|value| !value.is_null());
    }
    Ok(())
}

fn nothing_to_save_problem(row: &RunRow) -> Problem {
    let detail = format!("the run of {} did nothing on any page that could be played again", row.agent);
    Problem::invalid("nothing_to_save", detail)
}

/// Suggests a name: the agent's own if it plays a script, else one made from the title.
fn suggest_name(library: &Library, own: String, title: Option<&str>) -> String {
    let Some(title) = title else { return own };
    let made = identifiers::identifier(title).unwrap_or_else(|| String::from("recorded"));
    identifiers::first_free_name(&made, |name| library.read_text(name).is_some())
}

/// Adds a title in the language of the run, made from the person's message, unless the agent has one.
fn with_title(called: AgentNames, agent: &AgentSpec, row: &RunRow, story: &RecordedRun) -> AgentNames {
    if !lacks_script(agent) || called.title_ua.is_some() || called.title_en.is_some() {
        return called;
    }
    let last = story.actions.iter().rev().find_map(|deed| deed.after.as_ref());
    // A title given by the person is best, else the message, because that is what the agent will do.
    let message = row.input.get("text").and_then(Value::as_str).and_then(|text| text.lines().next());
    let message =
        message.filter(|line| !row.list_settings.own_title && !line.trim().is_empty()).unwrap_or(&row.title);
    let made = Some(identifiers::title(
        &cut_at_word(message, MAX_MESSAGE),
        last.map(|seen| seen.title.as_str()).unwrap_or_default(),
    ));
    match story.locale {
        Locale::Uk => AgentNames { title_ua: made, ..called },
        Locale::En => AgentNames { title_en: made, ..called },
    }
}

/// True if the agent plays no script, so that its title does not describe the actions.
fn lacks_script(agent: &AgentSpec) -> bool {
    agent.browser.as_ref().is_none_or(|browser| browser.script.is_none())
}

fn spec_text(spec: &AgentSpec) -> Result<String, Problem> {
    check::write(spec).map_err(|fault| Problem::internal(&fault))
}

fn offer_body(draft: &AgentDraft, text: &str, exists: bool, path: Option<String>) -> Value {
    let AgentDraft { spec, repaired_steps, left_out } = draft;
    json!({
        "name": spec.name, "exists": exists, "path": path, "spec": spec, "yaml": text,
        "mended": repaired_steps, "left_out": left_out,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // Comments and files are lost only if the request says so, as when saving by name.
    #[test]
    fn saving_over_a_file_loses_no_comment_silently() {
        let folder = tempfile::tempdir().unwrap();
        let library = Library::open(folder.path()).unwrap();
        let mine = "# mine\nname: one\nkind: atomic\noutputs: [{name: x}]\npython:\n  # how\n  code: x = 1\n";
        let first = library.save("one", mine, ExpectedState::Nothing).unwrap();
        let mut spec = (*first.spec).clone();
        spec.python = None;
        spec.shell = Some(serde_json::from_value(json!({"command": "ls"})).unwrap());
        let code = |comments, overwrite| {
            let saved = write(&library, "one", &spec, comments, overwrite);
            saved.map(|saved| saved.text.contains("# mine")).map_err(|problem| problem.code.into_owned())
        };
        let refused = |word: &str| Err(word.to_owned());
        assert_eq!(code(Some(LostComments::Keep), false), refused("agent_exists"));
        assert_eq!(code(None, false), refused("agent_exists"));
        assert_eq!(code(Some(LostComments::Keep), true), refused("has_comments"));
        assert_eq!(code(Some(LostComments::Drop), true), Ok(true));
        assert_eq!(code(None, true), Ok(false), "another agent takes nothing of the old one");
        let full: Problem = LibraryError::Disk {
            path: folder.path().to_owned(),
            source: std::io::Error::from(std::io::ErrorKind::StorageFull),
        }
        .into();
        assert_eq!((full.status.as_u16(), &*full.code), (507, "not_written"));
    }
}
