//! Templates of agent files: minijinja, strict about undefined names, without input or output (C9). `${{ x
//! }}` is read as `{{ x }}`. A text that is a single expression keeps the type of its value.

pub(crate) mod allowed_syntax;
pub mod error;
pub(crate) mod engine;
pub(crate) mod multiplication;

use crate::agent_spec::template::error::TemplateError;
use crate::agent_spec::template::multiplication::Names;
use minijinja::value::Serde;
use minijinja::{Environment, Error};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::io;
use std::time::Duration;

/// Largest text that a template may render, in bytes.
const ROOM: usize = 4 << 20;
/// Longest time that `texts` waits.
const PATIENCE: Duration = Duration::from_secs(10);

/// Renders a template as text.
pub fn render_text(template: &str, context: &Map<String, Value>) -> Result<String, TemplateError> {
    let template = plain(template);
    allowed_syntax::check_template(&template, Some(context))?;
    with_engine(|engine| {
        let mut text = Capped(Vec::new());
        engine.template_from_str(&template)?.render_captured_to(Serde(context), &mut text)?;
        Ok(String::from_utf8_lossy(&text.0).into_owned())
    })
}

/// Renders several templates on a blocking thread, for at most `PATIENCE`, so that a slow template does not
/// hold up other runs.
///
/// # Errors
///
/// Returns the failing template with its error; the first template if the time is over.
pub async fn render_texts(
    templates: Vec<String>,
    context: Map<String, Value>,
) -> Result<Vec<String>, (String, TemplateError)> {
    let first = templates.first().cloned().unwrap_or_default();
    let work = tokio::task::spawn_blocking(move || {
        let each = templates.into_iter();
        each.map(|template| render_text(&template, &context).map_err(|fault| (template, fault))).collect()
    });
    match tokio::time::timeout(PATIENCE, work).await {
        Ok(Ok(texts)) => texts,
        Ok(Err(_)) => Err((first, TemplateError::new(String::from("it broke off")))),
        Err(_) => Err((first, TemplateError::new(format!("takes longer than {} s", PATIENCE.as_secs())))),
    }
}

/// Evaluates a template: the value of the expression if the template is a single one, else its text.
pub fn evaluate(template: &str, context: &Map<String, Value>) -> Result<Value, TemplateError> {
    let template = plain(template);
    allowed_syntax::check_template(&template, Some(context))?;
    let Some(expression) = single_expression(&template).filter(|code| is_expression(code)) else {
        return render_text(&template, context).map(Value::String);
    };
    let found = with_engine(|engine| {
        let found = engine.compile_expression(expression)?.eval(Serde(context))?;
        engine::check_size(&found)?;
        Ok((!found.is_undefined()).then(|| serde_json::to_value(&found)))
    })?;
    match found {
        Some(Ok(value)) => Ok(value),
        Some(Err(fault)) => Err(TemplateError::new(fault.to_string())),
        None => Err(TemplateError::new(format!("`{}` is not defined", expression.trim()))),
    }
}

/// Evaluates a condition. A value that is no boolean is an error.
pub fn evaluate_condition(expression: &str, context: &Map<String, Value>) -> Result<bool, TemplateError> {
    let expression = plain(expression);
    let code = single_expression(&expression).unwrap_or(&expression);
    allowed_syntax::check_code(code, &Names { context: Some(context), ..Names::default() }, 1)?;
    let found = with_engine(|engine| {
        let found = engine.compile_expression(code)?.eval(Serde(context))?;
        Ok(bool::try_from(found.clone()).map_err(|_| found.to_string()))
    })?;
    found.map_err(|found| TemplateError::new(format!("`{}` is {found}, neither true nor false", code.trim())))
}

/// Checks that a template can be parsed.
pub fn check(template: &str) -> Result<(), TemplateError> {
    let template = plain(template);
    allowed_syntax::check_template(&template, None)?;
    with_engine(|engine| engine.template_from_str(&template).map(drop))
}

/// Checks that an expression can be parsed.
pub fn check_expression(expression: &str) -> Result<(), TemplateError> {
    let expression = plain(expression);
    let code = single_expression(&expression).unwrap_or(&expression);
    allowed_syntax::check_code(code, &Names::default(), 1)?;
    with_engine(|engine| engine.compile_expression(code).map(drop))
}

