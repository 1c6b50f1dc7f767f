//! Contexts of Chromium, opened and closed: an isolated one for each run tree, or Chromium's own where
//! its profile lasts.

use super::fault::{Code, Fault};
use super::link::Link;
use chromiumoxide::cdp::browser_protocol::browser::{
    BrowserContextId, SetDownloadBehaviorBehavior, SetDownloadBehaviorParams,
};
use chromiumoxide::cdp::browser_protocol::target::{
    CloseTargetParams, CreateBrowserContextParams, CreateTargetParams, DisposeBrowserContextParams,
    GetTargetInfoParams, GetTargetsParams,
};

/// A context that no window has yet: it is gone with this, unless it is kept.
#[derive(Debug)]
pub struct Opened {
    link: Link,
    pub id: BrowserContextId,
    /// To be disposed of.
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

/// An empty context; or that of the profile, where it lasts.
pub async fn open(link: &Link, lasts: bool, ours: bool) -> Result<Opened, Fault> {
    let id = if lasts { of_profile(link).await? } else { isolated(link, ours).await? };
    let opened = Opened { link: link.clone(), id, loose: !lasts };
    let mut refuse = SetDownloadBehaviorParams::new(SetDownloadBehaviorBehavior::Deny);
    refuse.browser_context_id = Some(opened.id.clone()).filter(|_| !lasts);
    link.browser().call(refuse).await?;
    Ok(opened)
}

async fn isolated(link: &Link, ours: bool) -> Result<BrowserContextId, Fault> {
    // A Chromium of our own was told its way out at its start.
    let proxy = link.proxy.as_ref().filter(|_| !ours);
    let order = CreateBrowserContextParams {
        dispose_on_detach: Some(true),
        proxy_server: proxy.map(|proxy| proxy.address()),
        proxy_bypass_list: proxy.map(|_| String::from("<-loopback>")),
        ..Default::default()
    };
    Ok(link.browser().call(order).await?.browser_context_id)
}

/// Chromium's own context has no name in orders; it is known by a page of it. That page stays, as
/// Chromium would end with its last one; pages of an earlier user are closed.
async fn of_profile(link: &Link) -> Result<BrowserContextId, Fault> {
    let known = link.browser().call(GetTargetsParams::default()).await?.target_infos;
    let fresh = link.browser().call(CreateTargetParams::new("about:blank")).await?.target_id;
    let told = link.browser().call(GetTargetInfoParams { target_id: Some(fresh) }).await?;
    for page in known.into_iter().filter(|target| target.r#type == "page") {
        link.browser().post(CloseTargetParams::new(page.target_id));
    }
    let missing = || Fault::new(Code::BrowserFailed, "chromium does not name the context of its profile");
    told.target_info.browser_context_id.ok_or_else(missing)
}
