//! Declarations of outcomes, from which a graph derives the list of its edges.

/// Declares the outcomes of a node. Stored steps, traces and diagrams name them as they stand here, or by the
/// word given with `=`.
macro_rules! outcomes {
    (pub enum Outcome { $($(#[$doc:meta])* $value:ident $(= $word:literal)?),+ $(,)? }) => {
        $crate::text::named_values::named_values! {
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum Outcome {
                $($(#[$doc])* $value = $crate::programs::outcome::outcome_word!($value $(, $word)?)),+
            }
        }
    };
}

/// Name of an outcome: the word given for it, or else its identifier.
macro_rules! outcome_word {
    ($value:ident) => {
        stringify!($value)
    };
    ($value:ident, $word:literal) => {
        $word
    };
}

/// Declares the outcome of a graph: the outcome of one of its nodes, tagged with the node.
macro_rules! graph_outcomes {
    ($(#[$doc:meta])* pub enum $outcome:ident { $($tag:ident($node:ident)),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $outcome { $($tag($node::Outcome)),+ }

        impl $outcome {
            /// Returns all outcomes, so that the diagram and a test can enumerate the edges.
            pub fn all() -> Vec<Self> {
                let mut all = Vec::new();
                $(all.extend($node::Outcome::ALL.iter().copied().map(Self::$tag));)+
                all
            }

            /// Returns the name of the outcome in traces.
            pub fn word(self) -> &'static str {
                match self { $(Self::$tag(outcome) => outcome.word()),+ }
            }
        }
    };
}

pub(crate) use {graph_outcomes, outcome_word, outcomes};
