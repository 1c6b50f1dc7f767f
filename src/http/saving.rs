//! From a run to an agent: what a script of it would be, and saving that as a file of the library.

use super::guard::Guard;
use super::problem::Problem;
use super::runs::Answer;
use super::service::Service;
use super::shapes;
use crate::conversation::Conversation;
use crate::conversation::change::Changes;
use crate::conversation::retold;
use crate::conversation::state::State;
use crate::ids::RunId;
use crate::protocol::{Locale, Status};
use crate::script::author::{self, Called, Draft, Story, names};
use crate::spec::AgentSpec;
use crate::spec::library::LibraryError;
use crate::spec::version::Expected;
use crate::spec::{check, comments};
use crate::store::rows::RunRow;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use utoipa::ToSchema;

/// The agent that a run could be saved as, or was.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
struct AgentOffer {
    name: String,
    /// Whether there is an agent of that name already.
    exists: bool,
    /// The file, once it has been saved.
    #[schema(required)]
    path: Option<String>,
    /// The whole file as JSON, and as its text.
    spec: Value,
    yaml: String,
    /// Steps that a model did in its own way: `{step, was, now}`.
    mended: Vec<Value>,
    /// What was done and is not in the script: `{action_id, action, why}`, where `why` is failed, waits, scrolls,
    /// again, back, elsewhere, asked or ended.
    left_out: Vec<Value>,
}

#[derive(Deserialize, ToSchema)]
pub struct Wanted {
    /// a-z, 0-9 and _, beginning with a letter.
    name: String,
    title_ua: Option<String>,
    title_en: Option<String>,
    /// Whether an agent that has this name already is replaced; its old versions are kept.
    #[serde(default)]
    overwrite: bool,
}

/// The agent that a finished browsing run could be saved as.
#[utoipa::path(get, path = "/api/runs/{id}/agent", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = AgentOffer),
    (status = 404, description = "There is no such run.", body = shapes::Fault),
    (status = 409, description = "It has not ended.", body = shapes::Fault),
    (status = 422, description = "It did nothing on any page.", body = shapes::Fault),
))]
pub async fn offer(service: web::Data<Service>, guard: web::Data<Guard>, id: web::Path<String>) -> Answer {
    let (row, agent, story) = told(&service, &guard, id.into_inner()).await?;
    let mut called = titled(Called::default(), &agent, &row, &story);
    called.name = suggested(&service, &agent, called.title_ua.as_deref().or(called.title_en.as_deref()));
    let draft = drafted(&story, &agent, &called, &row)?;
    let exists = service.catalogue.get(&called.name).is_some();
    let text = written(&draft.spec)?;
    Ok(HttpResponse::Ok().json(shown(&draft, &text, exists, None)))
}

/// Save a finished browsing run as an agent that plays what it did.
#[utoipa::path(post, path = "/api/runs/{id}/agent", tag = "runs", params(("id" = String, Path)), responses(
    (status = 201, description = "It has been saved.", body = AgentOffer),
    (status = 200, description = "It has been saved over the one that was there.", body = AgentOffer),
    (status = 404, description = "There is no such run.", body = shapes::Fault),
    (status = 409, description = "The name is taken, or the run has not ended.", body = shapes::Fault),
    (status = 422, description = "The name is none, or there is nothing to save.", body = shapes::Fault),
))]
pub async fn save(
    service: web::Data<Service>,
    guard: web::Data<Guard>,
    id: web::Path<String>,
    body: web::Json<Wanted>,
) -> Answer {
    let Wanted { name, title_ua, title_en, overwrite } = body.into_inner();
    if !check::is_agent_name(&name) {
        return Err(refused(LibraryError::Name(name)));
    }
    let (row, agent, story) = told(&service, &guard, id.into_inner()).await?;
    let said = |title: Option<String>| title.filter(|title| !title.trim().is_empty());
    let called = Called { name: name.clone(), title_ua: said(title_ua), title_en: said(title_en) };
    let called = titled(called, &agent, &row, &story);
    let draft = drafted(&story, &agent, &called, &row)?;
    let old = service.catalogue.version(&name);
    let there = old.is_some() || service.catalogue.broken(&name).is_some();
    let text = match old.as_ref().filter(|_| !untitled(&agent) && agent.name == name) {
        // What a person wrote of this agent stays as they wrote it, but for what has changed.
        Some(old) => comments::carry(&old.text, &draft.spec).map_err(|fault| Problem::internal(&fault))?.text,
        None => written(&draft.spec)?,
    };
    let (library, saved_text) = (Arc::clone(&service.catalogue), text.clone());
    let saved = web::block(move || {
        let expected = if overwrite { Expected::Anything } else { Expected::Nothing };
        library.save(&name, &saved_text, expected).map(|_| library.file(&name))
    });
    let path = saved.await.map_err(|fault| Problem::internal(&fault))?.map_err(refused)?;
    let status = if there { StatusCode::OK } else { StatusCode::CREATED };
    Ok(HttpResponse::build(status).json(shown(&draft, &text, true, Some(path.display().to_string()))))
}

