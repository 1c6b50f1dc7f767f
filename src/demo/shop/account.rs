//! Account pages of a signed-in visitor: e-mail, password, deletion and sharing.

use crate::demo::form_errors::FormErrors;
use crate::demo::products::choose_known;
use crate::demo::templates::merge_objects;
use crate::demo::visitors::visit::Visit;
use crate::demo::visitors::visitor::{Account, Share, Visitor};
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const ROLES: [&str; 3] = ["view", "buy", "all"];
const MOST_SHARES: usize = 20;

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
pub struct EmailForm {
    email: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct PasswordForm {
    old_password: String,
    new_password: String,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ShareForm {
    email: String,
    role: String,
}

fn account(visit: &Visit) -> Option<Account> {
    visit.read(|visitor| visitor.account().cloned())
}

fn to_sign_in(visit: &Visit) -> HttpResponse {
    visit.redirect_with_message("/demo/login", visit.text("sign_in.needed"))
}

fn change(visit: &Visit, work: impl FnOnce(&mut Account)) {
    visit.change(|visitor| visitor.account_mut().map(work));
}

pub async fn show(visit: Visit) -> HttpResponse {
    match account(&visit) {
        Some(account) => visit.page("account.html", json!({ "account": account })),
        None => to_sign_in(&visit),
    }
}

pub async fn change_email(visit: Visit, form: web::Form<EmailForm>) -> HttpResponse {
    let Some(account) = account(&visit) else { return to_sign_in(&visit) };
    let mut faults = FormErrors::none(visit.lang);
    faults.email("email", &form.email);
    if !faults.is_empty() {
        return visit.refuse("account.html", json!({ "account": account, "errors": faults, "form": form.0 }));
    }
    change(&visit, |account| account.email = form.email.trim().to_owned());
    visit.redirect_with_message("/demo/account", visit.text("account.email_saved"))
}

pub async fn change_password(visit: Visit, form: web::Form<PasswordForm>) -> HttpResponse {
    let Some(account) = account(&visit) else { return to_sign_in(&visit) };
    let mut faults = FormErrors::none(visit.lang);
    faults.add_if(!account.password_is(&form.old_password), "old_password", "errors.old_password");
    faults.new_password("new_password", &form.new_password);
    if !faults.is_empty() {
        return visit.refuse("account.html", json!({ "account": account, "errors": faults }));
    }
    change(&visit, |account| account.set_password(&form.new_password));
    visit.redirect_with_message("/demo/account", visit.text("account.password_saved"))
}

pub async fn ask_delete(visit: Visit) -> HttpResponse {
    match account(&visit) {
        Some(account) => visit.page("account_delete.html", json!({ "account": account })),
        None => to_sign_in(&visit),
    }
}

pub async fn delete(visit: Visit) -> HttpResponse {
    if account(&visit).is_none() {
        return to_sign_in(&visit);
    }
    visit.change(Visitor::delete_account);
    visit.redirect_with_message("/demo/", visit.text("account.deleted"))
}

pub async fn settings(visit: Visit) -> HttpResponse {
    match account(&visit) {
        Some(account) => visit.page("settings.html", settings_context(&visit, &account)),
        None => to_sign_in(&visit),
    }
}

pub async fn share(visit: Visit, form: web::Form<ShareForm>) -> HttpResponse {
    let Some(account) = account(&visit) else { return to_sign_in(&visit) };
    let email = form.email.trim().to_owned();
    let others = account.shares.iter().filter(|share| share.email != email).count();
    let mut faults = FormErrors::none(visit.lang);
    faults.email("email", &email);
    faults.add_if(others >= MOST_SHARES, "email", "settings.full");
    if !faults.is_empty() {
        let page = settings_context(&visit, &account);
        return visit
            .refuse("settings.html", merge_objects(json!({ "errors": faults, "form": form.0 }), page));
    }
    let message = visit.text("settings.shared").replace("{email}", &email);
    let role = choose_known(&form.role, &ROLES).to_owned();
    change(&visit, |account| {
        account.shares.retain(|share| share.email != email);
        account.shares.push(Share { email, role });
    });
    visit.redirect_with_message("/demo/settings", message)
}

pub async fn unshare(visit: Visit, form: web::Form<EmailForm>) -> HttpResponse {
    if account(&visit).is_none() {
        return to_sign_in(&visit);
    }
    change(&visit, |account| account.shares.retain(|share| share.email != form.email));
    visit.redirect_with_message(
        "/demo/settings",
        visit.text("settings.revoked").replace("{email}", &form.email),
    )
}

fn settings_context(visit: &Visit, account: &Account) -> Value {
    let share = |share: &Share| json!({ "email": share.email, "role_name": visit.text(&format!("roles.{}", share.role)) });
    let shares: Vec<Value> = account.shares.iter().map(share).collect();
    json!({ "shares": shares, "roles": visit.options("roles", &ROLES) })
}
