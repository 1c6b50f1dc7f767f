//! HTTP: routes, guard, errors.

/// Who may talk to the service: Host, Origin, token, limits, headers.
pub mod guard;
/// Errors as RFC 9457 problems.
pub mod problem;
