//! Templates of the shop, in one environment per language, so that macros have access to texts and money
//! formatting. All names end in `.html`, so minijinja escapes everything that a template prints.

use crate::demo::embedded::Files;
use crate::demo::locale::Lang;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, context};
use serde_json::Value as Json;
use std::sync::LazyLock;

/// Merges two objects. On equal keys the first one wins.
pub fn merge_objects(first: Json, rest: Json) -> Json {
    let (mut first, rest) = match (first, rest) {
        (Json::Object(first), Json::Object(rest)) => (first, rest),
        (first, _) => return first,
    };
    for (key, value) in rest {
        first.entry(key).or_insert(value);
    }
    Json::Object(first)
}

/// Renders a template. `demo` is the path of the shop as a browser requests it.
pub fn render(lang: Lang, name: &str, context: &Json, demo: &str) -> Result<String, Error> {
    static UK: LazyLock<Environment> = LazyLock::new(|| environment(Lang::Uk));
    static EN: LazyLock<Environment> = LazyLock::new(|| environment(Lang::En));
    let templates = match lang {
        Lang::Uk => &UK,
        Lang::En => &EN,
    };
    let demo = Value::from_safe_string(demo.to_owned());
    templates.get_template(name)?.render(context! { demo, ..Value::from(Serde(context)) })
}

fn environment(lang: Lang) -> Environment<'static> {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    templates.set_loader(load);
    templates.add_global("t", Value::from(Serde(lang.texts())));
    templates.add_global("lang", lang.code());
    templates.add_global("other_lang", lang.other().code());
    templates.add_filter("money", move |amount: u32| lang.money(amount));
    templates
}

fn load(name: &str) -> Result<Option<String>, Error> {
    let Some(file) = Files::get(&format!("templates/{name}")) else { return Ok(None) };
    let unreadable = |_| Error::new(ErrorKind::BadSerialization, "template is not UTF-8");
    String::from_utf8(file.data.into_owned()).map(Some).map_err(unreadable)
}
