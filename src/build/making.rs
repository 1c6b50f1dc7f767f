//! Runs a build: in a staging folder, which is moved into the cache once it is complete.

use super::containerfile;
use super::fault::{BuildFault, last_lines};
use super::given::{BuildInputs, BuildPlan};
use super::offline;
use super::progress::{BuildProgress, ProgressParser, of_image, of_pip};
use super::shelf::{BuildMetadata, Staging};
use super::{Builds, Built, aside};
use crate::clock::Moment;
use crate::sandbox::{ImageCall, PackagesCall, SandboxError, Within};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Messages that pip prints if it finds no package that the lock allows.
const NOT_FOUND: [&str; 2] = ["No matching distribution found", "Could not find a version"];

impl Builds {
    pub(super) async fn make(
        &self,
        plan: &BuildPlan,
        tell: &watch::Sender<BuildProgress>,
    ) -> Result<Built, BuildFault> {
        self.sweep().await;
        // Another caller may have finished the build in the meantime.
        if let Some(built) = self.ready(plan).await? {
            return Ok(built.as_ref().clone());
        }
        match &plan.what {
            BuildInputs::Packages { lock, .. } => {
                tell.send_replace(BuildProgress { of: lock.names.len(), ..BuildProgress::default() });
                self.packages(plan, tell).await
            }
            BuildInputs::Image { containerfile, .. } => self.image(plan, containerfile, tell).await,
        }
    }

    async fn packages(
        &self,
        plan: &BuildPlan,
        tell: &watch::Sender<BuildProgress>,
    ) -> Result<Built, BuildFault> {
        let settings = &self.0.settings;
        let staging = self.staged(plan).await?;
        let call = PackagesCall {
            given: staging.given(),
            into: staging.made(),
            index: settings.pip_index.clone(),
            timeout: Duration::from_secs(settings.timeout_s),
            max_mb: settings.max_mb,
        };
        let listener = ProgressParser::new(tell, of_pip);
        let said = self.0.sandbox.packages(&call, &|bytes| listener.hear(bytes)).await;
        let (done, said) = said.map_err(|fault| match fault {
            SandboxError::Time(_) => BuildFault::Time(settings.timeout_s),
            SandboxError::Scratch(_) => BuildFault::Room(settings.max_mb),
            other => BuildFault::Sandbox(other),
        })?;
        if !done {
            let said = said.replace(&format!("{}/", call.given.display()), "");
            let lacking = call.index.is_none() && NOT_FOUND.iter().any(|words| said.contains(words));
            let hint = match lacking {
                true => format!(
                    "put the wheels of all its packages into {}/wheels (`pip download` fetches them), or set build.pip_index",
                    plan.agent
                ),
                false => String::new(),
            };
            return Err(BuildFault::Pip { said: last_lines(&said), hint });
        }
        self.kept(plan, staging, None).await?;
        Ok(Built::Packages(self.0.shelf.site(&plan.key)))
    }

    async fn image(
        &self,
        plan: &BuildPlan,
        containerfile: &str,
        tell: &watch::Sender<BuildProgress>,
    ) -> Result<Built, BuildFault> {
        let settings = &self.0.settings;
        let engine = self.engine().await?;
        if !settings.image_network {
            if let Some(refused) = offline::refused(containerfile) {
                return Err(BuildFault::Network { line: refused.line, instead: refused.instead });
            }
            for base in containerfile::bases(containerfile) {
                let there = engine.has(&base).await;
                if !there.map_err(|why| BuildFault::Silent { engine: engine.name(), why })? {
                    return Err(BuildFault::Base(base));
                }
            }
        }
        let staging = self.staged(plan).await?;
        let call = ImageCall {
            given: staging.given(),
            name: format!("askfirst-build:{}", plan.key),
            network: settings.image_network,
            timeout: Duration::from_secs(settings.timeout_s),
        };
        let listener = ProgressParser::new(tell, of_image);
        let said = engine.build(&call, &|bytes| listener.hear(bytes)).await;
        let (done, said) = said.map_err(BuildFault::Image)?;
        if !done {
            return Err(BuildFault::Image(last_lines(&said)));
        }
        self.kept(plan, staging, Some(call.name.clone())).await?;
        Ok(Built::Image(Within { engine, image: call.name }))
    }

    /// Creates a staging folder with copies of the inputs, and hashes the copies to detect changes since the
    /// plan was made.
    async fn staged(&self, plan: &BuildPlan) -> Result<Arc<Staging>, BuildFault> {
        let (shelf, copied) = (self.0.shelf.clone(), plan.clone());
        let max_mb = self.0.settings.max_mb;
        aside(move || {
            let staging = Arc::new(shelf.staging().map_err(|fault| BuildFault::disk(&fault))?);
            copied.laid_out(&staging.given()).map_err(|fault| BuildFault::disk(&fault))?;
            if copied.is_still(&staging.given(), max_mb)? { Ok(staging) } else { Err(BuildFault::Changed) }
        })
        .await
    }

    async fn kept(
        &self,
        plan: &BuildPlan,
        staging: Arc<Staging>,
        image: Option<String>,
    ) -> Result<(), BuildFault> {
        let about = BuildMetadata { agent: plan.agent.clone(), made_at: Moment::now().rfc3339(), image };
        let (shelf, key) = (self.0.shelf.clone(), plan.key.clone());
        aside(move || shelf.keep(&staging, &key, &about)).await.map_err(|fault| BuildFault::disk(&fault))
    }
}