/// Returns the variables that a template reads; none if it cannot be parsed.
pub fn names(template: &str) -> Vec<String> {
    let template = plain(template);
    if allowed_syntax::check_template(&template, None).is_err() {
        return Vec::new();
    }
    sort_names(with_engine(|engine| Ok(engine.template_from_str(&template)?.undeclared_variables(false))))
}

/// Returns the variables that a template reads, with their members: `result.read.text`.
pub fn paths(template: &str) -> Vec<String> {
    let template = plain(template);
    if allowed_syntax::check_template(&template, None).is_err() {
        return Vec::new();
    }
    sort_names(with_engine(|engine| Ok(engine.template_from_str(&template)?.undeclared_variables(true))))
}

/// Returns the variables that an expression reads; none if it cannot be parsed.
pub fn names_of_expression(expression: &str) -> Vec<String> {
    let expression = plain(expression);
    let code = single_expression(&expression).unwrap_or(&expression);
    if allowed_syntax::check_code(code, &Names::default(), 1).is_err() {
        return Vec::new();
    }
    sort_names(with_engine(|engine| Ok(engine.compile_expression(code)?.undeclared_variables(false))))
}

/// True if the engine itself defines the name: `range`.
pub fn is_built_in(name: &str) -> bool {
    name == "range"
}

fn is_expression(code: &str) -> bool {
    with_engine(|engine| engine.compile_expression(code).map(drop)).is_ok()
}

fn sort_names(names: Result<HashSet<String>, TemplateError>) -> Vec<String> {
    let mut names: Vec<String> = names.unwrap_or_default().into_iter().collect();
    names.sort();
    names
}

fn with_engine<T: Send>(
    work: impl FnOnce(&'static Environment<'static>) -> Result<T, Error> + Send,
) -> Result<T, TemplateError> {
    match engine::run_with_engine(work) {
        Some(result) => result.map_err(convert_error),
        None => Err(TemplateError::new(String::from("the engine of templates broke off"))),
    }
}

/// Output buffer that refuses to grow beyond `ROOM`.
struct Capped(Vec<u8>);

impl io::Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > ROOM {
            return Err(io::Error::other(format!("it gives more than {} MB of text", ROOM >> 20)));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn plain(template: &str) -> String {
    template.replace("${{", "{{")
}

/// Returns the code between the braces if the template consists of nothing else.
fn single_expression(template: &str) -> Option<&str> {
    template.trim().strip_prefix("{{")?.strip_suffix("}}")
}

/// Converts an engine error, leaving out the file name, which inline templates do not have.
fn convert_error(fault: Error) -> TemplateError {
    let detail = fault.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
    let line = fault.line().map(|line| format!(" (line {line} of the template)")).unwrap_or_default();
    TemplateError { words: format!("{}{detail}{line}", fault.kind()), line: fault.line() }
}

#[cfg(test)]
mod tests {
    //! Tests of template rendering and its limits (C9, S0.27).

    use super::*;
    use serde_json::json;

    fn context() -> Map<String, Value> {
        let context = json!({"name": "Olena", "n": 3, "list": [1, 2], "none": null, "yes": true});
        context.as_object().cloned().unwrap_or_default()
    }

