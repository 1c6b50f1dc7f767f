//! Identifiers made from people's words: Latin letters, digits and `_`.

/// Longest identifier, in bytes.
const LONGEST: usize = 40;
/// Fewest words of a task that make a sufficient title.
const LEAST: usize = 3;
/// Reserved names.
const TAKEN: &[&str] =
    &["text", "locale", "context", "true", "false", "none", "not", "and", "or", "in", "is"];

/// Returns an identifier made from words, which may be Ukrainian; `None` if no letters are left.
pub fn identifier(words: &str) -> Option<String> {
    let mut out = String::new();
    for c in words.to_lowercase().chars() {
        if out.len() >= LONGEST {
            break;
        }
        match transliterate(c) {
            Some(letters) => out.push_str(letters),
            None if c.is_ascii_alphanumeric() => out.push(c),
            None if out.ends_with('_') || out.is_empty() => {}
            None => out.push('_'),
        }
    }
    let name = out.trim_matches('_');
    let name = name.trim_start_matches(|c: char| !c.is_ascii_lowercase());
    (!name.is_empty()).then(|| if TAKEN.contains(&name) { format!("{name}_1") } else { name.to_owned() })
}

/// Returns a title for an agent made from this task: the task without addresses, or the title of the last
/// page if hardly any words are left.
pub fn title(request: &str, last_page: &str) -> String {
    let steady = |words: &str| -> String {
        let kept = words.split_whitespace().filter(|word| !word.contains("://") && *word != "…");
        kept.collect::<Vec<_>>().join(" ")
    };
    let steady_words = steady(request);
    if steady_words.split_whitespace().count() >= LEAST || last_page.trim().is_empty() {
        return if steady_words.is_empty() { request.to_owned() } else { steady_words };
    }
    let of_this_run =
        |word: &&str| word.contains(|c: char| c.is_ascii_digit()) || *word == "№" || *word == "#";
    let page: Vec<&str> = last_page.split_whitespace().filter(|word| !of_this_run(word)).collect();
    if page.is_empty() { steady_words } else { page.join(" ") }
}

/// Returns the first free name of `name`, `name_2`, `name_3` and so on.
pub fn first_free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = |n: usize| if n == 1 { name.to_owned() } else { format!("{name}_{n}") };
    (1..).map(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}

/// Transliterates a Cyrillic letter as in Ukrainian passports.
fn transliterate(c: char) -> Option<&'static str> {
    Some(match c {
        'а' => "a",
        'б' => "b",
        'в' => "v",
        'г' => "h",
        'ґ' => "g",
        'д' => "d",
        'е' | 'э' => "e",
        'є' => "ie",
        'ж' => "zh",
        'з' => "z",
        'и' | 'ы' => "y",
        'і' => "i",
        'ї' => "i",
        'й' => "i",
        'к' => "k",
        'л' => "l",
        'м' => "m",
        'н' => "n",
        'о' => "o",
        'п' => "p",
        'р' => "r",
        'с' => "s",
        'т' => "t",
        'у' => "u",
        'ф' => "f",
        'х' => "kh",
        'ц' => "ts",
        'ч' => "ch",
        'ш' => "sh",
        'щ' => "shch",
        'ю' => "iu",
        'я' => "ia",
        'ё' => "io",
        'ь' | 'ъ' | '\'' | '’' | 'ʼ' => "",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_of_a_drafted_agent_names_the_request_or_the_page() {
        let page = "Order № 1001 · Shop";
        for (request, page, title_of) in [
            ("buy the blue lamp at http://shop.test/", page, "buy the blue lamp at"),
            ("open http://shop.test/ …", page, "Order · Shop"),
            ("open http://shop.test/", "", "open"),
            ("http://shop.test/", "", "http://shop.test/"),
            ("order", "17", "order"),
        ] {
            assert_eq!(title(request, page), title_of, "{request}");
        }
    }

    #[test]
    fn names_of_inputs_are_made_from_labels() {
        for (words, name) in [
            ("City", Some("city")),
            ("Номер картки", Some("nomer_kartky")),
            ("Ім'я та прізвище", Some("imia_ta_prizvyshche")),
            ("E-mail *", Some("e_mail")),
            ("2nd floor", Some("nd_floor")),
            ("card_number", Some("card_number")),
            ("Text", Some("text_1")),
            ("★", None),
            ("", None),
        ] {
            assert_eq!(identifier(words).as_deref(), name, "{words}");
        }
        assert_eq!(first_free_name("city", |name| ["city", "city_2"].contains(&name)), "city_3");
    }
}
