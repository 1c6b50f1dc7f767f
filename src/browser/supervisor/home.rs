//! Where a browser lives.

/// Which Chromium a browser lives in.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Home {
    #[default]
    Shared,
    /// A profile that lasts, by its name.
    Profile(String),
}

impl Home {
    pub fn of(profile: Option<String>) -> Self {
        profile.map_or(Self::Shared, Self::Profile)
    }

    pub fn profile(&self) -> Option<&str> {
        match self {
            Self::Shared => None,
            Self::Profile(name) => Some(name),
        }
    }

    /// As it is called from outside.
    pub fn id(&self) -> String {
        match self {
            Self::Shared => String::from("shared"),
            Self::Profile(name) => format!("profile-{name}"),
        }
    }
}
