//! Writes an observation as the page text of PROTOCOL section 3.
