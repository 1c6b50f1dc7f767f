//! Bounds of a run in its run tree: nesting, budget, deadline (C5). Pure except for the clock.

use crate::clock::Moment;
use crate::config::Limits;
use crate::gate::host_scope::HostScope;
use crate::ids::RunId;
use crate::store::rows::RunRow;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Limits of a run, derived from its own settings and those of its callers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunBounds {
    /// The deepest level of the run tree at which a run may call other agents.
    pub depth: u32,
    /// The run's own limits, in tokens and in the configured currency. The models of the run and of all runs
    /// below it count. The callers' limits apply too (`Store::used_up_limit`).
    pub tokens: Option<u64>,
    pub money: Option<f64>,
    /// Number of orchestrations from the root, which does not count, down to this run, which does (S3.26).
    #[serde(default)]
    pub orchestrations: u32,
    /// Greatest number of nested orchestrations; then, for one orchestration, the greatest number of agent
    /// steps and of agents at work at once (S3.27).
    #[serde(default = "unbounded")]
    pub orchestration_depth: u32,
    #[serde(default = "unbounded")]
    pub orchestration_steps: u32,
    #[serde(default = "unbounded")]
    pub orchestration_width: u32,
    /// True if the run does not outlive the service (C3, S1.5).
    #[serde(default)]
    pub ephemeral: bool,
    /// The run does not start before this time, in Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<i64>,
    /// Hosts that the run inherits.
    #[serde(default, skip_serializing_if = "HostScope::is_empty")]
    pub hosts: HostScope,
}

/// The position of a run in its tree, and its bounds.
#[derive(Clone, Debug, Default)]
pub struct TreePosition {
    pub parent: Option<RunId>,
    /// Level in the run tree; the root has 0.
    pub depth: u32,
    /// The `limits.total_steps` of a caller that this run exceeds: the greatest number of runs below that
    /// caller.
    pub exceeded_limit: Option<u64>,
    pub bounds: RunBounds,
    /// Moment at which the run is ended; `None` without a limit of time.
    pub deadline: Option<Moment>,
    pub created_at: Option<Moment>,
}

impl RunBounds {
    /// Returns the bounds of the root of a run tree, from its limits.
    pub fn for_root(limits: &Limits) -> Self {
        Self {
            depth: limits.depth,
            tokens: limits.tokens,
            money: limits.money,
            orchestrations: 0,
            orchestration_depth: limits.orchestration_depth,
            orchestration_steps: limits.orchestration_steps,
            orchestration_width: limits.orchestration_width,
            ephemeral: false,
            not_before: None,
            hosts: HostScope::default(),
        }
    }
}

/// The default for rows of an older version, which do not store bounds of orchestrations.
fn unbounded() -> u32 {
    u32::MAX
}

impl Default for RunBounds {
    fn default() -> Self {
        Self {
            depth: u32::MAX,
            tokens: None,
            money: None,
            orchestrations: 0,
            orchestration_depth: u32::MAX,
            orchestration_steps: u32::MAX,
            orchestration_width: u32::MAX,
            ephemeral: false,
            not_before: None,
            hosts: HostScope::default(),
        }
    }
}

impl TreePosition {
    /// Reads the position from a stored run. Rows of an older version have no bounds and get the defaults:
    /// such runs called no agents.
    pub fn from_row(row: &RunRow) -> Self {
        let bounds = serde_json::from_value(row.bounds.clone());
        Self {
            parent: row.parent.clone(),
            depth: row.depth,
            exceeded_limit: row.exceeded_limit,
            bounds: bounds.unwrap_or_default(),
            deadline: row.deadline,
            created_at: Some(row.created_at),
        }
    }

