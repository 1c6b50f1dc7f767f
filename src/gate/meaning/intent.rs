//! Meanings of the names of buttons and links, in order of weight.

/// Meaning of a button's name. Of several meanings in one name, the first in this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Intent {
    DeleteAccount,
    Transfer,
    Pay,
    Order,
    Buy,
    Book,
    Subscribe,
    Unsubscribe,
    Delete,
    Password,
    Grant,
    Revoke,
    SignInWith,
    Register,
    SignIn,
    SignOut,
    Post,
    Send,
    Reply,
    Upload,
    Download,
    Mark,
    Save,
    Consent,
    Cart,
    Filter,
    Commit,
    View,
    Step,
    /// Mentions cookies.
    Cookie,
    /// Mentions programs to install.
    Program,
    /// A fixed phrase that only sounds like an effect ("Order history").
    Plain,
    /// Words that may precede a verb ("yes", "now").
    Filler,
}

impl Intent {
    const ALL: [(&'static str, Intent); 33] = [
        ("delete_account", Self::DeleteAccount),
        ("transfer", Self::Transfer),
        ("pay", Self::Pay),
        ("order", Self::Order),
        ("buy", Self::Buy),
        ("book", Self::Book),
        ("subscribe", Self::Subscribe),
        ("unsubscribe", Self::Unsubscribe),
        ("delete", Self::Delete),
        ("password", Self::Password),
        ("grant", Self::Grant),
        ("revoke", Self::Revoke),
        ("sign_in_with", Self::SignInWith),
        ("register", Self::Register),
        ("sign_in", Self::SignIn),
        ("sign_out", Self::SignOut),
        ("post", Self::Post),
        ("send", Self::Send),
        ("reply", Self::Reply),
        ("upload", Self::Upload),
        ("download", Self::Download),
        ("mark", Self::Mark),
        ("save", Self::Save),
        ("consent", Self::Consent),
        ("cart", Self::Cart),
        ("filter", Self::Filter),
        ("commit", Self::Commit),
        ("step", Self::Step),
        ("view", Self::View),
        ("cookie", Self::Cookie),
        ("program", Self::Program),
        ("plain", Self::Plain),
        ("filler", Self::Filler),
    ];

    /// True for a name that says no more than "do it", and so only answers the question around the button.
    pub(crate) fn is_vague(self) -> bool {
        matches!(self, Self::Commit | Self::Consent | Self::View | Self::Step | Self::Save | Self::Filter)
    }

    /// Returns the meaning with this name in `words.txt`.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, intent)| *intent)
    }
}
