//! Path under which the shop is served.

/// Path prefix under which a visitor reached the shop, such as `/askfirst`. The server that mounts the shop
/// puts it into the extensions of a request.
#[derive(Clone, Debug)]
pub struct PathPrefix(pub String);
