//! The template engine and the filters that templates may use. Every filter call is charged for the size of
//! its input and output, so that loops over filters and growing texts come to an end.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Rest, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, UndefinedBehavior, filters, functions, tests};
use std::cell::Cell;
use std::sync::LazyLock;

/// Instructions that one template may execute: enough for any text, and quickly used up by an endless loop.
const FUEL: u64 = 200_000;
/// Bytes of texts and items of lists that the filters of one template may read and write together.
const WORK: usize = 20_000_000;
/// Largest value of an expression: a text counts one per byte, a number or boolean eight, a list item one and
/// its contents.
const VALUE: usize = 16 << 20;
/// Stack size in bytes of the thread that parses and renders a template. A chain of operators nests as deep
/// as it is long.
const STACK: usize = 64 << 20;

thread_local! {
    static LEFT: Cell<usize> = const { Cell::new(WORK) };
}

/// Runs `work` with the engine on a thread with a large stack. Returns `None` if the thread cannot be started
/// or panics.
pub fn run_with_engine<T: Send>(work: impl FnOnce(&'static Environment<'static>) -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        thread.spawn_scoped(scope, || work(engine())).ok()?.join().ok()
    })
}

fn engine() -> &'static Environment<'static> {
    static ENGINE: LazyLock<Environment<'static>> = LazyLock::new(|| {
        let mut engine = Environment::empty();
        engine.set_undefined_behavior(UndefinedBehavior::Strict);
        engine.set_fuel(Some(FUEL));
        // A final newline is part of the author's text.
        if let Ok(syntax) = SyntaxConfig::builder().keep_trailing_newline(true).build() {
            engine.set_syntax(syntax);
        }
        for (name, filter) in allowed_filters() {
            let counted =
                move |state: &mut State, args: Rest<Value>| call_filter(state, name, &filter, &args);
            engine.add_filter(name, counted);
        }
        add_tests(&mut engine);
        engine.add_function("range", functions::range);
        engine
    });
    &ENGINE
}

fn allowed_filters() -> Vec<(&'static str, Value)> {
    vec![
        ("abs", Value::from_function(filters::abs)),
        ("attr", Value::from_function(filters::attr)),
        ("bool", Value::from_function(filters::bool)),
        ("capitalize", Value::from_function(filters::capitalize)),
        ("d", Value::from_function(filters::default)),
        ("default", Value::from_function(filters::default)),
        ("dictsort", Value::from_function(filters::dictsort)),
        ("first", Value::from_function(filters::first)),
        ("float", Value::from_function(filters::float)),
        ("int", Value::from_function(filters::int)),
        ("items", Value::from_function(filters::items)),
        ("join", Value::from_function(filters::join)),
        ("last", Value::from_function(filters::last)),
        ("length", Value::from_function(filters::length)),
        ("lines", Value::from_function(filters::lines)),
        ("list", Value::from_function(filters::list)),
        ("lower", Value::from_function(filters::lower)),
        ("map", Value::from_function(filters::map)),
        ("max", Value::from_function(filters::max)),
        ("min", Value::from_function(filters::min)),
        ("reject", Value::from_function(filters::reject)),
        ("rejectattr", Value::from_function(filters::rejectattr)),
        ("replace", Value::from_function(filters::replace)),
        ("reverse", Value::from_function(filters::reverse)),
        ("round", Value::from_function(filters::round)),
        ("select", Value::from_function(filters::select)),
        ("selectattr", Value::from_function(filters::selectattr)),
        ("sort", Value::from_function(filters::sort)),
        ("split", Value::from_function(filters::split)),
        ("string", Value::from_function(filters::string)),
        ("sum", Value::from_function(filters::sum)),
        ("title", Value::from_function(filters::title)),
        ("tojson", Value::from_function(filters::tojson)),
        ("trim", Value::from_function(filters::trim)),
        ("unique", Value::from_function(filters::unique)),
        ("upper", Value::from_function(filters::upper)),
    ]
}

