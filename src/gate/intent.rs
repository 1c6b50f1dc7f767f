//! What names of buttons and links say that they do, in order of weight.

/// What a button says that it does. In order of weight: of several in one name, the first counts.
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
    /// Speaks of cookies.
    Cookie,
    /// Speaks of programs to install.
    Program,
    /// A fixed phrase that only sounds like an effect ("Order history").
    Plain,
    /// Words that may stand before a verb ("yes", "now").
    Filler,
}

impl Intent {
    const ALL: [(&'static str, Intent); 32] = [
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

    /// As `words.txt` calls it.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, intent)| *intent)
    }
}
