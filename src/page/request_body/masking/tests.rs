//! Secrets in values, by name and by form, and values that only resemble them.

use crate::page::request_body::masking::mask_secrets;
use crate::page::request_body::masking::secret_names::is_secret_name;
use crate::page::request_body::{
    BodyValue, RequestBody, ValueChange, difference, is_opaque_token, is_view_state, read_body,
};
use proptest::prelude::*;

fn mask(name: &str, value: &str) -> String {
    let mut values = [BodyValue::text(name, value)];
    mask_secrets(&mut values);
    let [masked] = values;
    masked.value
}

// A question shows no secret (wire).
#[test]
fn names_of_secrets_are_known() {
    for name in [
        "password",
        "Password",
        "user[password]",
        "user.newPassword",
        "passwd",
        "db_pwd",
        "user_pass",
        "pass1",
        "pass2",
        "login.pass",
        "password_confirmation",
        "credentials.password.value",
        "passwords[0]",
        "secret",
        "client_secret",
        "clientSecret",
        "token",
        "access_token",
        "authToken",
        "csrfToken",
        "csrfmiddlewaretoken",
        "_csrf",
        "XSRF-TOKEN",
        "otp",
        "otp_code",
        "totp",
        "two_factor_code",
        "2fa_code",
        "mfaCode",
        "smsCode",
        "verification_code",
        "cvv",
        "cvv2",
        "cvc",
        "card[cvc]",
        "card[number]",
        "payment.card.number",
        "cardNumber",
        "card_number",
        "cardnumber",
        "ccNumber",
        "cc-exp",
        "card[exp_month]",
        "exp_year",
        "cardExpiry",
        "creditCard.code",
        "api_key",
        "apiKey",
        "APIKey",
        "x-api-key",
        "apikey",
        "secretAccessKey",
        "private_key",
        "authorization",
        "auth",
        "session",
        "session_id",
        "sessionId",
        "PHPSESSID",
        "pin",
        "pin_code",
        "id_token",
        "refresh_token",
        "recovery_codes[0]",
        "securityAnswer",
        "keys.auth",
        "passphrase",
        "passcode",
        "code_verifier",
        "credentials.apiValue",
        "__VIEWSTATE",
        // languages
        "contrasena",
        "contraseña",
        "kennwort",
        "neues_passwort",
        "motDePasse",
        "mot_de_passe",
        "mdp",
        "senha",
        "haslo",
        "nowe_hasło",
        "wachtwoord",
        "losenord",
        "heslo",
        "jelszo",
        "sifre",
        "parol",
        "lozinka",
        "Пароль",
        "новий_пароль",
        "密码",
        "パスワード",
        "비밀번호",
        "كلمة المرور",
        "סיסמה",
        "kartennummer",
        "numero_tarjeta",
        "codigo_de_seguridad",
    ] {
        assert!(is_secret_name(name), "{name}");
    }
}

#[test]
fn names_about_secrets_are_no_secrets() {
    for name in [
        "",
        "name",
        "user[name]",
        "max_tokens",
        "token_count",
        "tokenLimit",
        "token_type",
        "next_page_token",
        "pageToken",
        "passwordRequired",
        "has_password",
        "showPassword",
        "remember_password",
        "password_hint",
        "passwordStrength",
        "boarding_pass",
        "pass_rate",
        "passed",
        "bypass",
        "compass",
        "passenger",
        "passport_country",
        "secretary",
        "pincount",
        "spin",
        "opinion",
        "shipping",
        "pinned",
        "is_pinned",
        "card",
        "cardId",
        "card.title",
        "card_title",
        "cards[0].number_of_days",
        "iban",
        "account_number",
        "order_number",
        "phone_number",
        "key",
        "key_name",
        "keyword",
        "monkey",
        "session_title",
        "sessions",
        "training_session",
        "training_session_date",
        "author",
        "authors",
        "authority",
        "hotp_sauce_name",
        "potpourri",
        "footprint",
        "code",
        "promo_code",
        "zip_code",
        "country_code",
        "expires_at",
        "description",
        "credentials.username",
        "credentials.email",
        "design_token",
        "total_secrets_count",
        "Назва",
        "Код товару",
        "keys.p256dh",
    ] {
        assert!(!is_secret_name(name), "{name}");
    }
}

#[test]
fn forms_of_secrets_are_known() {
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJl";
    for (value, masked) in [
        ("4242 4242 4242 4242", "••••"),
        ("4242424242424242", "••••"),
        ("378282246310005", "••••"),
        ("6011-1111-1111-1117", "••••"),
        ("my card is 5555555555554444, use it", "my card is ••••, use it"),
        (jwt, "••••"),
        (&format!("Bearer {jwt}"), "Bearer ••••"),
        ("Authorization: Bearer abcdef123456", "Authorization: Bearer ••••"),
        ("sk-proj-abcdefghij0123456789", "••••"),
        ("key=ghp_abcdefghijklmnopqrstuvwxyz0123456789", "key=••••"),
        ("AKIAIOSFODNN7EXAMPLE", "••••"),
        ("xoxb-1234567890-abcdefghij", "••••"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "••••"),
        (
            r#"{"user":"ann","password":"x","n":{"card":"4242424242424242"}}"#,
            r#"{"user":"ann","password":"••••","n":{"card":"••••"}}"#,
        ),
    ] {
        assert_eq!(mask("note", value), masked, "{value}");
    }
    for value in [
        "4242 4242 4242 4241",
        "1234567890123456",
        "1700000000000",
        "+380 67 123 45 67",
        "UA213223130000026007233566001",
        "9f4242424242424242",
        "4242424242424242abc",
        "task-4",
        "sk-8",
        "bearer of news",
        "eyJ.a.b",
        "https://shop.test/item/4242",
        "AKIA",
        "2026-01-05",
        "{\"a\": 1}",
        "",
        "12.50",
    ] {
        assert_eq!(mask("note", value), value);
    }
    assert_eq!(mask("password", ""), "", "an empty field has no secret");
}

