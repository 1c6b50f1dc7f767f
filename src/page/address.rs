//! Parts of addresses of pages that identify a page.

/// Returns the address without its fragment, which names a place on the same page.
pub fn without_fragment(address: &str) -> &str {
    address.split('#').next().unwrap_or_default()
}

/// Returns the address without query and fragment, whose changes mostly do not make another page.
pub fn without_query(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or_default()
}
