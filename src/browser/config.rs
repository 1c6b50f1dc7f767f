//! Configuration of browsers and limits of the pool.

use crate::browser::network::url_policy::UrlPolicy;
use crate::files::FileStore;
use crate::secrets::named_secrets::NamedSecrets;
use crate::store::tree_leases::deadline::LeaseDeadline;
use std::path::PathBuf;
use std::time::Duration;

/// Settings of `[browser]`, and the folders of profiles.
#[derive(Clone, Debug)]
pub struct BrowserConfig {
    /// Path of the executable; `None` searches the machine.
    pub executable: Option<PathBuf>,
    pub headless: bool,
    /// Address of a Chromium that runs elsewhere, `http://host:port` or `ws://…`.
    pub cdp_url: Option<String>,
    pub viewport: (u32, u32),
    /// Time for which a context is kept after its run has ended.
    pub linger: Duration,
    pub load_timeout: Duration,
    /// Maximum number of tokens in the text of one observation.
    pub page_tokens: usize,
    /// Languages for `Accept-Language`, best first, as in "uk-UA,uk,en"; `None` keeps Chromium's own.
    pub languages: Option<&'static str>,
    pub limits: PoolLimits,
    /// URL policy: addresses that no page may request.
    pub url_policy: UrlPolicy,
    /// Named secrets that may be typed.
    pub keys: NamedSecrets,
    /// Files that runs were given or have downloaded.
    pub files: FileStore,
    /// Parent of `browser/`, for temporary profiles, and `profiles/`, for lasting ones.
    pub data_dir: PathBuf,
    /// Deadline after which no command is sent to a page.
    pub lease: LeaseDeadline,
}

/// Limits of `[browser]`.
#[derive(Clone, Debug)]
pub struct PoolLimits {
    /// Number of runs that may work in a browser at once (slots).
    pub slots: usize,
    /// Megabytes that one Chromium with all its processes may use.
    pub memory_mb: Option<u64>,
    pub age: Option<Duration>,
    /// Time after which an unneeded browser is closed.
    pub idle: Option<Duration>,
    /// Interval between checks of memory and age.
    pub tick: Duration,
    /// Time for which a new Chromium is not checked: one that needs more than the limit would otherwise be
    /// replaced endlessly.
    pub rest: Duration,
}

impl Default for PoolLimits {
    fn default() -> Self {
        Self {
            slots: 4,
            memory_mb: None,
            age: None,
            idle: None,
            tick: Duration::from_secs(10),
            rest: Duration::from_secs(60),
        }
    }
}
