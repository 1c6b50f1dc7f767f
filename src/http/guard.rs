//! Who may talk to the service.
