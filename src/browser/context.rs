//! Browser contexts of Chromium: an isolated one for each run tree, or the default context of a lasting
//! profile.

use super::fault::{Code, PageError};
use super::link::Link;
use chromiumoxide::cdp::browser_protocol::browser::{
    BrowserContextId, SetDownloadBehaviorBehavior, SetDownloadBehaviorParams,
};
use chromiumoxide::cdp::browser_protocol::target::{
    CloseTargetParams, CreateBrowserContextParams, CreateTargetParams, DisposeBrowserContextParams,
    GetTargetInfoParams, GetTargetsParams,
};

/// A context that no page context owns yet. Dropping it disposes of the context, unless it is kept.
#[derive(Debug)]
pub struct Opened {
    link: Link,
    pub id: BrowserContextId,
    /// True if the context must be disposed of on drop.
    loose: bool,
}

impl Opened {
    pub fn keep(mut self) -> BrowserContextId {
        self.loose = false;
        self.id.clone()
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if self.loose {
            self.link.browser().post(DisposeBrowserContextParams::new(self.id.clone()));
        }
    }
}

/// Opens an empty context, or returns the default one of a lasting profile. Downloads are denied.
pub async fn open(link: &Link, lasts: bool, ours: bool) -> Result<Opened, PageError> {
    let id = if lasts { of_profile(link).await? } else { isolated(link, ours).await? };
    let opened = Opened { link: link.clone(), id, loose: !lasts };
    let mut refuse = SetDownloadBehaviorParams::new(SetDownloadBehaviorBehavior::Deny);
    refuse.browser_context_id = Some(opened.id.clone()).filter(|_| !lasts);
    link.browser().call(refuse).await?;
    Ok(opened)
}

async fn isolated(link: &Link, ours: bool) -> Result<BrowserContextId, PageError> {
    // A Chromium that we started got the proxy on its command line.
    let proxy = link.proxy.as_ref().filter(|_| !ours);
    let order = CreateBrowserContextParams {
        dispose_on_detach: Some(true),
        proxy_server: proxy.map(|proxy| proxy.address()),
        proxy_bypass_list: proxy.map(|_| String::from("<-loopback>")),
        ..Default::default()
    };
    Ok(link.browser().call(order).await?.browser_context_id)
}

/// Returns the default context of the profile. CDP commands do not name it, so its id is read from a new page
/// of it. That page stays open, because Chromium ends with its last page; pages of an earlier user are
/// closed.
async fn of_profile(link: &Link) -> Result<BrowserContextId, PageError> {
    let known = link.browser().call(GetTargetsParams::default()).await?.target_infos;
    let fresh = link.browser().call(CreateTargetParams::new("about:blank")).await?.target_id;
    let told = link.browser().call(GetTargetInfoParams { target_id: Some(fresh) }).await?;
    for page in known.into_iter().filter(|target| target.r#type == "page") {
        link.browser().post(CloseTargetParams::new(page.target_id));
    }
    let missing = || PageError::new(Code::BrowserFailed, "chromium does not name the context of its profile");
    told.target_info.browser_context_id.ok_or_else(missing)
}
