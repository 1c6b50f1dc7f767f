//! What agents are built of before they run (S4.28): packages of Python from a lock, or an image. Made once for each
//! hash of what it is made of, whoever needs it; who needs it meanwhile waits for the same. Nobody waiting any
//! more ends it.

mod containerfile;
mod fault;
mod given;
mod lock;
mod making;
mod offline;
mod progress;
mod shelf;

pub use fault::BuildFault;
pub use progress::Progress;

use crate::clock::Stopwatch;
use crate::config;
use crate::sandbox::{Engine, Sandbox, Within};
use crate::spec::AgentSpec;
use crate::spec::build::{self, Build};
use crate::spec::check;
use crate::spec::library::Library;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use given::Plan;
use shelf::Shelf;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime};
use tokio::sync::watch;

/// What failed is not tried again for so long, unless what it is made of changes.
const AGAIN_MS: u64 = 60_000;

/// Owner of all builds of this service.
#[derive(Clone)]
pub struct Builds(Arc<Inner>);

struct Inner {
    settings: config::Build,
    sandbox: Sandbox,
    catalogue: Arc<Library>,
    shelf: Shelf,
    known: Mutex<Known>,
    python: Mutex<Option<(Stamp, String)>>,
}

/// What tells one state of a program from another: its file, when it was written, and its length.
type Stamp = (PathBuf, Option<SystemTime>, u64);

#[derive(Default)]
struct Known {
    under_way: HashMap<String, (WeakShared<BoxFuture<'static, Outcome>>, watch::Receiver<Progress>)>,
    failed: HashMap<String, (Stopwatch, BuildFault)>,
    used: HashMap<String, Weak<Built>>,
}

type Outcome = Result<Arc<Built>, BuildFault>;

/// Something built; it is not removed while anybody holds this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Built {
    /// A folder that Python may import from.
    Packages(PathBuf),
    Image(Within),
}

/// What a run waits for.
pub enum Begun {
    Ready(Arc<Built>),
    Building(Building),
}

/// A build under way; dropping it is not waiting for it any more.
pub struct Building {
    /// The hash of what it is made of.
    pub key: String,
    pub outcome: Shared<BoxFuture<'static, Outcome>>,
    pub progress: watch::Receiver<Progress>,
}

impl Builds {
    /// The folder is this service's alone; what an earlier one was in the midst of goes.
    pub fn open(
        settings: &config::Build,
        sandbox: Sandbox,
        catalogue: Arc<Library>,
        folder: PathBuf,
    ) -> Self {
        let shelf = Shelf::open(folder);
        let (known, python) = Default::default();
        Self(Arc::new(Inner { settings: settings.clone(), sandbox, catalogue, shelf, known, python }))
    }

    /// How long one may take.
    pub fn longest(&self) -> Duration {
        Duration::from_secs(self.0.settings.timeout_s)
    }

    /// What the agent is built of, made or being made; none if it needs nothing.
    pub async fn of(&self, spec: &AgentSpec) -> Result<Option<Begun>, BuildFault> {
        let Some(plan) = self.plan(spec).await? else { return Ok(None) };
        if let Some(built) = self.ready(&plan).await? {
            return Ok(Some(Begun::Ready(built)));
        }
        self.joined(plan).map(|building| Some(Begun::Building(building)))
    }

    /// What it would be made of, as it lies in the agent's folder now.
    async fn plan(&self, spec: &AgentSpec) -> Result<Option<Plan>, BuildFault> {
        let folder = self.0.catalogue.own_folder(&spec.name);
        let (own, agent, max_mb) = (spec.build.clone(), spec.name.clone(), self.0.settings.max_mb);
        let beside = folder.clone();
        let Some(build) = aside(move || said(own, &beside)).await? else { return Ok(None) };
        if let Some(fault) = check::build::faults(&build, spec).first() {
            return Err(BuildFault::Section(fault.to_string()));
        }
        let python = if build.pip.is_some() { self.python().await? } else { String::new() };
        aside(move || match &build {
            Build { pip: Some(pip), .. } => given::packages(&agent, &folder, pip, &python, max_mb).map(Some),
            Build { image: Some(image), .. } => given::image(&agent, &folder, image, max_mb).map(Some),
            Build { pip: None, image: None } => Ok(None),
        })
        .await
    }

    /// Which Python packages are for; asked again when its file is another.
    async fn python(&self) -> Result<String, BuildFault> {
        let sandbox = self.0.sandbox.clone();
        let stamp = aside(move || sandbox.interpreter().map(stamp_of)).await.map_err(BuildFault::Sandbox)?;
        if let Some((known, version)) = &*lock(&self.0.python)
            && *known == stamp
        {
            return Ok(version.clone());
        }
        let version = self.0.sandbox.python_version().await.map_err(BuildFault::Sandbox)?;
        *lock(&self.0.python) = Some((stamp, version.clone()));
        Ok(version)
    }

