//! Sign-in, sign-out, registration, and resetting a visitor.

use crate::demo::form_errors::FormErrors;
use crate::demo::templates::merge_objects;
use crate::demo::visitors::visit::Visit;
use crate::demo::visitors::visitor::{DEMO_LOGIN, RegisterError, Visitor};
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct SignInForm {
    login: String,
    password: String,
    next: String,
}

pub async fn show(visit: Visit) -> HttpResponse {
    let next = visit.query_param("next").unwrap_or_default().to_owned();
    let context = login_context(&visit, &next);
    visit.page("login.html", context)
}

pub async fn sign_in(visit: Visit, form: web::Form<SignInForm>) -> HttpResponse {
    let name = visit.change(|visitor| {
        let right = visitor.sign_in(form.login.trim(), &form.password);
        visitor.account().filter(|_| right).map(|account| account.name.clone())
    });
    let Some(name) = name else {
        let errors = json!({ "form": visit.text("sign_in.wrong") });
        let (typed, page) = (json!({ "login": form.login }), login_context(&visit, &form.next));
        return visit.refuse("login.html", merge_objects(json!({ "errors": errors, "form": typed }), page));
    };
    // A name of the next page instead of a URL, so that nobody can be redirected elsewhere.
    let next = if form.next == "checkout" { "/demo/checkout" } else { "/demo/" };
    visit.redirect_with_message(next, visit.text("sign_in.welcome").replace("{name}", &name))
}

fn login_context(visit: &Visit, next: &str) -> Value {
    json!({ "next": next, "has_olena": visit.read(|visitor| visitor.knows(DEMO_LOGIN)) })
}

pub async fn sign_out(visit: Visit) -> HttpResponse {
    visit.change(Visitor::sign_out);
    visit.redirect_with_message("/demo/", visit.text("account.signed_out"))
}

/// Resets this visitor to a new one.
pub async fn start_over(visit: Visit) -> HttpResponse {
    visit.change(|visitor| *visitor = Visitor::default());
    visit.redirect_with_message("/demo/", visit.text("reset.done"))
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
pub struct RegisterForm {
    name: String,
    email: String,
    login: String,
    #[serde(skip_serializing)]
    password: String,
}

pub async fn register_page(visit: Visit) -> HttpResponse {
    visit.page("register.html", json!({}))
}

pub async fn register(visit: Visit, form: web::Form<RegisterForm>) -> HttpResponse {
    let mut faults = FormErrors::none(visit.lang);
    faults.line("name", &form.name);
    faults.email("email", &form.email);
    faults.line("login", &form.login);
    faults.new_password("password", &form.password);
    if faults.is_empty() {
        let (login, name) = (form.login.trim(), form.name.trim());
        let made = visit.change(|visitor| visitor.register(login, &form.password, name, form.email.trim()));
        match made {
            Ok(()) => {
                return visit
                    .redirect_with_message("/demo/", visit.text("sign_in.welcome").replace("{name}", name));
            }
            Err(RegisterError::Taken) => faults.add_if(true, "login", "register.taken"),
            Err(RegisterError::Full) => faults.add_if(true, "login", "register.full"),
        }
    }
    visit.refuse("register.html", json!({ "errors": faults, "form": form.0 }))
}
