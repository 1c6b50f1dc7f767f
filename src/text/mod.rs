//! Text in any language, without knowledge of the product.

pub mod truncate;
pub mod digit_shapes;
pub mod error_cause;
pub mod invisible_chars;
pub mod likeness;
pub mod prose;
pub mod secret_words;
pub mod value_text;
pub mod word_forms;
pub(crate) mod named_values;
pub(crate) mod tokenize;
