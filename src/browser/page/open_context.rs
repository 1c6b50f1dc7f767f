//! Browser contexts of Chromium: an isolated one for each run tree, or the default context of a lasting
//! profile.

use crate::browser::cdp::connection::Connection;
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::process::connect::ChromiumConnection;
use chromiumoxide::cdp::browser_protocol::browser::{
    BrowserContextId, SetDownloadBehaviorBehavior, SetDownloadBehaviorParams,
};
use chromiumoxide::cdp::browser_protocol::target::{
    CloseTargetParams, CreateBrowserContextParams, CreateTargetParams, DisposeBrowserContextParams,
    GetTargetInfoParams, GetTargetsParams,
};

/// A context that no page context owns yet. Dropping it disposes of the context, unless it is kept.
#[derive(Debug)]
pub struct NewContext {
    connection: Connection,
    pub id: BrowserContextId,
    /// True if the context must be disposed of on drop.
    loose: bool,
}

impl NewContext {
    pub fn keep(mut self) -> BrowserContextId {
        self.loose = false;
        self.id.clone()
    }
}

impl Drop for NewContext {
    fn drop(&mut self) {
        if self.loose {
            self.connection.browser().post(DisposeBrowserContextParams::new(self.id.clone()));
        }
    }
}

/// Opens an empty context, or returns the default one of a lasting profile. Downloads are denied.
pub async fn open(chromium: &ChromiumConnection) -> Result<NewContext, PageError> {
    let (connection, is_lasting) = (&chromium.connection, chromium.profile_folder.is_some());
    let id = if is_lasting {
        open_default_context(connection).await?
    } else {
        create_isolated_context(chromium).await?
    };
    let opened = NewContext { connection: connection.clone(), id, loose: !is_lasting };
    let mut refuse = SetDownloadBehaviorParams::new(SetDownloadBehaviorBehavior::Deny);
    refuse.browser_context_id = Some(opened.id.clone()).filter(|_| !is_lasting);
    connection.browser().call(refuse).await?;
    Ok(opened)
}

async fn create_isolated_context(chromium: &ChromiumConnection) -> Result<BrowserContextId, PageError> {
    // A Chromium that we started got the proxy on its command line.
    let proxy = chromium.policy.proxy.as_ref().filter(|_| !chromium.attaches);
    let command = CreateBrowserContextParams {
        dispose_on_detach: Some(true),
        proxy_server: proxy.map(|proxy| proxy.address()),
        proxy_bypass_list: proxy.map(|_| String::from("<-loopback>")),
        ..Default::default()
    };
    Ok(chromium.connection.browser().call(command).await?.browser_context_id)
}

/// Returns the default context of the profile. CDP commands do not name it, so its id is read from a new page
/// of it. That page stays open, because Chromium ends with its last page; pages of an earlier user are
/// closed.
async fn open_default_context(connection: &Connection) -> Result<BrowserContextId, PageError> {
    let known = connection.browser().call(GetTargetsParams::default()).await?.target_infos;
    let fresh = connection.browser().call(CreateTargetParams::new("about:blank")).await?.target_id;
    let info = connection.browser().call(GetTargetInfoParams { target_id: Some(fresh) }).await?;
    for page in known.into_iter().filter(|target| target.r#type == "page") {
        connection.browser().post(CloseTargetParams::new(page.target_id));
    }
    let missing =
        || PageError::new(ErrorCode::BrowserFailed, "chromium does not name the context of its profile");
    info.target_info.browser_context_id.ok_or_else(missing)
}
