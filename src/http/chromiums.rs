//! The browsers at work, asked of their supervisor.

use super::service::{BrowserRow, Browsers};
use crate::browser::chromium;
use crate::browser::listed::{List, Listed};
use crate::browser::supervisor::Supervisor;
use crate::config;
use actix::Addr;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

pub struct Chromiums {
    supervisor: Addr<Supervisor>,
    settings: config::Browser,
}

impl Chromiums {
    pub fn new(supervisor: Addr<Supervisor>, settings: config::Browser) -> Self {
        Self { supervisor, settings }
    }
}

impl Browsers for Chromiums {
    fn ready(&self) -> BoxFuture<'static, Result<(), String>> {
        let findable = match &self.settings.cdp_url {
            // One that runs elsewhere shows itself when it is needed.
            Some(_) => Ok(()),
            None => match chromium::executable(self.settings.executable.as_deref()) {
                Ok(path) if path.is_file() => Ok(()),
                Ok(_) => Err(String::from("browser.executable names no file")),
                Err(fault) => Err(fault.to_string()),
            },
        };
        std::future::ready(findable).boxed()
    }

    fn list(&self) -> BoxFuture<'static, Vec<BrowserRow>> {
        let listed = self.supervisor.send(List);
        // A supervisor that is gone has no browsers.
        async move { listed.await.unwrap_or_default().into_iter().map(row).collect() }.boxed()
    }
}

fn row(Listed { owner, url, title, since, viewers }: Listed) -> BrowserRow {
    BrowserRow { run_id: owner, url, title, since, viewers }
}