/// A finished run of a conversation, with its agent and what it did.
async fn told(
    service: &Service,
    guard: &Guard,
    id: String,
) -> Result<(RunRow, Arc<AgentSpec>, Story), Problem> {
    let row = service.run(&RunId::from(id)).await?;
    if !Status::from_word(&row.status).is_some_and(Status::is_outcome) {
        let detail = format!("the run is {}; save it when it has ended", row.status);
        return Err(Problem::conflict("busy", detail));
    }
    if row.program != Conversation::NAME {
        return Err(nothing(&row));
    }
    let pinned = row.version.as_deref().and_then(|version| service.catalogue.at(&row.agent, version));
    let agent = pinned.or_else(|| service.catalogue.get(&row.agent));
    let agent = agent.ok_or_else(|| {
        let detail = format!("the agent {} that the run was of is gone", row.agent);
        Problem::invalid("nothing_to_save", detail)
    })?;
    let story = Story { own_origin: guard.base(), ..story(service, &row).await? };
    Ok((row, agent, story))
}

async fn story(service: &Service, row: &RunRow) -> Result<Story, Problem> {
    let stored = service.store().restore(row.id.clone()).await?;
    let state = stored.map(|stored| serde_json::from_value::<State>(stored.state)).transpose();
    let state = state.map_err(|fault| Problem::internal(&fault))?.ok_or_else(|| nothing(row))?;
    let beginning = State { inputs: state.inputs, ..State::begin(String::new(), state.locale) };
    let steps = service.store().steps(row.id.clone()).await?;
    let read = steps.into_iter().map(|step| serde_json::from_value::<Changes>(step.changes));
    let steps: Vec<Changes> = read.collect::<Result<_, _>>().map_err(|fault| Problem::internal(&fault))?;
    Ok(retold::story(beginning, &steps))
}

fn drafted(story: &Story, agent: &AgentSpec, called: &Called, row: &RunRow) -> Result<Draft, Problem> {
    author::draft(story, agent, called).ok_or_else(|| nothing(row))
}

fn nothing(row: &RunRow) -> Problem {
    let detail = format!("the run of {} did nothing on any page that could be played again", row.agent);
    Problem::invalid("nothing_to_save", detail)
}

/// Its own name for a script; for others one made of the title.
fn suggested(service: &Service, agent: &AgentSpec, title: Option<&str>) -> String {
    let Some(title) = title else { return agent.name.clone() };
    let made = names::identifier(title).unwrap_or_else(|| String::from("recorded"));
    let there =
        |name: &str| service.catalogue.version(name).is_some() || service.catalogue.broken(name).is_some();
    names::free(&made, there)
}

/// With a title made of what was asked, in the language of the run, where it has none.
fn titled(called: Called, agent: &AgentSpec, row: &RunRow, story: &Story) -> Called {
    if !untitled(agent) || called.title_ua.is_some() || called.title_en.is_some() {
        return called;
    }
    let last = story.deeds.iter().rev().find_map(|deed| deed.after.as_ref());
    let made = Some(names::title(&row.title, last.map(|seen| seen.title.as_str()).unwrap_or_default()));
    match story.locale {
        Locale::Uk => Called { title_ua: made, ..called },
        Locale::En => Called { title_en: made, ..called },
    }
}

/// One that plays no script has a title that says nothing of what was done.
fn untitled(agent: &AgentSpec) -> bool {
    agent.browser.as_ref().is_none_or(|browser| browser.script.is_none())
}

fn written(spec: &AgentSpec) -> Result<String, Problem> {
    check::write(spec).map_err(|fault| Problem::internal(&fault))
}

fn shown(draft: &Draft, text: &str, exists: bool, path: Option<String>) -> Value {
    let Draft { spec, mended, left_out } = draft;
    json!({
        "name": spec.name, "exists": exists, "path": path, "spec": spec, "yaml": text,
        "mended": mended, "left_out": left_out,
    })
}

fn refused(fault: LibraryError) -> Problem {
    let words = fault.to_string();
    match fault {
        LibraryError::Name(_) => Problem::invalid("bad_name", words),
        LibraryError::TooLarge { .. } => Problem::invalid("too_large", words),
        LibraryError::Faulty { faults, .. } => {
            Problem::invalid("bad_agent", words).with("faults", json!(faults))
        }
        LibraryError::Changed { name, .. } => {
            let detail =
                format!("there is an agent {name} already; choose another name, or send `overwrite`: true");
            Problem::conflict("agent_exists", detail)
        }
        LibraryError::Unknown(_) | LibraryError::Folder { .. } | LibraryError::Disk { .. } => {
            Problem::internal(&words)
        }
    }
}