fn add_tests(engine: &mut Environment<'static>) {
    engine.add_test("defined", tests::is_defined);
    engine.add_test("undefined", tests::is_undefined);
    engine.add_test("none", tests::is_none);
    engine.add_test("boolean", tests::is_boolean);
    engine.add_test("number", tests::is_number);
    engine.add_test("integer", tests::is_integer);
    engine.add_test("float", tests::is_float);
    engine.add_test("string", tests::is_string);
    engine.add_test("sequence", tests::is_sequence);
    engine.add_test("mapping", tests::is_mapping);
    engine.add_test("iterable", tests::is_iterable);
    engine.add_test("odd", tests::is_odd);
    engine.add_test("even", tests::is_even);
    engine.add_test("divisibleby", tests::is_divisibleby);
    engine.add_test("startingwith", tests::is_startingwith);
    engine.add_test("endingwith", tests::is_endingwith);
    engine.add_test("true", tests::is_true);
    engine.add_test("false", tests::is_false);
    engine.add_test("in", tests::is_in);
    engine.add_test("eq", tests::is_eq);
    engine.add_test("ne", tests::is_ne);
    engine.add_test("lt", tests::is_lt);
    engine.add_test("le", tests::is_le);
    engine.add_test("gt", tests::is_gt);
    engine.add_test("ge", tests::is_ge);
}

/// Calls a filter and charges for its input and output. Amounts that a filter could multiply (`join`,
/// `replace`) are charged before the call.
fn call_filter(state: &mut State, name: &str, filter: &Value, args: &[Value]) -> Result<Value, Error> {
    spend(args.iter().map(size).fold(0, usize::saturating_add))?;
    match (name, args) {
        ("join", [items, between, ..]) => spend(joined_size(items, size(between)))?,
        ("join", [items]) => spend(joined_size(items, 0))?,
        ("replace", [text, from, to, ..]) => spend((size(text) / size(from).max(1) + 1) * size(to))?,
        ("tojson", [_, _, ..]) => return Err(refusal("`tojson` takes no width")),
        _ => {}
    }
    let filtered = filter.call(state, args)?;
    spend(size(&filtered))?;
    Ok(filtered)
}

fn joined_size(items: &Value, between: usize) -> usize {
    let sizes = items.try_iter().map(|items| items.map(|item| size(&item) + between).sum());
    sizes.unwrap_or_default()
}

/// Fails if a value is too large to become part of a run (see `VALUE`).
pub fn check_size(value: &Value) -> Result<(), Error> {
    match remaining_size(value, VALUE) {
        Some(_) => Ok(()),
        None => Err(Error::new(
            ErrorKind::InvalidOperation,
            format!("it gives more than {} MB of values", VALUE >> 20),
        )),
    }
}

/// Returns the size of a value: bytes of a text, items of a list with their contents. It never exceeds
/// `WORK`.
fn size(value: &Value) -> usize {
    remaining_size(value, WORK).map_or(WORK, |left| WORK - left)
}

/// Subtracts the size of `value` from `most`; returns `None` if it is larger than `most`.
fn remaining_size(value: &Value, most: usize) -> Option<usize> {
    match value.kind() {
        ValueKind::String | ValueKind::Bytes => most.checked_sub(value.as_str().map_or(1, str::len)),
        ValueKind::Seq => each(value, most),
        ValueKind::Map => {
            let values = value.try_iter().ok()?.map(|key| value.get_item(&key).unwrap_or_default());
            values.into_iter().try_fold(each(value, most)?, |left, item| remaining_size(&item, left))
        }
        // Not iterated: some iterators can be read only once.
        ValueKind::Iterable => most.checked_sub(value.len().unwrap_or(1)),
        _ => most.checked_sub(8),
    }
}

fn each(value: &Value, most: usize) -> Option<usize> {
    value.try_iter().ok()?.try_fold(most, |left, item| remaining_size(&item, left.checked_sub(1)?))
}

fn spend(work: usize) -> Result<(), Error> {
    LEFT.with(|left| match left.get().checked_sub(work) {
        Some(rest) => {
            left.set(rest);
            Ok(())
        }
        None => {
            Err(refusal("its filters have too much to do; give it less, or work it out in a python agent"))
        }
    })
}

fn refusal(words: &'static str) -> Error {
    Error::new(ErrorKind::InvalidOperation, words)
}
