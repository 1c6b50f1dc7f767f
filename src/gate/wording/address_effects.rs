//! Effects that addresses state. Placeholder until the table of words arrives.

use crate::gate::meaning::intent::Intent;
use crate::gate::wording::paths;
use url::Url;

/// Returns the effect that fetching the address has, as its words say.
pub(crate) fn address_effect(url: &Url) -> Option<Intent> {
    let last = url.path_segments()?.filter(|part| !part.is_empty()).next_back()?.to_ascii_lowercase();
    paths::segment_intent(&last)
        .filter(|intent| matches!(intent, Intent::Delete | Intent::SignOut | Intent::Unsubscribe))
}

/// True if fetching the address may do something, as its words say.
pub fn is_effectful_address(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| address_effect(&url).is_some())
}

/// True for an endpoint that counts visits or reports errors.
pub(crate) fn is_telemetry(url: &Url) -> bool {
    let path = url.path();
    ["/collect", "/beacon", "/rum", "/analytics", "/telemetry"].iter().any(|part| path.contains(part))
}
