//! `GET /api/runs/{id}/why`: collects the facts about a run; the module `why` draws the conclusion.

use crate::clock::Moment;
use crate::engine::registry::IsAtWork;
use crate::http::language::reader::ReaderLocale;
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::run_bodies;
use crate::http::service::{Service, run_blocking};
use crate::ids::RunId;
use crate::observability::why;
use crate::observability::why::reason::QueuePosition;
use crate::observability::why::situation::{LimitsUsed, Resolution, RunSituation};
use crate::protocol::server::{Fact, ResolvedBy};
use crate::protocol::{Locale, Status};
use crate::store::rows::{QuestionRow, RunRow, TaskRow};
use crate::store::tree_leases::TreeWorker;
use actix_web::{HttpResponse, web};
use serde::Deserialize;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Maximum number of runs below it that are read.
const MAX_BELOW: usize = 64;
/// Number of last events of the tree in which the end of a question is searched.
const LAST_EVENTS: u64 = 256;

#[derive(ToSchema)]
#[expect(dead_code, reason = "a shape for the API's description")]
pub struct Why {
    run_id: String,
    status: String,
    /// Language of the sentences, "uk" or "en".
    locale: String,
    /// Stable code for programs: asks_confirm, called_agents, model, out_of_money, …
    reason: String,
    /// A sentence for people.
    because: String,
    moves: Vec<Move>,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a shape for the API's description")]
pub struct Move {
    /// person, time, run, model, nobody
    who: String,
    how: String,
    /// Path within the UI.
    link: Option<String>,
}

#[derive(Deserialize, IntoParams)]
pub struct WhyQuery {
    /// "uk" or "en"; if absent, the run's own language, else that of `Accept-Language`.
    locale: Option<String>,
}

/// Explain the status of a run, and what would change it.
#[utoipa::path(get, path = "/api/runs/{id}/why", tag = "runs", params(("id" = String, Path), WhyQuery), responses(
    (status = 200, body = Why),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
))]
pub async fn get_explanation(
    service: web::Data<Service>,
    id: web::Path<String>,
    query: web::Query<WhyQuery>,
    reader: ReaderLocale,
) -> HttpResult {
    let run = service.run(&RunId::from(id.into_inner())).await?;
    let locale = query.into_inner().locale.filter(|tag| !tag.is_empty());
    let locale = locale.map_or_else(|| reader.choose_for_run(&run.input), |tag| Locale::from_tag(&tag));
    let situation = situation(&service, run).await?;
    Ok(HttpResponse::Ok().json(why::why(&situation, locale)))
}

async fn situation(service: &Service, run: RunRow) -> Result<RunSituation, Problem> {
    let store = service.store();
    let parent = match run.parent.clone() {
        Some(parent) => store.run(parent).await?,
        None => None,
    };
    let below = below(service, &run).await?;
    let questions = questions(service, &run, &below).await?;
    let alive = run.ended_at.is_none();
    let tasks = store.tasks(run.root.clone()).await?;
    let tasks = tasks.into_iter().filter(|task| task.run == run.id && goes_on(task)).collect();
    let worker = store.tree_worker(run.root.clone()).await?;
    let at_work = match worker {
        TreeWorker::ThisNode => {
            service.registry.send(IsAtWork { run: run.id.clone() }).await.unwrap_or(false)
        }
        TreeWorker::OtherNode | TreeWorker::NextTaker => true,
        TreeWorker::Nobody => false,
    };
    Ok(RunSituation {
        parent,
        below,
        questions,
        resolution: if alive { None } else { question_resolution(service, &run).await? },
        tasks,
        lease: store.lease(run.root.clone()).await?,
        queue_position: if at_work { queue_position(service, &run).await } else { None },
        asks_model: asks_model(service, &run).await?,
        accepts_messages: run.parent.is_none() && service.services.programs.accepts_messages(&run.program),
        at_work,
        is_abandoned: worker == TreeWorker::Nobody,
        limits: if alive { LimitsUsed::default() } else { limits_used(service, &run).await? },
        now: Moment::now(),
        run,
    })
}

/// Returns the runs below that have not ended, nearest first.
async fn below(service: &Service, run: &RunRow) -> Result<Vec<RunRow>, Problem> {
    let ids = service.store().living_descendants(run.id.clone()).await?;
    let mut rows = Vec::new();
    for id in ids.into_iter().take(MAX_BELOW) {
        rows.extend(service.store().run(id).await?);
    }
    rows.sort_by_key(|row| (row.depth, row.ordinal));
    Ok(rows)
}

async fn questions(service: &Service, run: &RunRow, below: &[RunRow]) -> Result<Vec<QuestionRow>, Problem> {
    let mut open = service.store().open_questions(Some(run.root.clone())).await?;
    open.retain(|question| question.run == run.id || below.iter().any(|row| row.id == question.run));
    open.sort_by_key(|question| question.run != run.id);
    Ok(open)
}

fn goes_on(task: &TaskRow) -> bool {
    task.ended_at.is_none() && !Status::from_word(&task.status).is_some_and(Status::is_outcome)
}

/// Returns how the run's last question ended, if that was shortly before the run ended.
async fn question_resolution(service: &Service, run: &RunRow) -> Result<Option<Resolution>, Problem> {
    let last = service.store().last_seq(run.root.clone()).await?;
    let limit = usize::try_from(LAST_EVENTS).unwrap_or(usize::MAX);
    let facts = service.store().events(run.root.clone(), last.saturating_sub(LAST_EVENTS), limit).await?;
    let own = facts.iter().rev().filter(|fact| fact.run == run.id);
    Ok(own.filter_map(|fact| serde_json::from_str(&fact.body).ok()).find_map(|fact| match fact {
        Fact::QuestionResolved { by: ResolvedBy::Expired, .. } => Some(Resolution::Expired),
        Fact::QuestionResolved { answer, .. } if answer["confirmed"] == false => Some(Resolution::Declined),
        Fact::QuestionResolved { .. } => Some(Resolution::Answered),
        _ => None,
    }))
}

/// Returns the position of the run among those that wait for a browser.
async fn queue_position(service: &Service, run: &RunRow) -> Option<QueuePosition> {
    if !service.services.programs.uses_browser(&run.program) {
        return None;
    }
    let listing = service.browsers.list(false).await;
    let position = listing.waiting.iter().position(|waits| waits.owner == run.root)?;
    Some(QueuePosition { position: position + 1, slots: listing.slots })
}

async fn asks_model(service: &Service, run: &RunRow) -> Result<bool, Problem> {
    let (library, agent) = (Arc::clone(&service.library), run.agent.clone());
    run_blocking(move || library.get(&agent).is_some_and(|spec| spec.llm.is_some())).await
}

/// Returns the limits that are used up, of this run and of the runs above it.
async fn limits_used(service: &Service, run: &RunRow) -> Result<LimitsUsed, Problem> {
    let mut found = LimitsUsed::default();
    if let Some(spent) = service.store().used_up_limit(run.id.clone()).await? {
        (found.tokens, found.money) = (spent.limit == "tokens", spent.limit == "money");
    }
    let limits = service.services.limits(run.agent.clone()).await;
    found.steps = limits.is_some_and(|limits| run.tool_steps >= limits.tool_steps);
    Ok(found)
}
