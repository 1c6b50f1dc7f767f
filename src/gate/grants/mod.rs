//! Grants: remembered approvals with a scope and an expiry. Decides which approvals may be remembered. Pure;
//! the store keeps the grants, and people list and revoke them through the gate.

pub mod covers;

use crate::clock::Moment;
use crate::gate::grants::covers::Covers;
use crate::gate::meaning::effect_class::{ActionProperties, FieldKind};
use crate::gate::rules::Rule;
use crate::gate::verdict::{Decision, Verdict};
use crate::ids::{GrantId, RunId};
use crate::protocol::Remember;
use crate::store::rows::GrantRow;
use serde::{Deserialize, Serialize};

/// Lifetime of a grant for a site: 30 days.
const SITE_SECONDS: u64 = 30 * 24 * 3600;
/// Longest lifetime of a grant for a run: one day.
const RUN_SECONDS: u64 = 24 * 3600;

/// Scope of a remembered approval. Both scopes are limited in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantScope {
    Run,
    /// The same origin and the same rule, in any run.
    Site,
}

impl GrantScope {
    /// Returns the scope as it is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Site => "site",
        }
    }
}

/// A remembered approval of one form or request.
#[derive(Clone, Debug, PartialEq)]
pub struct Grant {
    pub id: GrantId,
    pub scope: GrantScope,
    /// Root of the run tree in which it was given.
    pub root_id: RunId,
    /// Origin for which it holds.
    pub origin: String,
    /// Id of the rule that asked.
    pub rule: String,
    pub covers: Covers,
    pub created_at: Moment,
    pub expires_at: Moment,
}

impl Grant {
    /// Reads a stored grant. Returns `None` if its scope is unknown to this version, or it lacks its root, its
    /// origin or what it covers.
    pub fn from_row(row: &GrantRow) -> Option<Self> {
        Some(Self {
            id: row.id.clone(),
            scope: [GrantScope::Run, GrantScope::Site]
                .into_iter()
                .find(|scope| scope.as_str() == row.scope)?,
            root_id: row.run.clone()?,
            origin: row.origin.clone()?,
            rule: row.rule.clone(),
            covers: serde_json::from_value(row.covers.clone()?).ok()?,
            created_at: row.created_at,
            expires_at: row.expires_at,
        })
    }

    /// Converts the grant to its stored row.
    pub fn into_row(self) -> GrantRow {
        GrantRow {
            id: self.id,
            scope: self.scope.as_str().to_owned(),
            run: Some(self.root_id),
            origin: Some(self.origin),
            rule: self.rule,
            covers: Some(serde_json::json!(self.covers)),
            created_at: self.created_at,
            expires_at: self.expires_at,
        }
    }
}

/// Offer to remember an answer: the choices, and the origin and rule to which a grant is bound.
#[derive(Clone, Copy, Debug)]
pub struct RememberOffer<'a> {
    pub choices: &'a [Remember],
    pub origin: &'a str,
    /// Id of the rule that asked.
    pub rule: &'a str,
    pub covers: &'a Covers,
}

/// Returns the grant that an answer creates; `None` for `Once` and `Action`, and for choices that were not offered.
pub fn from_answer(offer: RememberOffer<'_>, choice: Remember, root: &RunId, now: Moment) -> Option<Grant> {
    let (scope, seconds) = match choice {
        Remember::Once | Remember::Action => return None,
        Remember::Run => (GrantScope::Run, RUN_SECONDS),
        Remember::Site => (GrantScope::Site, SITE_SECONDS),
    };
    offer.choices.contains(&choice).then(|| Grant {
        id: GrantId::fresh(),
        scope,
        root_id: root.clone(),
        origin: offer.origin.to_owned(),
        rule: offer.rule.to_owned(),
        covers: offer.covers.clone(),
        created_at: now,
        expires_at: now.plus_seconds(seconds),
    })
}

/// True if a grant permits this verdict: it is of this run tree or site, of its rule, in force, and covers the very
/// form or request. The verdict must still allow its scope to be remembered.
pub fn permits(grant: &Grant, verdict: &Verdict, covers: &Covers, root: &RunId, now: Moment) -> bool {
    let (kind, reaches) = match grant.scope {
        GrantScope::Run => (Remember::Run, grant.root_id == *root),
        GrantScope::Site => (Remember::Site, true),
    };
    verdict.decision == Decision::RequiresConfirmation
        && verdict.may_remember(kind)
        && reaches
        && now < grant.expires_at
        && !verdict.origin.is_empty()
        && (&grant.origin, &grant.rule) == (&verdict.origin, &verdict.rule)
        && grant.covers.includes(covers)
}

/// Returns the choices of a person when this rule asks.
pub fn choices(rule: &Rule, facts: &ActionProperties) -> Vec<Remember> {
    let secret = facts.fields.iter().any(|kind| matches!(kind, FieldKind::Password | FieldKind::Card));
    let lasts = facts.effect.may_be_remembered() && !secret && !facts.origin.is_empty();
    let is_offered = |choice: &Remember| *choice != Remember::Once && lasts && rule.remember.contains(choice);
    let mut found = vec![Remember::Once];
    found.extend([Remember::Run, Remember::Site].into_iter().filter(is_offered));
    found
}