    async fn ready(&self, plan: &Plan) -> Result<Option<Arc<Built>>, BuildFault> {
        let Some(about) = self.on_shelf(&plan.key, Shelf::about).await else { return Ok(None) };
        let built = match about.image {
            None => Built::Packages(self.0.shelf.site(&plan.key)),
            Some(image) => {
                let engine = self.engine().await?;
                if !engine.has(&image).await.unwrap_or(false) {
                    // Somebody removed it: it is made again.
                    let _ = self.on_shelf(&plan.key, Shelf::remove).await;
                    return Ok(None);
                }
                Built::Image(Within { engine, image })
            }
        };
        Ok(Some(self.held(&plan.key, built).await))
    }

    /// In use from now on.
    async fn held(&self, key: &str, built: Built) -> Arc<Built> {
        let built = self.shared(key, built);
        self.on_shelf(key, Shelf::touch).await;
        built
    }

    /// The same for all who use it.
    fn shared(&self, key: &str, built: Built) -> Arc<Built> {
        let mut known = self.known();
        known.used.retain(|_, built| built.strong_count() > 0);
        if let Some(built) = known.used.get(key).and_then(Weak::upgrade) {
            return built;
        }
        let built = Arc::new(built);
        known.used.insert(key.to_owned(), Arc::downgrade(&built));
        built
    }

    /// The build of this hash: one that is under way, or a new one.
    fn joined(&self, plan: Plan) -> Result<Building, BuildFault> {
        let mut known = self.known();
        known.failed.retain(|_, (since, _)| since.millis() < AGAIN_MS);
        if let Some((_, fault)) = known.failed.get(&plan.key) {
            return Err(fault.clone());
        }
        let key = plan.key.clone();
        if let Some((outcome, progress)) = known.under_way.get(&key)
            && let Some(outcome) = outcome.upgrade()
        {
            return Ok(Building { key, outcome, progress: progress.clone() });
        }
        let (tell, progress) = watch::channel(Progress::default());
        let builds = self.clone();
        let outcome = async move {
            let made = builds.make(&plan, &tell).await;
            builds.settled(&plan.key, made).await
        };
        let outcome = outcome.boxed().shared();
        if let Some(weak) = outcome.downgrade() {
            known.under_way.insert(key.clone(), (weak, progress.clone()));
        }
        Ok(Building { key, outcome, progress })
    }

    async fn settled(&self, key: &str, made: Result<Built, BuildFault>) -> Outcome {
        let outcome = match made {
            Ok(built) => Ok(self.held(key, built).await),
            Err(fault) => Err(fault),
        };
        let mut known = self.known();
        known.under_way.remove(key);
        if let Err(fault) = &outcome {
            known.failed.insert(key.to_owned(), (Stopwatch::start(), fault.clone()));
        }
        outcome
    }

    /// The engine, if it works.
    async fn engine(&self) -> Result<Engine, BuildFault> {
        let set = self.0.settings.engine.clone();
        let engine = aside(move || Engine::found(set.as_deref())).await.ok_or(BuildFault::NoEngine)?;
        let works = engine.answers().await;
        works.map_err(|why| BuildFault::Silent { engine: engine.name(), why })?;
        Ok(engine)
    }

    /// Removes what no agent names any more and nobody has used for as long as the settings say.
    pub async fn sweep(&self) {
        let (shelf, days) = (self.0.shelf.clone(), self.0.settings.keep_days);
        let old = aside(move || shelf.unused_for(days)).await;
        if old.is_empty() {
            return;
        }
        let named = self.named().await;
        for key in old.into_iter().filter(|key| !named.contains(key)) {
            if self.known().used.get(&key).is_some_and(|built| built.strong_count() > 0) {
                continue;
            }
            if let Some(image) = self.on_shelf(&key, Shelf::about).await.and_then(|about| about.image)
                && let Ok(engine) = self.engine().await
            {
                let _ = engine.remove(&image).await;
            }
            if let Err(fault) = self.on_shelf(&key, Shelf::remove).await {
                tracing::warn!(%fault, "an old build is left");
            }
        }
    }

    /// Hashes of what the agents are built of now.
    async fn named(&self) -> HashSet<String> {
        let catalogue = Arc::clone(&self.0.catalogue);
        let mut keys = HashSet::new();
        for version in aside(move || catalogue.list()).await {
            // One that cannot be read names nothing.
            keys.extend(self.plan(&version.spec).await.ok().flatten().map(|plan| plan.key));
        }
        keys
    }

    /// What lies under this hash is on the disk.
    async fn on_shelf<T: Send + 'static>(
        &self,
        key: &str,
        work: impl FnOnce(&Shelf, &str) -> T + Send + 'static,
    ) -> T {
        let (shelf, key) = (self.0.shelf.clone(), key.to_owned());
        aside(move || work(&shelf, &key)).await
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        lock(&self.0.known)
    }
}

fn stamp_of(program: PathBuf) -> Stamp {
    let facts = std::fs::metadata(&program).ok();
    let at = facts.as_ref().and_then(|facts| facts.modified().ok());
    (program, at, facts.map_or(0, |facts| facts.len()))
}

/// The agent's own section, else what stands in its folder.
fn said(own: Option<Build>, folder: &Path) -> Result<Option<Build>, BuildFault> {
    if own.is_some() {
        return Ok(own);
    }
    build::beside(folder).transpose().map_err(|fault| BuildFault::Section(fault.to_string()))
}

/// What waits for the disk is done where nobody else waits.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(fault) => std::panic::resume_unwind(fault.into_panic()),
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