#[test]
fn bodies_of_sign_in_and_payment_are_masked() {
    for (content_type, body, expected) in [
        // Stripe
        (
            "application/x-www-form-urlencoded",
            "type=card&card[number]=4242+4242+4242+4242&card[cvc]=123&card[exp_month]=12&key=pk_test_1&billing_details[name]=Ann",
            vec!["card", "••••", "••••", "••••", "pk_test_1", "Ann"],
        ),
        // WordPress
        (
            "application/x-www-form-urlencoded",
            "log=ann&pwd=hunter2&rememberme=forever&wp-submit=Log+In",
            vec!["ann", "••••", "forever", "Log In"],
        ),
        // Matrix
        (
            "application/json",
            r#"{"type":"m.login.password","identifier":{"user":"ann"},"password":"hunter2"}"#,
            vec!["m.login.password", "ann", "••••"],
        ),
        // Grafana
        (
            "application/json",
            r#"{"user":"admin","password":12345,"remember_password":true}"#,
            vec!["admin", "••••", "true"],
        ),
        // Vaultwarden
        (
            "application/x-www-form-urlencoded",
            "grant_type=password&username=ann&password=aGFzaA%3D%3D&client_id=web&twoFactorToken=123456",
            vec!["password", "ann", "••••", "web", "••••"],
        ),
    ] {
        let RequestBody::Values(mut values) = read_body(content_type, Some(body.as_bytes()), None) else {
            panic!("{body}")
        };
        mask_secrets(&mut values.values);
        assert_eq!(
            values.values.iter().map(|value| value.value.as_str()).collect::<Vec<_>>(),
            expected,
            "{body}"
        );
    }
}

// Names of secrets may be values themselves, and JSON may be cut.
#[test]
fn secrets_in_pairs_and_in_broken_json_are_masked() {
    for (content_type, body, expected) in [
        (
            "application/json-patch+json",
            r#"[{"op":"replace","path":"/password","value":"x1"},{"op":"replace","path":"/name","value":"Ann"}]"#,
            vec!["replace", "/password", "••••", "replace", "/name", "Ann"],
        ),
        (
            "application/x-www-form-urlencoded",
            "f[0][name]=cvc&f[0][value]=123&f[1][name]=city&f[1][value]=Kyiv",
            vec!["cvc", "••••", "city", "Kyiv"],
        ),
        ("application/json", r#"{"name":"apiKey","value":7}"#, vec!["apiKey", "••••"]),
        (
            "application/json",
            r#"{"config":"{\"name\":\"pin\",\"value\":\"1234\"}"}"#,
            vec![r#"{"name":"pin","value":"••••"}"#],
        ),
        (
            "application/json",
            r#"{"user":"ann","password":"hunter2","no"#,
            vec![r#"{"user":"ann","password":••••,"no"#],
        ),
        (
            "application/json",
            "{user: 'ann', password: hunter2, n: 1,}",
            vec!["{user: 'ann', password:••••, n: 1,}"],
        ),
        ("application/json", r#"{"password":"hunt"#, vec![r#"{"password":••••"#]),
        (
            "text/plain",
            "The session: Monday, the password: none",
            vec!["The session: Monday, the password: none"],
        ),
    ] {
        let RequestBody::Values(mut values) = read_body(content_type, Some(body.as_bytes()), None) else {
            panic!("{body}")
        };
        mask_secrets(&mut values.values);
        assert_eq!(
            values.values.iter().map(|value| value.value.as_str()).collect::<Vec<_>>(),
            expected,
            "{body}"
        );
    }
}

proptest! {
    // A page chooses its names and values.
    #[test]
    fn masking_never_panics(name in "\\PC{0,30}", value in "(\\PC{0,20}|[ \"'{}\\[\\]:,.=-]|[0-9]{4}[ -]|eyJ|Bearer |sk-|password|value|name){0,12}") {
        let mut values = [BodyValue::text(name.clone(), value.clone()), BodyValue::text(value.clone(), name.clone())];
        mask_secrets(&mut values);
        let _ = is_view_state(&ValueChange { name: name.clone(), before: Some(value.clone()), now: None });
        let _ = (is_opaque_token(&name, &value), is_opaque_token(&value, &name));
        let _ = difference(&values, &[BodyValue::text(value, name)]);
    }
}

// "Basic" begins a header with a password, and many headings.
#[test]
fn words_after_basic_are_masked_unless_they_are_prose() {
    for text in ["Basic Configuration", "basic settings", "Basic \u{43d}алаштування"] {
        assert_eq!(mask("note", text), text);
    }
    for text in ["Basic dXNlcjpwYXNz", "Authorization: Basic YWxhZGRpbjpvcGVu", "bearer abcdefghij"] {
        assert!(mask("note", text).contains("••••"), "{text}");
    }
}
