//! The connection to a model: from the settings, or set on the page and stored in the data folder. A change
//! applies to every run that starts or resumes after it; an active run keeps its model.

pub mod digit_picture;
pub mod model_list;
pub(crate) mod stored_connection;
pub mod probe;
pub(crate) mod key_encryption;

use crate::config;
use crate::config::Structured;
use crate::config::secret::Secret;
use crate::model::Planner;
use crate::model::connection::stored_connection::{StoredConnection, StoredKey};
use crate::model::endpoint::OPENAI;
use crate::model::endpoint::error::SetupError;
use crate::model::writer::Writer;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// Longest name of a model, in characters.
const LONGEST_NAME: usize = 200;
/// Bytes of an address.
const LONGEST_ADDRESS: usize = 2_000;
/// The longest key, in characters.
const LONGEST_KEY: usize = 8 * 1024;

/// Origin of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The settings: a file or environment variables.
    File,
    Page,
}

/// State of the key, without the key itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum KeyState {
    Set,
    None,
    /// Read from an environment variable.
    Env,
}

/// A consistent state of the connection.
#[derive(Debug)]
pub struct ConnectionState {
    pub planner: Planner,
    /// `None` if no model is connected.
    pub writer: Option<Arc<Writer>>,
    pub settings: config::Model,
    pub source: Source,
    pub key: KeyState,
    /// The environment variable for the key that was named on the page.
    pub key_env: Option<String>,
}

/// A connection to set.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectionChange {
    pub base_url: String,
    pub model: String,
    pub key: KeyChange,
    /// `None` keeps the mode of the settings.
    pub structured: Option<Structured>,
}

/// Change of the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyChange {
    /// Keeps the key if the address stays the same.
    Keep,
    Remove,
    Set(Secret),
    /// Name of the environment variable with the key.
    Env(String),
}

/// Reason why a connection cannot be set.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    #[error("{0}")]
    Bad(String),
    #[error("the connection cannot be kept in the data folder: {0}")]
    Disk(#[from] std::io::Error),
}

/// The connection of a service. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ModelConnection(Arc<SharedConnection>);

#[derive(Debug)]
struct SharedConnection {
    now: watch::Sender<Arc<ConnectionState>>,
    /// The model of the settings.
    settings: config::Model,
    data_dir: PathBuf,
    /// Held during a change, so that file and state stay consistent.
    changing: Mutex<()>,
}

impl ModelConnection {
    /// Opens the stored connection; one that was set on the page takes precedence over the settings.
    pub fn open(settings: &config::Model, data_dir: &Path) -> Result<Self, SetupError> {
        let connected = match stored_connection::read(data_dir) {
            Some(saved) => match from_page(settings, data_dir, &saved) {
                Ok(connected) => connected,
                Err(fault) => {
                    tracing::warn!(%fault, "the model that the page has set cannot be used; the settings' is");
                    from_settings(settings)?
                }
            },
            None => from_settings(settings)?,
        };
        let (now, _) = watch::channel(Arc::new(connected));
        let (settings, data_dir) = (settings.clone(), data_dir.to_owned());
        Ok(Self(Arc::new(SharedConnection { now, settings, data_dir, changing: Mutex::new(()) })))
    }

    /// Returns the current state; it stays unchanged while it is held.
    pub fn current(&self) -> Arc<ConnectionState> {
        self.0.now.borrow().clone()
    }

    /// Connects a model from now on and stores the connection. Blocks on files.
    pub fn connect(&self, wish: ConnectionChange) -> Result<(), ConnectionError> {
        let _one_at_a_time = self.0.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let saved = self.check_change(&wish)?;
        let connected = from_page(&self.0.settings, &self.0.data_dir, &saved)
            .map_err(|fault| ConnectionError::Bad(fault.to_string()))?;
        stored_connection::write(&self.0.data_dir, &saved)?;
        self.0.now.send_replace(Arc::new(connected));
        tracing::info!(base_url = saved.base_url, model = saved.model, "a model was connected in the page");
        Ok(())
    }

