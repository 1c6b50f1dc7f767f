//! Runs a build: in a staging folder, which is moved into the cache once it is complete.

use crate::clock::Moment;
use crate::sandbox::build::build_inputs::{BuildInputs, BuildPlan};
use crate::sandbox::build::build_progress::{
    BuildProgress, ProgressParser, parse_engine_line, parse_pip_line,
};
use crate::sandbox::build::error::{BuildError, last_lines};
use crate::sandbox::build::image_cache::{BuildMetadata, Staging};
use crate::sandbox::build::{BuildResult, Builds, containerfile, network_check, run_blocking};
use crate::sandbox::container_engine::{ContainerImage, ImageCall};
use crate::sandbox::error::SandboxError;
use crate::sandbox::pip_install::PackagesCall;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Messages that pip prints if it finds no package that the lock allows.
const NOT_FOUND: [&str; 2] = ["No matching distribution found", "Could not find a version"];

impl Builds {
    pub(crate) async fn make(
        &self,
        plan: &BuildPlan,
        progress: &watch::Sender<BuildProgress>,
    ) -> Result<BuildResult, BuildError> {
        self.sweep().await;
        // Another caller may have finished the build in the meantime.
        if let Some(built) = self.find_finished(plan).await? {
            return Ok(built.as_ref().clone());
        }
        match &plan.what {
            BuildInputs::Packages { lock, .. } => {
                progress.send_replace(BuildProgress { of: lock.names.len(), ..BuildProgress::default() });
                self.packages(plan, progress).await
            }
            BuildInputs::Image { containerfile, .. } => self.image(plan, containerfile, progress).await,
        }
    }

    async fn packages(
        &self,
        plan: &BuildPlan,
        progress: &watch::Sender<BuildProgress>,
    ) -> Result<BuildResult, BuildError> {
        let settings = &self.0.settings;
        let staging = self.stage_inputs(plan).await?;
        let call = PackagesCall {
            given: staging.input_folder(),
            into: staging.result_folder(),
            index: settings.pip_index.clone(),
            timeout: Duration::from_secs(settings.timeout_s),
            max_mb: settings.max_mb,
        };
        let listener = ProgressParser::new(progress, parse_pip_line);
        let output = self.0.sandbox.packages(&call, &|bytes| listener.feed(bytes)).await;
        let (done, output) = output.map_err(|fault| match fault {
            SandboxError::Time(_) => BuildError::Time(settings.timeout_s),
            SandboxError::Scratch(_) => BuildError::Room(settings.max_mb),
            other => BuildError::Sandbox(other),
        })?;
        if !done {
            let output = output.replace(&format!("{}/", call.given.display()), "");
            let lacking = call.index.is_none() && NOT_FOUND.iter().any(|words| output.contains(words));
            let hint = match lacking {
                true => format!(
                    "put the wheels of all its packages into {}/wheels (`pip download` fetches them), or set build.pip_index",
                    plan.agent
                ),
                false => String::new(),
            };
            return Err(BuildError::Pip { output: last_lines(&output), hint });
        }
        self.move_to_cache(plan, staging, None).await?;
        Ok(BuildResult::Packages(self.0.cache.site(&plan.key)))
    }

    async fn image(
        &self,
        plan: &BuildPlan,
        containerfile: &str,
        progress: &watch::Sender<BuildProgress>,
    ) -> Result<BuildResult, BuildError> {
        let settings = &self.0.settings;
        let engine = self.engine().await?;
        if !settings.image_network {
            if let Some(refused) = network_check::find_refused_line(containerfile) {
                return Err(BuildError::Network { line: refused.line, instead: refused.instead });
            }
            for base in containerfile::base_images(containerfile) {
                let there = engine.has(&base).await;
                if !there.map_err(|why| BuildError::Silent { engine: engine.name(), why })? {
                    return Err(BuildError::Base(base));
                }
            }
        }
        let staging = self.stage_inputs(plan).await?;
        let call = ImageCall {
            given: staging.input_folder(),
            name: format!("askfirst-build:{}", plan.key),
            network: settings.image_network,
            timeout: Duration::from_secs(settings.timeout_s),
        };
        let listener = ProgressParser::new(progress, parse_engine_line);
        let output = engine.build(&call, &|bytes| listener.feed(bytes)).await;
        let (done, output) = output.map_err(BuildError::Image)?;
        if !done {
            return Err(BuildError::Image(last_lines(&output)));
        }
        self.move_to_cache(plan, staging, Some(call.name.clone())).await?;
        Ok(BuildResult::Image(ContainerImage { engine, image: call.name }))
    }

    /// Creates a staging folder with copies of the inputs, and hashes the copies to detect changes since the
    /// plan was made.
    async fn stage_inputs(&self, plan: &BuildPlan) -> Result<Arc<Staging>, BuildError> {
        let (cache, copied) = (self.0.cache.clone(), plan.clone());
        let max_mb = self.0.settings.max_mb;
        run_blocking(move || {
            let staging = Arc::new(cache.staging().map_err(|fault| BuildError::disk(&fault))?);
            copied.copy_to(&staging.input_folder()).map_err(|fault| BuildError::disk(&fault))?;
            if copied.matches_copies(&staging.input_folder(), max_mb)? {
                Ok(staging)
            } else {
                Err(BuildError::Changed)
            }
        })
        .await
    }

    async fn move_to_cache(
        &self,
        plan: &BuildPlan,
        staging: Arc<Staging>,
        image: Option<String>,
    ) -> Result<(), BuildError> {
        let about = BuildMetadata { agent: plan.agent.clone(), made_at: Moment::now().rfc3339(), image };
        let (cache, key) = (self.0.cache.clone(), plan.key.clone());
        run_blocking(move || cache.store(&staging, &key, &about))
            .await
            .map_err(|fault| BuildError::disk(&fault))
    }
}
