//! Builds what agents need before they run: Python packages from a lock file, or an image (S4.28). A build is
//! identified by the hash of its inputs, and its result is cached. All callers of the same build share it,
//! and it is cancelled when none of them waits for it any more.

pub(crate) mod build_inputs;
pub(crate) mod build_progress;
pub(crate) mod error;
pub(crate) mod lock_file;
pub(crate) mod network_check;
pub(crate) mod run_build;
pub(crate) mod image_cache;
pub(crate) mod containerfile;

use crate::agent_spec::check;
use crate::agent_spec::files::library::Library;
use crate::agent_spec::types::build::Build;
use crate::agent_spec::types::spec::AgentSpec;
use crate::clock::Stopwatch;
use crate::config;
use crate::sandbox::Sandbox;
use crate::sandbox::build::build_inputs::BuildPlan;
use crate::sandbox::build::build_progress::BuildProgress;
use crate::sandbox::build::error::BuildError;
use crate::sandbox::build::image_cache::BuildCache;
use crate::sandbox::container_engine::{ContainerEngine, ContainerImage};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime};
use tokio::sync::watch;

/// Time in milliseconds before a failed build is tried again, unless its inputs change.
const RETRY_AFTER_MS: u64 = 60_000;

/// Owner of all builds of the service. Clones share the same builds.
#[derive(Clone)]
pub struct Builds(Arc<BuildRegistry>);

struct BuildRegistry {
    settings: config::Build,
    sandbox: Sandbox,
    library: Arc<Library>,
    cache: BuildCache,
    known: Mutex<BuildTable>,
    python: Mutex<Option<(Stamp, String)>>,
}

/// Identifies the state of an executable: its path, modification time and length.
type Stamp = (PathBuf, Option<SystemTime>, u64);

#[derive(Default)]
struct BuildTable {
    under_way: HashMap<String, (WeakShared<BoxFuture<'static, Outcome>>, watch::Receiver<BuildProgress>)>,
    failed: HashMap<String, (Stopwatch, BuildError)>,
    used: HashMap<String, Weak<BuildResult>>,
}

type Outcome = Result<Arc<BuildResult>, BuildError>;

/// A finished build. It is not removed from the cache while this value is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildResult {
    /// Folder that Python imports from.
    Packages(PathBuf),
    Image(ContainerImage),
}

impl BuildResult {
    /// Returns the folder that Python imports from.
    pub fn packages(&self) -> Option<&PathBuf> {
        match self {
            Self::Packages(folder) => Some(folder),
            Self::Image(_) => None,
        }
    }

    /// Returns the image in which code runs.
    pub fn image(&self) -> Option<&ContainerImage> {
        match self {
            Self::Image(image) => Some(image),
            Self::Packages(_) => None,
        }
    }
}

/// A build that a run needs.
pub enum BuildState {
    Ready(Arc<BuildResult>),
    Building(PendingBuild),
}

/// A build in progress. Dropping it stops waiting for the build.
pub struct PendingBuild {
    /// Hash of the inputs.
    pub key: String,
    pub outcome: Shared<BoxFuture<'static, Outcome>>,
    pub progress: watch::Receiver<BuildProgress>,
}

impl Builds {
    /// Opens the cache in this folder, which must not be shared with another process. Removes unfinished
    /// builds of an earlier process.
    pub fn open(settings: &config::Build, sandbox: Sandbox, library: Arc<Library>, folder: PathBuf) -> Self {
        let cache = BuildCache::open(folder);
        let (known, python) = Default::default();
        Self(Arc::new(BuildRegistry { settings: settings.clone(), sandbox, library, cache, known, python }))
    }

