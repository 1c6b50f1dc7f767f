//! Operations of a GraphQL document: their kinds, names, top-level fields, and the values written in them.

use crate::page::request_body::body_value::{BodyValue, OperationKind, ValueKind};
use crate::page::request_body::graphql::lexer::{QueryToken, tokenize_query};
use std::collections::{HashMap, HashSet};

/// Deepest level of values and of selections.
const DEEPEST: usize = 64;
/// Most fragments that are followed.
const FRAGMENTS: usize = 500;

/// Operation of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenOperation {
    pub kind: OperationKind,
    pub name: String,
    pub fields: Vec<String>,
    /// Arguments of the top-level fields that are written in the document (`field.argument`).
    pub arguments: Vec<BodyValue>,
    /// Values that variables have if the request gives none.
    pub defaults: Vec<BodyValue>,
}

/// Operations of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryDocument {
    pub operations: Vec<WrittenOperation>,
    /// False if a part of the text is no GraphQL, or if the text ends too early.
    pub is_whole: bool,
}

/// Entry of a selection at the top level.
#[derive(Clone, Debug)]
enum Selected {
    Field { name: String, arguments: Vec<BodyValue> },
    Fragment(String),
}

struct Operation {
    kind: OperationKind,
    name: String,
    selected: Vec<Selected>,
    defaults: Vec<BodyValue>,
}

/// Reads a document; `None` if it has no operation.
pub fn read_document(text: &str) -> Option<QueryDocument> {
    let tokens = tokenize_query(text);
    let mut reader = Reader { tokens: tokens.tokens, at: 0, is_whole: tokens.is_whole };
    let (operations, fragments) = reader.read_definitions();
    let written = |operation: Operation| {
        let Operation { kind, name, selected, defaults } = operation;
        let mut written =
            WrittenOperation { kind, name, fields: Vec::new(), arguments: Vec::new(), defaults };
        collect_fields(&selected, &fragments, &mut HashSet::new(), &mut written);
        written
    };
    let operations: Vec<WrittenOperation> = operations.into_iter().map(written).collect();
    (!operations.is_empty()).then_some(QueryDocument { operations, is_whole: reader.is_whole })
}

/// Collects the fields of a selection, each fragment once.
fn collect_fields<'a>(
    selected: &'a [Selected],
    fragments: &'a HashMap<String, Vec<Selected>>,
    visited: &mut HashSet<&'a str>,
    written: &mut WrittenOperation,
) {
    for entry in selected {
        match entry {
            Selected::Field { name, arguments } => {
                written.fields.push(name.clone());
                written.arguments.extend(arguments.iter().cloned());
            }
            Selected::Fragment(name) => {
                let inside =
                    fragments.get(name).filter(|_| visited.len() < FRAGMENTS && visited.insert(name));
                if let Some(inside) = inside {
                    collect_fields(inside, fragments, visited, written);
                }
            }
        }
    }
}

struct Reader {
    tokens: Vec<QueryToken>,
    at: usize,
    is_whole: bool,
}

impl Reader {
    fn peek(&self) -> Option<&QueryToken> {
        self.tokens.get(self.at)
    }

    fn is_mark(&self, mark: char) -> bool {
        self.peek() == Some(&QueryToken::Mark(mark))
    }

    fn take_mark(&mut self, mark: char) -> bool {
        let is_there = self.is_mark(mark);
        self.at += usize::from(is_there);
        is_there
    }

    fn take_name(&mut self) -> Option<String> {
        let name = match self.peek()? {
            QueryToken::Name(name) => name.clone(),
            _ => return None,
        };
        self.at += 1;
        Some(name)
    }

    fn read_definitions(&mut self) -> (Vec<Operation>, HashMap<String, Vec<Selected>>) {
        let (mut operations, mut fragments) = (Vec::new(), HashMap::new());
        while self.at < self.tokens.len() {
            if self.is_mark('{') {
                let selected = self.read_selection(0);
                operations.push(Operation {
                    kind: OperationKind::Query,
                    name: String::new(),
                    selected,
                    defaults: Vec::new(),
                });
                continue;
            }
            match self.take_name().as_deref() {
                Some("query") => operations.extend(self.read_operation(OperationKind::Query)),
                Some("mutation") => operations.extend(self.read_operation(OperationKind::Mutation)),
                Some("subscription") => operations.extend(self.read_operation(OperationKind::Subscription)),
                Some("fragment") => {
                    let name = self.take_name().unwrap_or_default();
                    self.skip_to_selection();
                    fragments.insert(name, self.read_selection(0));
                }
                // A description may stand before a definition.
                Some(_) => self.is_whole = false,
                None => {
                    self.is_whole &= matches!(self.peek(), Some(QueryToken::Text(_)));
                    self.at += 1;
                }
            }
        }
        (operations, fragments)
    }

    /// Reads an operation after its keyword; `None` if no selection follows.
    fn read_operation(&mut self, kind: OperationKind) -> Option<Operation> {
        let name = self.take_name().unwrap_or_default();
        let mut defaults = Vec::new();
        if self.is_mark('(') {
            self.read_defaults(&mut defaults);
        }
        self.skip_to_selection();
        if !self.is_mark('{') {
            self.is_whole = false;
            return None;
        }
        let selected = self.read_selection(0);
        Some(Operation { kind, name, selected, defaults })
    }

