//! What a run may use, as its callers leave it (C5): one budget for the whole tree. Pure but for the clock.

use crate::clock::Moment;
use crate::config::Limits;
use crate::ids::RunId;
use crate::store::rows::RunRow;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a run may use.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// The deepest in the tree that may call others.
    pub depth: u32,
    /// Its own limits, of all that its model and those of the runs below it take; those of its callers
    /// hold besides (`Store::overspent`).
    pub tokens: Option<u64>,
    pub money: Option<f64>,
    /// So many orchestrations stand above it below the root, itself included (S3.26).
    #[serde(default)]
    pub orchestrations: u32,
    /// The most of them there may be, and what one of them may have: agent steps, and agents at once (S3.27).
    #[serde(default = "unbounded")]
    pub orchestration_depth: u32,
    #[serde(default = "unbounded")]
    pub orchestration_steps: u32,
    #[serde(default = "unbounded")]
    pub orchestration_width: u32,
    /// It does not outlive the service (C3, S1.5).
    #[serde(default)]
    pub ephemeral: bool,
    /// It does not begin before then (Unix milliseconds).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<i64>,
}

/// A run's place in its tree, and what it may use there.
#[derive(Clone, Debug, Default)]
pub struct Place {
    pub parent: Option<RunId>,
    pub depth: u32,
    /// The limit of one of its callers that it is beyond: so many runs there may be below that one.
    pub beyond: Option<u64>,
    pub bounds: Bounds,
    pub deadline: Option<Moment>,
    pub created_at: Option<Moment>,
}

impl Bounds {
    /// Those of a run tree, by its root's limits.
    pub fn of_root(limits: &Limits) -> Self {
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
        }
    }
}

/// Rows of an older version say nothing of orchestrations.
fn unbounded() -> u32 {
    u32::MAX
}

impl Default for Bounds {
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
        }
    }
}

impl Place {
    /// Rows of an older version say nothing of bounds; those called nobody.
    pub fn of(row: &RunRow) -> Self {
        let bounds = serde_json::from_value(row.bounds.clone());
        Self {
            parent: row.parent.clone(),
            depth: row.depth,
            beyond: row.beyond,
            bounds: bounds.unwrap_or_default(),
            deadline: row.deadline,
            created_at: Some(row.created_at),
        }
    }

    /// Where it stands, and what it has, of a child with these limits of its own.
    pub fn below(&self, own: &Limits) -> Bounds {
        let above = self.bounds;
        let nested = above.orchestrations.saturating_add(own.orchestration_depth);
        Bounds {
            orchestrations: above.orchestrations,
            orchestration_depth: above.orchestration_depth.min(nested),
            orchestration_steps: above.orchestration_steps.min(own.orchestration_steps),
            orchestration_width: above.orchestration_width.min(own.orchestration_width),
            ephemeral: self.bounds.ephemeral,
            depth: self.bounds.depth.min(self.depth.saturating_add(1).saturating_add(own.depth)),
            tokens: own.tokens,
            money: own.money,
            not_before: None,
        }
    }

    /// When a child must have ended that may take so long.
    pub fn deadline_below(&self, within: Option<Duration>) -> Option<Moment> {
        let own = within.map(|within| Moment::now().after(within));
        self.deadline.into_iter().chain(own).min()
    }

    /// Why it may not run at all (S0.25).
    pub fn beyond(&self) -> Option<String> {
        let most = self.beyond?;
        Some(format!("{most} runs of agents have been started; `limits.total_steps` allows no more"))
    }

    /// Why an agent that calls others may not be called from here (S0.26, C16).
    pub fn too_deep(&self) -> Option<String> {
        (self.depth + 1 > self.bounds.depth)
            .then(|| format!("agents are nested {} deep; `limits.depth` allows no more", self.bounds.depth))
    }

    /// Why an orchestration may not be called from here (S3.26, C16).
    pub fn too_nested(&self) -> Option<String> {
        let most = self.bounds.orchestration_depth;
        (self.bounds.orchestrations >= most).then(|| {
            format!("orchestrations are nested {most} deep; `limits.orchestration_depth` allows no more")
        })
    }

    /// How long it still waits before it begins.
    pub fn not_yet(&self) -> Option<Duration> {
        let left = self.bounds.not_before?.saturating_sub(Moment::now().millis());
        (left > 0).then(|| Duration::from_millis(left.unsigned_abs()))
    }

    pub fn time_left(&self) -> Option<Duration> {
        let left = self.deadline?.millis().saturating_sub(Moment::now().millis()).max(0);
        Some(Duration::from_millis(left.unsigned_abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Flags, Settings};

    fn limits(depth: u32, tokens: Option<u64>) -> Limits {
        let settings = Settings::load(&Flags { data_dir: Some("d".into()), ..Flags::default() }, []);
        Limits { depth, tokens, ..settings.unwrap().limits }
    }

    fn at(depth: u32, limits: &Limits) -> Place {
        Place { depth, bounds: Bounds::of_root(limits), ..Place::default() }
    }

    // C5, S0.26: a child is nested no deeper than its callers allow; its other limits are its own.
    #[test]
    fn a_child_is_nested_no_deeper_than_its_callers_allow() {
        let whole = limits(5, Some(1000));
        let own = Limits { money: Some(1.0), ..limits(2, Some(2000)) };
        let child = at(0, &whole).below(&own);
        let of_root = Bounds::of_root(&own);
        let expected = Bounds { depth: 3, tokens: Some(2000), money: Some(1.0), ..of_root };
        assert_eq!(child, expected);
        let place = Place { depth: 1, bounds: child, ..Place::default() };
        assert_eq!(place.below(&whole).depth, 3);
    }

    // S0.26, C16: limit 3 allows 3 and refuses 4.
    #[test]
    fn limits_allow_what_they_say_and_no_more() {
        let three = limits(3, None);
        assert_eq!(at(2, &three).too_deep(), None);
        assert!(at(3, &three).too_deep().is_some());
    }
}