    /// Returns to the model of the settings.
    pub fn disconnect(&self) -> Result<(), ConnectionError> {
        let _one_at_a_time = self.0.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let connected =
            from_settings(&self.0.settings).map_err(|fault| ConnectionError::Bad(fault.to_string()))?;
        stored_connection::remove(&self.0.data_dir)?;
        self.0.now.send_replace(Arc::new(connected));
        tracing::info!("the model of the page was removed");
        Ok(())
    }

    /// Returns the settings for a wish without storing anything, for a trial.
    pub fn trial_settings(&self, wish: &ConnectionChange) -> Result<config::Model, ConnectionError> {
        let base = checked_address(&wish.base_url)?;
        checked_model(&wish.model)?;
        let api_key = match &wish.key {
            KeyChange::Keep => self.key_for(&base),
            KeyChange::Remove => None,
            KeyChange::Set(key) => Some(checked_key(key)?),
            KeyChange::Env(name) => Some(key_of_variable(name)?),
        };
        Ok(model_at(&self.0.settings, &base, &wish.model, api_key, wish.structured))
    }

    /// Returns the current key if it belongs to this address.
    fn key_for(&self, base: &str) -> Option<Secret> {
        let now = self.current();
        let same = address(&now.settings).is_some_and(|known| known == base);
        now.settings.api_key.clone().filter(|_| same)
    }

    fn check_change(&self, wish: &ConnectionChange) -> Result<StoredConnection, ConnectionError> {
        let base_url = checked_address(&wish.base_url)?;
        let model = checked_model(&wish.model)?;
        let key = match &wish.key {
            KeyChange::Keep => self.kept_key(&base_url),
            KeyChange::Remove => StoredKey::None,
            KeyChange::Set(key) => {
                StoredKey::Sealed(key_encryption::seal(&self.0.data_dir, &base_url, &checked_key(key)?)?)
            }
            KeyChange::Env(name) => {
                key_of_variable(name)?;
                StoredKey::Env(name.clone())
            }
        };
        Ok(StoredConnection { base_url, model, key, structured: wish.structured })
    }

    /// Returns the stored key if it belongs to this address.
    fn kept_key(&self, base: &str) -> StoredKey {
        match stored_connection::read(&self.0.data_dir) {
            Some(saved) if saved.base_url == base => saved.key,
            None if address(&self.0.settings).is_some_and(|known| known == base) => StoredKey::Settings,
            Some(_) | None => StoredKey::None,
        }
    }
}

impl ConnectionState {
    /// Returns the address of the endpoint; `None` if no model is connected.
    pub fn base_url(&self) -> Option<String> {
        address(&self.settings)
    }
}

/// Returns the settings with the connection stored in the data folder, for commands outside the service.
pub fn effective(settings: &config::Model, data_dir: &Path) -> config::Model {
    let page = stored_connection::read(data_dir).and_then(|saved| from_page(settings, data_dir, &saved).ok());
    page.map_or_else(|| settings.clone(), |connected| connected.settings)
}

fn from_settings(settings: &config::Model) -> Result<ConnectionState, SetupError> {
    let key = match (&settings.api_key, settings.key_from_env) {
        (None, _) => KeyState::None,
        (Some(_), true) => KeyState::Env,
        (Some(_), false) => KeyState::Set,
    };
    build_connected(settings.clone(), Source::File, key, None)
}

fn from_page(
    settings: &config::Model,
    data_dir: &Path,
    saved: &StoredConnection,
) -> Result<ConnectionState, SetupError> {
    let (key, state, env) = match &saved.key {
        StoredKey::None => (None, KeyState::None, None),
        StoredKey::Sealed(sealed) => match key_encryption::open(data_dir, &saved.base_url, sealed) {
            Some(key) => (Some(key), KeyState::Set, None),
            None => {
                tracing::warn!("the model's key cannot be opened; set it again in the page");
                (None, KeyState::None, None)
            }
        },
        StoredKey::Env(name) => {
            let key = config::secret::secret_variable(name);
            let state = if key.is_some() { KeyState::Env } else { KeyState::None };
            (key, state, Some(name.clone()))
        }
        StoredKey::Settings => {
            let here = address(settings).is_some_and(|known| known == saved.base_url);
            let key = settings.api_key.clone().filter(|_| here);
            let state = match (&key, settings.key_from_env) {
                (None, _) => KeyState::None,
                (Some(_), true) => KeyState::Env,
                (Some(_), false) => KeyState::Set,
            };
            (key, state, None)
        }
    };
    let model = model_at(settings, &saved.base_url, &saved.model, key, saved.structured);
    build_connected(model, Source::Page, state, env)
}

