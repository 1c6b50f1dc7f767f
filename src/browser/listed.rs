//! Which browsers there are, and what each shows.

use super::supervisor::Supervisor;
use crate::ids::RunId;
use actix::{Context, Handler, Message};

/// All browsers, oldest first.
#[derive(Debug, Message)]
#[rtype(result = "Vec<Listed>")]
pub struct List;

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Listed {
    pub owner: RunId,
    pub url: String,
    pub title: String,
    /// RFC 3339.
    pub since: String,
    pub viewers: usize,
}

/// What a browser shows now.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Shown {
    pub owner: RunId,
    pub url: String,
    pub title: String,
    pub viewers: usize,
}

impl Handler<List> for Supervisor {
    type Result = Vec<Listed>;

    fn handle(&mut self, _: List, _: &mut Context<Self>) -> Self::Result {
        let mut tenants: Vec<_> = self.tenants.iter().collect();
        tenants.sort_by_key(|(_, tenant)| tenant.since);
        tenants
            .into_iter()
            .map(|(owner, tenant)| Listed {
                owner: owner.clone(),
                url: tenant.shown.0.clone(),
                title: tenant.shown.1.clone(),
                since: tenant.since.rfc3339(),
                viewers: tenant.viewers,
            })
            .collect()
    }
}

impl Handler<Shown> for Supervisor {
    type Result = ();

    fn handle(&mut self, shown: Shown, _: &mut Context<Self>) {
        if let Some(tenant) = self.tenants.get_mut(&shown.owner) {
            tenant.shown = (shown.url, shown.title);
            tenant.viewers = shown.viewers;
        }
    }
}
