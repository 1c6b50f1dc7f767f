//! Names of values that are secrets: passwords, codes, tokens, payment cards. Names are those that scripts and
//! forms use, in the languages that developers name fields in.

use crate::page::request_body::name_words::{contains_words, split_keys, split_words};
use crate::text::secret_words::names_secret;

/// Words of which each makes a name secret.
const SECRET_WORDS: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "passwort",
    "passphrase",
    "passcode",
    "pwd",
    "psw",
    "pswd",
    "passw",
    "userpass",
    "userpassword",
    "newpassword",
    "oldpassword",
    "currentpassword",
    "confirmpassword",
    "loginpassword",
    "secret",
    "secrets",
    "csrf",
    "xsrf",
    "csrfmiddlewaretoken",
    "csrftoken",
    "xsrftoken",
    "otp",
    "totp",
    "hotp",
    "otpcode",
    "cvv",
    "cvc",
    "csc",
    "cvn",
    "pin",
    "pincode",
    "apikey",
    "apitoken",
    "accesstoken",
    "refreshtoken",
    "idtoken",
    "authtoken",
    "sessionid",
    "sessid",
    "phpsessid",
    "jsessionid",
    "sesskey",
    "jwt",
    "bearer",
    "credential",
    "credentials",
    "privatekey",
    "secretkey",
    "accesskey",
    "cardnumber",
    "creditcard",
    "cardno",
    "ccnumber",
    "ccnum",
    "ccno",
    "ccexp",
    "cccsc",
    "cccvc",
    "cccvv",
    "nonce",
    "wpnonce",
    "mnemonic",
    "seedphrase",
    "requesttoken",
    "logintoken",
    "formtoken",
    "viewstate",
    "assertion",
    "samlresponse",
    // other languages
    "contrasena",
    "contraseña",
    "contrasenya",
    "clave",
    "kennwort",
    "motdepasse",
    "mdp",
    "senha",
    "palavrapasse",
    "haslo",
    "hasło",
    "parola",
    "parole",
    "wachtwoord",
    "losenord",
    "lösenord",
    "adgangskode",
    "passord",
    "salasana",
    "heslo",
    "jelszo",
    "jelszó",
    "sifre",
    "şifre",
    "parol",
    "lozinka",
    "zaporka",
    "geslo",
    "slaptazodis",
    "matkhau",
    "katasandi",
    "sandi",
    "kodeord",
    "lykilord",
    "sicherheitscode",
    "kartennummer",
    "pruefziffer",
    "kartenpruefnummer",
    "numerotarjeta",
    "numerocarte",
    "numerocarta",
    "numerokarty",
    "numerkarty",
    "cartao",
    "nomerkarty",
    "kartennr",
    "codeverifier",
    "geheimnis",
    "geheim",
    "segredo",
    "segreto",
];

/// Words that stand next to each other.
const SECRET_PHRASES: &[&[&str]] = &[
    &["api", "key"],
    &["access", "key"],
    &["private", "key"],
    &["secret", "key"],
    &["encryption", "key"],
    &["license", "key"],
    &["signing", "key"],
    &["recovery", "key"],
    &["recovery", "code"],
    &["recovery", "codes"],
    &["backup", "code"],
    &["backup", "codes"],
    &["security", "code"],
    &["security", "answer"],
    &["verification", "code"],
    &["verify", "code"],
    &["confirmation", "code"],
    &["auth", "code"],
    &["authorization", "code"],
    &["code", "verifier"],
    &["sms", "code"],
    &["one", "time"],
    &["two", "factor", "code"],
    &["2", "fa"],
    &["mfa", "code"],
    &["login", "code"],
    &["access", "code"],
    &["pin", "code"],
    &["session", "id"],
    &["session", "key"],
    &["session", "token"],
    &["access", "tokens"],
    &["refresh", "tokens"],
    &["card", "number"],
    &["card", "num"],
    &["card", "no"],
    &["card", "nr"],
    &["card", "code"],
    &["card", "exp"],
    &["card", "expiry"],
    &["card", "expiration"],
    &["credit", "card"],
    &["cc", "number"],
    &["cc", "num"],
    &["cc", "no"],
    &["cc", "exp"],
    &["cc", "expiry"],
    &["exp", "month"],
    &["exp", "year"],
    &["expiry", "month"],
    &["expiry", "year"],
    &["seed", "phrase"],
    &["mot", "de", "passe"],
    &["palavra", "passe"],
    &["numero", "tarjeta"],
    &["numero", "de", "tarjeta"],
    &["numero", "carte"],
    &["numero", "de", "carte"],
    &["codigo", "seguridad"],
    &["codigo", "de", "seguridad"],
    &["code", "securite"],
    &["mat", "khau"],
    &["kata", "sandi"],
    &["set", "cookie"],
    &["view", "state"],
    &["signature", "key"],
    &["client", "assertion"],
];

/// Names that are secret as a whole, in other scripts.
const SECRET_PARTS: &[&str] = &[
    "密码",
    "密碼",
    "口令",
    "验证码",
    "驗證碼",
    "パスワード",
    "暗証番号",
    "認証コード",
    "비밀번호",
    "암호",
    "인증번호",
    "كلمة المرور",
    "كلمةالمرور",
    "סיסמה",
    "סיסמא",
    "κωδικός πρόσβασης",
    "पासवर्ड",
    "รหัสผ่าน",
    "गुप्त",
];