    /// Maximum duration of a build.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.0.settings.timeout_s)
    }

    /// Returns the build that the agent needs, finished or in progress, or `None` if it needs none.
    pub async fn start(&self, spec: &AgentSpec) -> Result<Option<BuildState>, BuildError> {
        let Some(plan) = self.plan(spec).await? else { return Ok(None) };
        if let Some(built) = self.find_finished(&plan).await? {
            return Ok(Some(BuildState::Ready(built)));
        }
        self.join_build(plan).map(|building| Some(BuildState::Building(building)))
    }

    /// Plans the build from the current files of the agent's folder.
    async fn plan(&self, spec: &AgentSpec) -> Result<Option<BuildPlan>, BuildError> {
        let folder = self.0.library.own_folder(&spec.name);
        let (own, agent, max_mb) = (spec.build.clone(), spec.name.clone(), self.0.settings.max_mb);
        let beside = folder.clone();
        let Some(build) = run_blocking(move || build_section(own, &beside)).await? else { return Ok(None) };
        if let Some(fault) = check::build::faults(&build, spec).first() {
            return Err(BuildError::Section(fault.to_string()));
        }
        let python = if build.pip.is_some() { self.python().await? } else { String::new() };
        run_blocking(move || match &build {
            Build { pip: Some(pip), .. } => {
                build_inputs::packages(&agent, &folder, pip, &python, max_mb).map(Some)
            }
            Build { image: Some(image), .. } => build_inputs::image(&agent, &folder, image, max_mb).map(Some),
            Build { pip: None, image: None } => Ok(None),
        })
        .await
    }

    /// Returns the version of Python that packages are for. Cached until the interpreter's file changes.
    async fn python(&self) -> Result<String, BuildError> {
        let sandbox = self.0.sandbox.clone();
        let stamp =
            run_blocking(move || sandbox.interpreter().map(read_stamp)).await.map_err(BuildError::Sandbox)?;
        if let Some((known, version)) = &*lock_ignoring_poison(&self.0.python)
            && *known == stamp
        {
            return Ok(version.clone());
        }
        let version = self.0.sandbox.python_version().await.map_err(BuildError::Sandbox)?;
        *lock_ignoring_poison(&self.0.python) = Some((stamp, version.clone()));
        Ok(version)
    }

    async fn find_finished(&self, plan: &BuildPlan) -> Result<Option<Arc<BuildResult>>, BuildError> {
        let Some(about) = self.with_cache(&plan.key, BuildCache::about).await else { return Ok(None) };
        let built = match about.image {
            None => BuildResult::Packages(self.0.cache.site(&plan.key)),
            Some(image) => {
                let engine = self.engine().await?;
                if !engine.has(&image).await.unwrap_or(false) {
                    // The image was removed from the engine, so it must be built again.
                    let _ = self.with_cache(&plan.key, BuildCache::remove).await;
                    return Ok(None);
                }
                BuildResult::Image(ContainerImage { engine, image })
            }
        };
        Ok(Some(self.use_build(&plan.key, built).await))
    }

    /// Marks a build as used now, and returns its shared handle.
    async fn use_build(&self, key: &str, built: BuildResult) -> Arc<BuildResult> {
        let built = self.shared_result(key, built);
        self.with_cache(key, BuildCache::touch).await;
        built
    }

    /// Returns the shared handle of a build, and creates it if there is none.
    fn shared_result(&self, key: &str, built: BuildResult) -> Arc<BuildResult> {
        let mut known = self.lock_table();
        known.used.retain(|_, built| built.strong_count() > 0);
        if let Some(built) = known.used.get(key).and_then(Weak::upgrade) {
            return built;
        }
        let built = Arc::new(built);
        known.used.insert(key.to_owned(), Arc::downgrade(&built));
        built
    }

    /// Joins the build with this hash that is in progress, or starts a new one.
    fn join_build(&self, plan: BuildPlan) -> Result<PendingBuild, BuildError> {
        let mut known = self.lock_table();
        known.failed.retain(|_, (since, _)| since.millis() < RETRY_AFTER_MS);
        if let Some((_, fault)) = known.failed.get(&plan.key) {
            return Err(fault.clone());
        }
        let key = plan.key.clone();
        if let Some((outcome, progress)) = known.under_way.get(&key)
            && let Some(outcome) = outcome.upgrade()
        {
            return Ok(PendingBuild { key, outcome, progress: progress.clone() });
        }
        let (progress_sender, progress) = watch::channel(BuildProgress::default());
        let builds = self.clone();
        let outcome = async move {
            let result = builds.make(&plan, &progress_sender).await;
            builds.finish_build(&plan.key, result).await
        };
        let outcome = outcome.boxed().shared();
        if let Some(weak) = outcome.downgrade() {
            known.under_way.insert(key.clone(), (weak, progress.clone()));
        }
        Ok(PendingBuild { key, outcome, progress })
    }

    async fn finish_build(&self, key: &str, result: Result<BuildResult, BuildError>) -> Outcome {
        let outcome = match result {
            Ok(built) => Ok(self.use_build(key, built).await),
            Err(fault) => Err(fault),
        };
        let mut known = self.lock_table();
        known.under_way.remove(key);
        if let Err(fault) = &outcome {
            known.failed.insert(key.to_owned(), (Stopwatch::start(), fault.clone()));
        }
        outcome
    }

    /// Returns the container engine if it responds.
    async fn engine(&self) -> Result<ContainerEngine, BuildError> {
        let set = self.0.settings.engine.clone();
        let engine =
            run_blocking(move || ContainerEngine::found(set.as_deref())).await.ok_or(BuildError::NoEngine)?;
        let works = engine.check_works().await;
        works.map_err(|why| BuildError::Silent { engine: engine.name(), why })?;
        Ok(engine)
    }

    /// Removes builds that no agent names and that have not been used for `keep_days` days.
    pub async fn sweep(&self) {
        let (cache, days) = (self.0.cache.clone(), self.0.settings.keep_days);
        let old = run_blocking(move || cache.unused_for(days)).await;
        if old.is_empty() {
            return;
        }
        let named = self.needed_keys().await;
        for key in old.into_iter().filter(|key| !named.contains(key)) {
            if self.lock_table().used.get(&key).is_some_and(|built| built.strong_count() > 0) {
                continue;
            }
            if let Some(image) = self.with_cache(&key, BuildCache::about).await.and_then(|about| about.image)
                && let Ok(engine) = self.engine().await
            {
                let _ = engine.remove(&image).await;
            }
            if let Err(fault) = self.with_cache(&key, BuildCache::remove).await {
                tracing::warn!(%fault, "an old build is left");
            }
        }
    }

    /// Returns the hashes of the builds that the agents need now.
    async fn needed_keys(&self) -> HashSet<String> {
        let library = Arc::clone(&self.0.library);
        let mut keys = HashSet::new();
        for version in run_blocking(move || library.list()).await {
            // An agent whose build settings cannot be read names none.
            keys.extend(self.plan(&version.spec).await.ok().flatten().map(|plan| plan.key));
        }
        keys
    }

    /// Runs a blocking operation on a cache entry.
    async fn with_cache<T: Send + 'static>(
        &self,
        key: &str,
        work: impl FnOnce(&BuildCache, &str) -> T + Send + 'static,
    ) -> T {
        let (cache, key) = (self.0.cache.clone(), key.to_owned());
        run_blocking(move || work(&cache, &key)).await
    }

    fn lock_table(&self) -> MutexGuard<'_, BuildTable> {
        lock_ignoring_poison(&self.0.known)
    }
}

fn read_stamp(program: PathBuf) -> Stamp {
    let metadata = std::fs::metadata(&program).ok();
    let at = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
    (program, at, metadata.map_or(0, |metadata| metadata.len()))
}

/// Returns the build section of the agent, or else the one beside it in its folder.
fn build_section(own: Option<Build>, folder: &Path) -> Result<Option<Build>, BuildError> {
    if own.is_some() {
        return Ok(own);
    }
    crate::agent_spec::files::build_file::read_file(folder)
        .transpose()
        .map_err(|fault| BuildError::Section(fault.to_string()))
}

/// Runs blocking file operations on a separate thread.
async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(fault) => std::panic::resume_unwind(fault.into_panic()),
    }
}

fn lock_ignoring_poison<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
