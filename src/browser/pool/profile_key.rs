//! Profile key of a browser: the Chromium instance that it uses.

/// Chromium instance that a browser uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProfileKey {
    #[default]
    Shared,
    /// Name of a lasting profile.
    Profile(String),
}

impl ProfileKey {
    pub fn from_profile(profile: Option<String>) -> Self {
        profile.map_or(Self::Shared, Self::Profile)
    }

    pub fn profile(&self) -> Option<&str> {
        match self {
            Self::Shared => None,
            Self::Profile(name) => Some(name),
        }
    }

    /// Returns the id used in the API.
    pub fn id(&self) -> String {
        match self {
            Self::Shared => String::from("shared"),
            Self::Profile(name) => format!("profile-{name}"),
        }
    }
}
