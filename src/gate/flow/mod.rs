//! Flow of texts between sites. A text that a run reads on one site, in a file, from a tool or an agent does
//! not go to another site unless the person is asked. Pure and synchronous.
//!
//! [`read_texts::ReadTexts`] remembers what a run tree has read, as hashes. [`explain::find_foreign_text`]
//! finds the part of a value that came from elsewhere: a number, a code, an address of mail, a name, or a run
//! of words, also below simple encodings, that neither the person's words nor the destination's own texts
//! explain. `addresses` judges the parts of addresses, `sent_pieces` texts that are sent in pieces,
//! `named_hosts` reads which sites a person's message names.

pub mod reading;
pub mod read_texts;
pub mod message_clauses;
pub mod named_hosts;
pub mod explain;
pub mod addresses;
pub mod sent_pieces;
pub mod run_sources;
pub mod crossing;
pub mod tree_texts;