    // A template that is one expression keeps the type of its value; `${{ x }}` is an alias (C9, S0.27).
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
            assert_eq!(evaluate(template, &context()), Ok(expected), "{template}");
        }
    }

    // Undefined names are errors (C9).
    #[test]
    fn unknown_names_and_endless_loops_are_errors() {
        for template in ["{{ nobody }}", "x {{ nobody }}", "{{ name.first.last }}"] {
            let fault = evaluate(template, &context()).unwrap_err().to_string();
            assert!(fault.contains("undefined") || fault.contains("not defined"), "{template}: {fault}");
        }
        let endless = "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}";
        assert!(render_text(endless, &context()).is_err());
        assert!(check("{% if %}").is_err() && check("{{ a }}").is_ok());
        assert!(check_expression("a >").is_err() && check_expression("a > 1 and not b").is_ok());
    }

    #[test]
    fn an_expression_holds_or_not_and_nothing_else() {
        for (expression, expected) in
            [("n > 2 and yes", true), ("name == 'Ivan'", false), ("n in list", false), ("${{ yes }}", true)]
        {
            assert_eq!(evaluate_condition(expression, &context()), Ok(expected), "{expression}");
        }
        for odd in ["n", "name", "none", "nobody"] {
            assert!(evaluate_condition(odd, &context()).is_err(), "{odd}");
        }
        assert_eq!(names("{{ a }} {% for b in d %}{{ b }}{% endfor %} {{ c.d }}"), ["a", "c", "d"]);
        assert_eq!(names_of_expression("x > y.z"), ["x", "y"]);
    }

    // An agent file can exhaust neither the stack nor the memory nor the time of the service.
    #[test]
    fn no_template_takes_the_service_down() {
        let long = json!({"l": (0..20_000).collect::<Vec<u32>>(), "x": "ab".repeat(100_000)});
        let long = long.as_object().cloned().unwrap_or_default();
        let chains = [
            format!("{{{{ {}1 }}}}", "-".repeat(1_900)),
            format!("{{{{ {}1 }}}}", "not ".repeat(480)),
            format!("{{{{ n{} }}}}", "|abs".repeat(480)),
            format!("{{{{ n{} }}}}", ".a".repeat(900)),
            format!("{{{{ {}1 }}}}", "1 if 0 else ".repeat(160)),
            format!("{{% if a %}}{}{{% endif %}}", "{% elif a %}".repeat(490)),
        ];
        for chain in &chains {
            // Accepted or refused; the process must survive.
            let _ = (check(chain), names(chain), render_text(chain, &long));
        }
        for endless in [
            "{{ [1]|slice(1000000000)|list|length }}",
            "{{ x|indent(3000000000) }}",
            "{{ [1]|batch(1000000000, 'x')|list }}",
            "{{ '%1000000000d'|format(1) }}",
            "{{ l|tojson(indent=1000000) }}",
            "{{ l|join(x) }}",
            "{{ x|replace('', x) }}",
            "{% for a in l %}{{ x }}{% endfor %}",
            "{% for i in range(9999) %}{{ l|sort|reverse|list|join('-')|length }}{% endfor %}",
            "{% for i in l %}{% for j in l %}{% endfor %}{% endfor %}",
            "{{ l|map('replace', '', x)|list }}",
        ] {
            assert!(render_text(endless, &long).is_err(), "{endless}");
        }
    }

    // Expressions that would allocate huge values are refused before evaluation.
    #[test]
    fn no_expression_exhausts_the_memory_of_the_service() {
        let many = ["range(100000)|list"; 60].join(", ");
        let context = json!({"s": "x", "n": 3, "list": [1]}).as_object().cloned().unwrap_or_default();
        for template in [
            "{{ [range(100000)|list]*1000 }}".to_owned(),
            "${{ range(100000)|list|string * 100 }}".to_owned(),
            "{{ \"x\"*100000000 }}".to_owned(),
            "{{ s * 100000000 }}".to_owned(),
            "{{ list * 100000000 }}".to_owned(),
            "{% for n in [s] %}{{ n * 100000000 }}{% endfor %}".to_owned(),
            "{% for n, m in [[s, s]] %}{{ m * 100000000 }}{% endfor %}".to_owned(),
            "{% if (s * 100000000)|length > 1 %}long{% endif %}".to_owned(),
            format!("{{{{ [{many}] }}}}"),
            format!("{{{{ [{many}]|string }}}}"),
        ] {
            assert!(evaluate(&template, &context).is_err(), "{template}");
        }
        assert!(evaluate_condition("(s * 100000000)|length > 1", &context).is_err());
        assert!(
            check("{{ \"x\" * 9 }}").is_err() && check("{% for n in [1] %}{{ n * 9 }}{% endfor %}").is_err()
        );
        assert_eq!(evaluate("{{ n * 2 }}", &context), Ok(json!(6)));
        assert_eq!(evaluate("{% for m in [2] %}{{ m|int * n }}{% endfor %}", &context), Ok(json!("6")));
    }
}