/// Words after which a name tells something about a secret, and is none.
const ABOUT: &[&str] = &[
    "required",
    "enabled",
    "disabled",
    "hint",
    "hints",
    "strength",
    "length",
    "policy",
    "type",
    "count",
    "limit",
    "expires",
    "expiry",
    "expiration",
    "at",
    "date",
    "url",
    "uri",
    "link",
    "label",
    "name",
    "title",
    "visible",
    "shown",
    "changed",
    "updated",
    "status",
    "description",
    "placeholder",
    "symbol",
    "usage",
    "used",
    "budget",
    "scope",
    "scopes",
    "valid",
    "rules",
    "method",
    "mode",
    "format",
    "ttl",
    "lifetime",
    "reset",
];

/// Words before which a name tells something about a secret.
const ABOUT_FIRST: &[&str] = &[
    "is", "has", "show", "hide", "require", "requires", "allow", "allows", "use", "uses", "enable",
    "remember", "forgot", "max", "min", "num", "total", "toggle", "can", "should",
];

/// Keys that say nothing by themselves: `password.value`, `password[first]`.
const GENERAL_KEYS: &[&str] = &[
    "value",
    "values",
    "text",
    "new",
    "old",
    "current",
    "confirm",
    "confirmation",
    "first",
    "second",
    "again",
    "repeat",
    "plain",
    "plaintext",
    "raw",
    "data",
];

/// Reports whether a value of this name is a secret.
pub fn is_secret_name(name: &str) -> bool {
    let keys: Vec<Vec<String>> = split_keys(name).into_iter().map(split_words).collect();
    let Some((last, parents)) = keys.split_last() else { return false };
    let parent = parents.last().map(Vec::as_slice).unwrap_or_default();
    if is_secret_key(last) || is_other_script(name) {
        return true;
    }
    let is_general = last.iter().all(|word| GENERAL_KEYS.contains(&word.as_str()));
    if is_general && is_secret_key(parent) {
        return true;
    }
    let has_secret_parent = parents.iter().any(|words| has_word(words, &["credentials", "secrets"]));
    let is_part_of_card = has_word(parent, &["card", "cc", "creditcard"])
        && has_word(last, &["number", "num", "pan", "exp", "expiry", "expiration", "month", "year", "code"]);
    is_part_of_card || has_secret_parent && !is_about(last) && !is_user_name(last)
}

fn is_secret_key(words: &[String]) -> bool {
    let joined = words.concat();
    let phrase = SECRET_PHRASES.iter().find(|phrase| contains_words(words, phrase));
    // The last word of a phrase such as "card expiry" says what it is, not something about it.
    let rest = phrase.map_or(words, |phrase| if words.ends_with_phrase(phrase) { &[] } else { words });
    if is_about(rest) {
        return false;
    }
    phrase.is_some()
        || has_word(words, SECRET_WORDS)
        || SECRET_WORDS.contains(&joined.as_str())
        || is_token(words)
        || is_pass(words)
        || matches!(
            joined.as_str(),
            "auth" | "authorization" | "session" | "sid" | "sess" | "pan" | "cookie" | "cookies"
        )
}

/// End of a list of words.
trait PhraseEnd {
    fn ends_with_phrase(&self, phrase: &[&str]) -> bool;
}

impl PhraseEnd for [String] {
    fn ends_with_phrase(&self, phrase: &[&str]) -> bool {
        let start = self.len().saturating_sub(phrase.len());
        self[start..].iter().eq(phrase.iter())
    }
}

fn has_word(words: &[String], wanted: &[&str]) -> bool {
    words.iter().any(|word| wanted.contains(&word.as_str()))
}

/// Reports whether words tell something about a secret: `passwordLength`, `has_password`, `max_tokens`.
fn is_about(words: &[String]) -> bool {
    let is_in = |word: Option<&String>, list: &[&str]| word.is_some_and(|word| list.contains(&word.as_str()));
    words.len() > 1 && (is_in(words.last(), ABOUT) || is_in(words.first(), ABOUT_FIRST))
}

fn is_user_name(words: &[String]) -> bool {
    has_word(
        words,
        &["username", "user", "login", "email", "id", "provider", "region", "domain", "host", "host"],
    )
}

/// Recognizes `token` as the last word or before a number: "token count" and "tokenize" are none.
fn is_token(words: &[String]) -> bool {
    let letters: Vec<&String> =
        words.iter().filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit())).collect();
    let last = letters.last().is_some_and(|word| word.as_str() == "token" || word.ends_with("token"));
    // Tokens of a page of results are cursors, not secrets.
    last && !has_word(words, &["page", "next", "continuation", "cursor", "sync", "design", "max", "per"])
}

/// Recognizes `pass` as a short form of password: `user_pass`, `pass1`.
fn is_pass(words: &[String]) -> bool {
    let Some(at) = words.iter().position(|word| word == "pass") else { return false };
    let is_other = has_word(
        words,
        &[
            "boarding", "season", "day", "ski", "travel", "bus", "by", "gate", "guest", "annual", "rate",
            "fail", "lift",
        ],
    );
    let follows = &words[at + 1..];
    let is_repeated = |word: &String| {
        word.bytes().all(|byte| byte.is_ascii_digit())
            || [
                "confirm",
                "confirmation",
                "again",
                "new",
                "old",
                "repeat",
                "word",
                "wd",
                "phrase",
                "code",
                "key",
            ]
            .contains(&word.as_str())
    };
    !is_other && follows.iter().all(is_repeated)
}

/// Recognizes names in scripts that are not Latin. Latin ones are judged by whole words alone.
fn is_other_script(name: &str) -> bool {
    let is_latin = |c: char| u32::from(c) < 0x250;
    if name.chars().all(is_latin) {
        return false;
    }
    let lower = name.to_lowercase();
    SECRET_PARTS.iter().any(|part| lower.contains(part)) || names_secret(&lower)
}
