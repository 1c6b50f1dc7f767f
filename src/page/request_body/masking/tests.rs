//! Secrets in values, by name and by form, and values that only resemble them.

use crate::page::request_body::masking::mask_secrets;
use crate::page::request_body::masking::secret_names::is_secret_name;
use crate::page::request_body::{BodyValue, RequestBody, read_body};

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
