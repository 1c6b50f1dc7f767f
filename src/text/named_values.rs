//! Enums whose values have names: the list of the values and their names come from one declaration.

/// Declares an enum with the list `ALL` of its values and a name for each.
macro_rules! named_values {
    ($(#[$attribute:meta])* pub enum $name:ident {
        $($(#[$doc:meta])* $value:ident = $word:expr),+ $(,)?
    }) => {
        $(#[$attribute])*
        pub enum $name { $($(#[$doc])* $value),+ }

        impl $name {
            /// All values, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];

            /// Returns the name of the value, as it is stored, sent and logged.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$value => $word),+ }
            }
        }
    };
}

pub(crate) use named_values;