fn build_connected(
    settings: config::Model,
    source: Source,
    key: KeyState,
    key_env: Option<String>,
) -> Result<ConnectionState, SetupError> {
    let planner = Planner::new(&settings)?;
    let writer = settings.configured().then(|| Writer::new(&settings).map(Arc::new)).transpose()?;
    Ok(ConnectionState { planner, writer, settings, source, key, key_env })
}

/// Returns the settings for a model at an address. Models for other roles are kept only for the settings' own
/// address, where they exist.
fn model_at(
    settings: &config::Model,
    base: &str,
    model: &str,
    api_key: Option<Secret>,
    structured: Option<Structured>,
) -> config::Model {
    let mut at = config::Model {
        base_url: Some(base.to_owned()),
        planner: Some(model.to_owned()),
        api_key,
        structured: structured.unwrap_or(settings.structured),
        ..settings.clone()
    };
    if address(settings).is_none_or(|known| known != base) {
        (at.summarizer, at.judge, at.vision, at.fallback) = (None, None, None, None);
    }
    at
}

fn address(settings: &config::Model) -> Option<String> {
    let base = settings.base_url.as_deref().unwrap_or(OPENAI);
    settings.configured().then(|| base.trim_end_matches('/').to_owned())
}

/// Checks an address and removes its trailing slash.
fn checked_address(input: &str) -> Result<String, ConnectionError> {
    let bad = |why: &str| Err(ConnectionError::Bad(format!("the address {why}")));
    let input = input.trim().trim_end_matches('/');
    if input.len() > LONGEST_ADDRESS {
        return bad("is too long");
    }
    let Ok(url) = url::Url::parse(input) else {
        return bad("has no http:// or https://; give it as http://127.0.0.1:11434/v1");
    };
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return bad("must begin with http:// or https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return bad("must hold no user name or password; give the key as `key`");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return bad("must end with its path, mostly /v1, without ? and #");
    }
    Ok(input.to_owned())
}

fn checked_model(input: &str) -> Result<String, ConnectionError> {
    let input = input.trim();
    if input.is_empty() {
        return Err(ConnectionError::Bad(String::from(
            "`model` is empty; name a model that the endpoint has",
        )));
    }
    if input.chars().count() > LONGEST_NAME || input.chars().any(char::is_control) {
        return Err(ConnectionError::Bad(String::from("`model` is not the name of a model")));
    }
    Ok(input.to_owned())
}

fn checked_key(key: &Secret) -> Result<Secret, ConnectionError> {
    let input = key.expose().trim();
    if input.is_empty() || input.len() > LONGEST_KEY || !input.chars().all(|c| c.is_ascii_graphic()) {
        let why = "`key` holds characters that no key has; copy it again, without spaces and line breaks";
        return Err(ConnectionError::Bad(String::from(why)));
    }
    Ok(Secret::new(input))
}

/// Returns the key from an environment variable. The name is restricted, so that no other secret of the
/// environment is sent to an endpoint.
fn key_of_variable(name: &str) -> Result<Secret, ConnectionError> {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !plain || !(name.ends_with("API_KEY") || name.ends_with("API_TOKEN")) {
        let why = "`key_env` must be the name of a variable that ends with API_KEY or API_TOKEN";
        return Err(ConnectionError::Bad(String::from(why)));
    }
    let Some(key) = config::secret::secret_variable(name) else {
        let why = format!("the variable {name} is not set where the service runs; set it and start anew");
        return Err(ConnectionError::Bad(why));
    };
    checked_key(&key)
}
