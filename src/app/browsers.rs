//! The browsers as the HTTP API tells of them.

use crate::browser::chromium;
use crate::browser::supervisor::{List, Supervisor};
use crate::browser::BrowserConfig;
use crate::http::service::{BrowserRow, Browsers};
use actix::Addr;
use futures_util::future::BoxFuture;

pub struct Chromiums {
    pub supervisor: Addr<Supervisor>,
    pub config: BrowserConfig,
}

impl Browsers for Chromiums {
    fn ready(&self) -> BoxFuture<'static, Result<(), String>> {
        let found = match &self.config.cdp_url {
            Some(_) => Ok(()),
            None => chromium::executable(&self.config).map(|_| ()).map_err(|fault| fault.to_string()),
        };
        Box::pin(async move { found })
    }

    fn list(&self) -> BoxFuture<'static, Vec<BrowserRow>> {
        let listed = self.supervisor.send(List);
        Box::pin(async move {
            let rows = listed.await.unwrap_or_default().into_iter();
            rows.map(|row| BrowserRow {
                run_id: row.owner,
                url: row.url,
                title: row.title,
                since: row.since,
                viewers: row.viewers,
            })
            .collect()
        })
    }
}