    /// Returns the bounds of a child run that has the limits `own`.
    pub fn child_bounds(&self, own: &Limits) -> RunBounds {
        let parent = &self.bounds;
        let nested = parent.orchestrations.saturating_add(own.orchestration_depth);
        RunBounds {
            orchestrations: parent.orchestrations,
            orchestration_depth: parent.orchestration_depth.min(nested),
            orchestration_steps: parent.orchestration_steps.min(own.orchestration_steps),
            orchestration_width: parent.orchestration_width.min(own.orchestration_width),
            ephemeral: self.bounds.ephemeral,
            depth: self.bounds.depth.min(self.depth.saturating_add(1).saturating_add(own.depth)),
            tokens: own.tokens,
            money: own.money,
            not_before: None,
            hosts: parent.hosts.clone(),
        }
    }

    /// Returns the deadline of a child run with this timeout. The parent's deadline applies too.
    pub fn child_deadline(&self, timeout: Option<Duration>) -> Option<Moment> {
        let own = timeout.map(|timeout| Moment::now().after(timeout));
        self.deadline.into_iter().chain(own).min()
    }

    /// Returns why the run may not run at all, if a caller's limit on the number of runs is exceeded (S0.25).
    pub fn exceeded_run_limit(&self) -> Option<String> {
        let most = self.exceeded_limit?;
        Some(format!("{most} runs of agents have been started; `limits.total_steps` allows no more"))
    }

    /// Returns why an agent that calls others may not be called from here, if agents are nested too deep
    /// (S0.26, C16).
    pub fn agent_depth_refusal(&self) -> Option<String> {
        (self.depth + 1 > self.bounds.depth)
            .then(|| format!("agents are nested {} deep; `limits.depth` allows no more", self.bounds.depth))
    }

    /// Returns why an orchestration may not be called from here, if orchestrations are nested too deep
    /// (S3.26, C16).
    pub fn orchestration_depth_refusal(&self) -> Option<String> {
        let most = self.bounds.orchestration_depth;
        (self.bounds.orchestrations >= most).then(|| {
            format!("orchestrations are nested {most} deep; `limits.orchestration_depth` allows no more")
        })
    }

    /// Returns how long the run still waits before it starts; `None` if it may start now.
    pub fn start_delay(&self) -> Option<Duration> {
        let left = self.bounds.not_before?.saturating_sub(Moment::now().millis());
        (left > 0).then(|| Duration::from_millis(left.unsigned_abs()))
    }

    /// Returns the time until the deadline, zero if that has passed; `None` without a deadline.
    pub fn time_left(&self) -> Option<Duration> {
        let left = self.deadline?.millis().saturating_sub(Moment::now().millis()).max(0);
        Some(Duration::from_millis(left.unsigned_abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;
    use crate::config::layers::Flags;

    fn limits(depth: u32, tokens: Option<u64>) -> Limits {
        let settings = Settings::load(&Flags { data_dir: Some("d".into()), ..Flags::default() }, []);
        Limits { depth, tokens, ..settings.unwrap().limits }
    }

    fn at(depth: u32, limits: &Limits) -> TreePosition {
        TreePosition { depth, bounds: RunBounds::for_root(limits), ..TreePosition::default() }
    }

    // A child is nested no deeper than its callers allow; its other limits are its own (C5, S0.26).
    #[test]
    fn a_child_is_nested_no_deeper_than_its_callers_allow() {
        let total = limits(5, Some(1000));
        let own = Limits { money: Some(1.0), ..limits(2, Some(2000)) };
        let child = at(0, &total).child_bounds(&own);
        let of_root = RunBounds::for_root(&own);
        let expected = RunBounds { depth: 3, tokens: Some(2000), money: Some(1.0), ..of_root };
        assert_eq!(child, expected);
        let position = TreePosition { depth: 1, bounds: child, ..TreePosition::default() };
        assert_eq!(position.child_bounds(&total).depth, 3);
    }

    // A limit of 3 allows 3 and refuses 4 (S0.26, C16).
    #[test]
    fn limits_allow_exactly_their_number() {
        let three = limits(3, None);
        assert_eq!(at(2, &three).agent_depth_refusal(), None);
        assert!(at(3, &three).agent_depth_refusal().is_some());
    }
}