    /// Reads the definitions of variables for the default values in them.
    fn read_defaults(&mut self, defaults: &mut Vec<BodyValue>) {
        self.at += 1;
        let mut variable = String::new();
        while self.at < self.tokens.len() && !self.take_mark(')') {
            if self.take_mark('$') {
                variable = self.take_name().unwrap_or_default();
            } else if self.take_mark('=') {
                self.read_value(&variable, defaults, 0);
            } else if self.take_mark('@') {
                self.take_name();
                if self.is_mark('(') {
                    self.skip_balanced();
                }
            } else {
                self.at += 1;
            }
        }
    }

    /// Skips directives, type conditions and whatever else stands before a selection.
    fn skip_to_selection(&mut self) {
        while self.at < self.tokens.len() && !self.is_mark('{') {
            if self.is_mark('(') || self.is_mark('[') {
                self.skip_balanced();
            } else {
                self.at += 1;
            }
        }
    }

    /// Skips a bracket and everything up to the one that closes it.
    fn skip_balanced(&mut self) {
        let mut depth = 0_usize;
        while let Some(token) = self.peek() {
            match token {
                QueryToken::Mark('{' | '(' | '[') => depth += 1,
                QueryToken::Mark('}' | ')' | ']') => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
        self.is_whole = false;
    }

    /// Reads a selection at the top level of an operation or fragment.
    fn read_selection(&mut self, depth: usize) -> Vec<Selected> {
        let mut selected = Vec::new();
        if !self.take_mark('{') {
            self.is_whole = false;
            return selected;
        }
        while self.at < self.tokens.len() {
            if self.take_mark('}') {
                return selected;
            }
            if self.peek() == Some(&QueryToken::Spread) {
                self.at += 1;
                self.read_spread(&mut selected, depth);
            } else if let Some(name) = self.take_name() {
                selected.push(self.read_field(name));
            } else {
                self.is_whole = false;
                self.at += 1;
            }
        }
        self.is_whole = false;
        selected
    }

    fn read_spread(&mut self, selected: &mut Vec<Selected>, depth: usize) {
        match self.take_name() {
            Some(name) if name != "on" => {
                selected.push(Selected::Fragment(name));
                self.skip_directives();
                return;
            }
            Some(_) => {
                self.take_name();
            }
            None => {}
        }
        self.skip_directives();
        if depth < DEEPEST {
            selected.extend(self.read_selection(depth + 1));
        } else {
            self.is_whole = false;
            self.skip_balanced();
        }
    }

    fn read_field(&mut self, first: String) -> Selected {
        let name = if self.take_mark(':') { self.take_name().unwrap_or_default() } else { first };
        let mut arguments = Vec::new();
        if self.take_mark('(') {
            while self.at < self.tokens.len() && !self.take_mark(')') {
                match self.take_name() {
                    Some(argument) if self.take_mark(':') => {
                        self.read_value(&format!("{name}.{argument}"), &mut arguments, 0);
                    }
                    Some(_) => {}
                    None => self.at += 1,
                }
            }
        }
        self.skip_directives();
        if self.is_mark('{') {
            self.skip_balanced();
        }
        Selected::Field { name, arguments }
    }

    fn skip_directives(&mut self) {
        while self.take_mark('@') {
            self.take_name();
            if self.is_mark('(') {
                self.skip_balanced();
            }
        }
    }

    /// Reads a value; variables are left out, because the request gives theirs apart.
    fn read_value(&mut self, path: &str, values: &mut Vec<BodyValue>, depth: usize) {
        let Some(token) = self.peek().cloned() else { return };
        if depth > DEEPEST && matches!(token, QueryToken::Mark('{' | '[')) {
            self.skip_balanced();
            return;
        }
        self.at += 1;
        let (value, kind) = match token {
            QueryToken::Mark('$') => {
                self.take_name();
                return;
            }
            QueryToken::Mark('[') => return self.read_list(path, values, depth),
            QueryToken::Mark('{') => return self.read_object(path, values, depth),
            QueryToken::Text(text) => (text, ValueKind::Text),
            QueryToken::Number(text) => (text, ValueKind::Number),
            QueryToken::Name(name) if name == "null" => (name, ValueKind::Null),
            QueryToken::Name(name) if name == "true" || name == "false" => (name, ValueKind::Flag),
            QueryToken::Name(name) => (name, ValueKind::Text),
            QueryToken::Spread | QueryToken::Mark(_) => return,
        };
        values.push(BodyValue { name: path.to_owned(), value, kind });
    }

    fn read_list(&mut self, path: &str, values: &mut Vec<BodyValue>, depth: usize) {
        let mut index = 0;
        while self.at < self.tokens.len() && !self.take_mark(']') {
            self.read_value(&format!("{path}[{index}]"), values, depth + 1);
            index += 1;
        }
    }

    fn read_object(&mut self, path: &str, values: &mut Vec<BodyValue>, depth: usize) {
        while self.at < self.tokens.len() && !self.take_mark('}') {
            match self.take_name() {
                Some(name) if self.take_mark(':') => {
                    self.read_value(&format!("{path}.{name}"), values, depth + 1)
                }
                Some(_) => {}
                None => self.at += 1,
            }
        }
    }
}
