//! Rules that name why a kind of requests is harmless, as the policy file has them under `wire:`. Pure data.

use crate::gate::verdict::Texts;
use serde::Deserialize;

/// Reason why a kind of requests is harmless.
#[derive(Clone, Debug, PartialEq)]
pub struct HarmlessRule {
    pub id: String,
    pub when: HarmlessConditions,
    pub reason: Texts,
}

/// Conditions on a request; all that are given must hold. A request that states a grave effect matches only if `despite`
/// lists the word, and one with a password or a payment card never.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HarmlessConditions {
    /// Words of which one is in the path, the GraphQL operation or the called method.
    pub words: Vec<String>,
    /// An operation or collection is called by one of these words, not only a file or record.
    pub operation: Vec<String>,
    /// The last of the words is one of these.
    pub last_word: Vec<String>,
    /// The last part of the path is one of these, and no id follows.
    pub last_part: Vec<String>,
    /// All words of the operation are among these, and there is one at least.
    pub called: Vec<String>,
    /// Called methods, or else the last part of the path, begin with one of these ("ListOrders", "posts.get").
    pub verb: Vec<String>,
    /// The last part of the path begins or ends with one of these words ("search-datasets"), and joins no second deed.
    pub named_read: Vec<String>,
    /// All values have names among these.
    pub names: Vec<String>,
    /// At least one value has a name among these.
    pub some_names: Vec<String>,
    /// No value has a name among these.
    pub no_names: Vec<String>,
    /// No value is one of these.
    pub no_values: Vec<String>,
    /// All values are of the view alone by their names.
    pub view_state: Option<bool>,
    /// The body says what it asks of the server, and all of it only reads: GraphQL queries, SQL, batches of GET.
    pub reads: Option<bool>,
    pub telemetry: Option<bool>,
    /// It goes to the page's own site.
    pub own_site: Option<bool>,
    /// It carries text that the agent typed.
    pub typed: Option<bool>,
    /// In lower case. A rule covers PUT, PATCH, DELETE and messages of sockets only if it names them.
    pub method: Vec<String>,
    /// Most values that it may carry, and fewest.
    pub most_values: Option<usize>,
    pub least_values: Option<usize>,
    /// The body may be one that cannot be read as values.
    pub unreadable: Option<bool>,
    /// Grave words and meanings of the pressed control that this rule knows to be harmless here.
    pub despite: Vec<String>,
    /// Meanings of the pressed control alone that this rule knows to be harmless here.
    pub despite_control: Vec<String>,
    /// It deletes a thing that the page has stored itself.
    pub stored_before: Option<bool>,
    /// The values say that it reads, so that the meaning of the pressed control does not count: a list is often read
    /// again after a deletion.
    pub any_control: bool,
    /// No value is true: everything optional is refused.
    pub all_refused: Option<bool>,
}

impl HarmlessConditions {
    /// Returns the lists of words and names, to bring them to lower case.
    pub(crate) fn lists_mut(&mut self) -> [&mut Vec<String>; 14] {
        let Self { words, operation, last_word, called, verb, names, some_names, no_names, .. } = self;
        let Self { named_read, last_part, no_values, method, despite, despite_control, .. } = self;
        [
            words,
            operation,
            last_word,
            last_part,
            called,
            verb,
            named_read,
            names,
            some_names,
            no_names,
            no_values,
            method,
            despite,
            despite_control,
        ]
    }
}
