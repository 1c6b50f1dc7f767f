//! Connecting to a Chromium: one started here, or one that runs elsewhere.

use crate::browser::cdp::connection::Connection;
use crate::browser::cdp::socket::DevToolsSocket;
use crate::browser::config::BrowserConfig;
use crate::browser::error::{BrowserError, PageError};
use crate::browser::network::chromium_policy::ChromiumPolicy;
use crate::browser::network::egress_proxy::Proxy;
use crate::browser::network::interception::{self, ServerCheck};
use crate::browser::process::launch::Chromium;
use crate::browser::process::profile_folders;
use chromiumoxide::cdp::browser_protocol::target::{
    FilterEntry, SetAutoAttachParams, SetDiscoverTargetsParams, TargetFilter,
};
use futures_util::future::{BoxFuture, LocalBoxFuture};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Connection to a running Chromium.
#[derive(Clone, Debug)]
pub struct ChromiumConnection {
    pub connection: Connection,
    pub policy: ChromiumPolicy,
    /// True if new pages attach automatically, before their first script.
    pub attaches: bool,
    /// Folder of the lasting profile, if there is one.
    pub profile_folder: Option<PathBuf>,
}

pub struct StartedChromium {
    pub chromium: ChromiumConnection,
    /// `None` for a Chromium that runs elsewhere.
    pub process: Option<Box<Chromium>>,
    /// Drives the connection; completes when Chromium is gone.
    pub drive: LocalBoxFuture<'static, ()>,
}

/// Starts or connects to Chromium. `profile` is the name of a lasting profile.
pub async fn start(config: BrowserConfig, profile: Option<&str>) -> Result<StartedChromium, BrowserError> {
    let (ws_url, process, proxy) = match &config.cdp_url {
        Some(url) => (address(url).await?, None, proxy_for_remote(&config, url)?),
        None => {
            let proxy = Proxy::start(config.url_policy.clone(), config.lease.clone())?;
            let chromium = Chromium::launch(&config, profile, Some(&proxy.address())).await?;
            (chromium.ws_url.clone(), Some(Box::new(chromium)), Some(Arc::new(proxy)))
        }
    };
    let socket = with_timeout(&ws_url, Box::pin(DevToolsSocket::connect(&ws_url))).await?;
    let policy = ChromiumPolicy::new(&config.url_policy, proxy);
    let (connection, drive) = Connection::new(socket, Arc::new(policy.clone()), config.lease.clone());
    let mut drive: LocalBoxFuture<'static, ()> = Box::pin(drive);
    let attaches = process.is_some();
    let prepared = tokio::select! {
        () = &mut drive => Err(PageError::crashed()),
        prepared = prepare(&connection, attaches) => prepared,
    };
    prepared.map_err(|fault| not_connected(&ws_url, &fault))?;
    let profile_folder = profile.map(|name| profile_folders::profiles(&config.data_dir).join(name));
    Ok(StartedChromium {
        chromium: ChromiumConnection { connection, policy, attaches, profile_folder },
        process,
        drive,
    })
}

/// Returns the proxy for a Chromium that was already running; `None` if it runs on another machine, which
/// cannot reach a port of this one.
fn proxy_for_remote(config: &BrowserConfig, cdp_url: &str) -> Result<Option<Arc<Proxy>>, BrowserError> {
    let url = url::Url::parse(cdp_url).ok();
    let is_local = match url.as_ref().and_then(url::Url::host) {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    };
    if is_local {
        Proxy::start(config.url_policy.clone(), config.lease.clone()).map(Arc::new).map(Some)
    } else {
        Ok(None)
    }
}

/// Prepares the connection. In our own Chromium every new page pauses until it has been set up. In another
/// one that would stop other users' pages too, so each of our pages pauses its requests itself (`page::context`).
async fn prepare(connection: &Connection, attaches: bool) -> Result<(), PageError> {
    connection.browser().call(SetDiscoverTargetsParams::new(true)).await?;
    if attaches {
        let mut command = SetAutoAttachParams::new(true, true);
        command.flatten = Some(true);
        // Workers that belong to no page attach here; those of a page attach to it (`page::frames::sessions`).
        let entry = |kind: &str| FilterEntry { exclude: None, r#type: Some(kind.to_owned()) };
        let kinds = ["page", "shared_worker", "service_worker"];
        command.filter = Some(TargetFilter::new(Vec::from(kinds.map(entry))));
        connection.browser().call(command).await?;
        // Applies to everything that this Chromium loads, including frames and workers.
        connection.browser().call(interception::pause_requests_command(ServerCheck::ByProxy)).await?;
    }
    Ok(())
}

/// Returns the address of the DevTools socket, which `http://host:port` is queried for.
async fn address(url: &str) -> Result<String, BrowserError> {
    if url.starts_with("ws://") || url.starts_with("wss://") {
        return Ok(url.to_owned());
    }
    let connecting = Box::pin(chromiumoxide::Browser::connect(url));
    let (browser, _) = with_timeout(url, connecting).await?;
    Ok(browser.websocket_address().clone())
}

async fn with_timeout<T, E: std::error::Error>(
    url: &str,
    future: BoxFuture<'_, Result<T, E>>,
) -> Result<T, BrowserError> {
    match tokio::time::timeout(CONNECT_TIMEOUT, future).await {
        Ok(result) => result.map_err(|fault| not_connected(url, &fault)),
        Err(late) => Err(not_connected(url, &late)),
    }
}

fn not_connected(url: &str, reason: &dyn std::error::Error) -> BrowserError {
    BrowserError::NotConnected { url: url.to_owned(), reason: reason.to_string() }
}
