//! Templates of agent files (C9): minijinja, strict about unknown names, without input or output.
//! `${{ x }}` is read as `{{ x }}`. A text that is one whole expression keeps the type of its value.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, Error, UndefinedBehavior};
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// Instructions that one template may take: enough for any text, and soon over for a loop that does not end.
const FUEL: u64 = 1_000_000;

/// Why a template gives no value; said to its author.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct TemplateError {
    words: String,
    /// Of the template, from 1.
    pub line: Option<usize>,
}

impl TemplateError {
    fn new(words: String) -> Self {
        Self { words, line: None }
    }
}

/// A template's text.
pub fn text(template: &str, context: &Map<String, Value>) -> Result<String, TemplateError> {
    engine().render_str(&plain(template), Serde(context)).map_err(told)
}

/// A template's value: that of the expression if it is one, else its text.
pub fn value(template: &str, context: &Map<String, Value>) -> Result<Value, TemplateError> {
    let template = plain(template);
    let Some(expression) = whole(&template).filter(|code| engine().compile_expression(code).is_ok()) else {
        return text(&template, context).map(Value::String);
    };
    let found = engine().compile_expression(expression).and_then(|code| code.eval(Serde(context)));
    let found = found.map_err(told)?;
    if found.is_undefined() {
        return Err(TemplateError::new(format!("`{}` is not defined", expression.trim())));
    }
    serde_json::to_value(&found).map_err(|fault| TemplateError::new(fault.to_string()))
}

/// The same value with every text in it filled in.
pub fn filled(value: &Value, context: &Map<String, Value>) -> Result<Value, TemplateError> {
    match value {
        Value::String(template) => self::value(template, context),
        Value::Array(values) => values.iter().map(|value| filled(value, context)).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| Ok((name.clone(), filled(value, context)?))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(value.clone()),
    }
}

/// Whether an expression is true; one that is neither true nor false is an error.
pub fn holds(expression: &str, context: &Map<String, Value>) -> Result<bool, TemplateError> {
    let expression = plain(expression);
    let code = whole(&expression).unwrap_or(&expression);
    let found = engine().compile_expression(code).and_then(|code| code.eval(Serde(context)));
    let found = found.map_err(told)?;
    bool::try_from(found.clone())
        .map_err(|_| TemplateError::new(format!("`{}` is {found}, neither true nor false", code.trim())))
}

/// Whether it can be read at all.
pub fn check(template: &str) -> Result<(), TemplateError> {
    engine().template_from_str(&plain(template)).map(drop).map_err(told)
}

/// Whether an expression can be read at all.
pub fn check_expression(expression: &str) -> Result<(), TemplateError> {
    let expression = plain(expression);
    let code = whole(&expression).unwrap_or(&expression);
    engine().compile_expression(code).map(drop).map_err(told)
}

/// The variables that a template asks for.
pub fn names(template: &str) -> Vec<String> {
    let template = plain(template);
    let asked = engine().template_from_str(&template).map(|code| code.undeclared_variables(false));
    sorted(asked.unwrap_or_default())
}

/// The variables that an expression asks for.
pub fn names_of_expression(expression: &str) -> Vec<String> {
    let expression = plain(expression);
    let code = whole(&expression).unwrap_or(&expression);
    let asked = engine().compile_expression(code).map(|code| code.undeclared_variables(false));
    sorted(asked.unwrap_or_default())
}

/// Whether the engine itself has something of that name: `range`, `dict`.
pub fn is_built_in(name: &str) -> bool {
    engine().globals().any(|(global, _)| global == name)
}

fn sorted(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().collect();
    names.sort();
    names
}

fn engine() -> &'static Environment<'static> {
    static ENGINE: LazyLock<Environment<'static>> = LazyLock::new(|| {
        let mut engine = Environment::new();
        engine.set_undefined_behavior(UndefinedBehavior::Strict);
        engine.set_fuel(Some(FUEL));
        // The last line's end is the author's own.
        if let Ok(syntax) = SyntaxConfig::builder().keep_trailing_newline(true).build() {
            engine.set_syntax(syntax);
        }
        engine
    });
    &ENGINE
}

fn plain(template: &str) -> String {
    template.replace("${{", "{{")
}

/// What stands between the braces, if nothing stands around them.
fn whole(template: &str) -> Option<&str> {
    template.trim().strip_prefix("{{")?.strip_suffix("}}")
}

/// The fault without the names of files that there are none of.
fn told(fault: Error) -> TemplateError {
    let detail = fault.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
    let line = fault.line().map(|line| format!(" (line {line} of the template)")).unwrap_or_default();
    TemplateError { words: format!("{}{detail}{line}", fault.kind()), line: fault.line() }
}

#[cfg(test)]
mod tests {
    //! C9, S0.27.

    use super::*;
    use serde_json::json;

    fn context() -> Map<String, Value> {
        let context = json!({"name": "Olena", "n": 3, "list": [1, 2], "none": null, "yes": true});
        context.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn a_whole_expression_keeps_its_type_and_a_text_is_a_text() {
        for (template, expected) in [
            ("{{ n }}", json!(3)),
            ("${{ n }}", json!(3)),
            (" {{ list }} ", json!([1, 2])),
            ("{{ none }}", json!(null)),
            ("{{ n + 1 }}", json!(4)),
            ("{{ n > 2 }}", json!(true)),
            ("{{ name }}!", json!("Olena!")),
            ("{{ name }} {{ n }}", json!("Olena 3")),
            ("{% if yes %}so{% endif %}", json!("so")),
            ("plain {braces} and $5", json!("plain {braces} and $5")),
            ("{{ list | tojson }}", json!("[1, 2]")),
            ("two\nlines\n", json!("two\nlines\n")),
        ] {
            assert_eq!(value(template, &context()), Ok(expected), "{template}");
        }
        let nested = json!({"a": ["{{ n }}", 7], "b": {"c": "x{{ n }}"}});
        assert_eq!(filled(&nested, &context()), Ok(json!({"a": [3, 7], "b": {"c": "x3"}})));
    }

    #[test]
    fn unknown_names_and_endless_loops_are_errors() {
        for template in ["{{ nobody }}", "x {{ nobody }}", "{{ name.first.last }}"] {
            let fault = value(template, &context()).unwrap_err().to_string();
            assert!(fault.contains("undefined") || fault.contains("not defined"), "{template}: {fault}");
        }
        let endless = "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}";
        assert!(text(endless, &context()).is_err());
        assert!(check("{% if %}").is_err() && check("{{ a }}").is_ok());
        assert!(check_expression("a >").is_err() && check_expression("a > 1 and not b").is_ok());
    }

    #[test]
    fn an_expression_holds_or_not_and_nothing_else() {
        for (expression, expected) in
            [("n > 2 and yes", true), ("name == 'Ivan'", false), ("n in list", false), ("${{ yes }}", true)]
        {
            assert_eq!(holds(expression, &context()), Ok(expected), "{expression}");
        }
        for odd in ["n", "name", "none", "nobody"] {
            assert!(holds(odd, &context()).is_err(), "{odd}");
        }
        assert_eq!(names("{{ a }} {% set b = 1 %}{{ b }} {{ c.d }}"), ["a", "c"]);
        assert_eq!(names_of_expression("x > y.z"), ["x", "y"]);
    }
}
