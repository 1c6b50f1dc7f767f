//! Verdicts of the gate, one line a case: the action, the page, and the whole verdict. Every rule of the built-in
//! policy is hit by a line. S1.13, S1.24.

use crate::gate_page::*;
use askfirst::gate::meaning::effect_class::EffectClass::*;
use askfirst::gate::meaning::effect_class::{ActionProperties, EffectClass};
use askfirst::gate::verdict::Decision::{Allow, Deny, RequiresConfirmation as Asks};
use askfirst::gate::verdict::Risk::{High, Low, Medium};
use askfirst::gate::verdict::{Decision, Risk};
use askfirst::gate::{decide_by_rules, rules::Rules};
use askfirst::page::observation::PageDialog;
use askfirst::page::target::Target;
use askfirst::turn::action::{
    Action, AgentAction, BrowserAction, Direction, PageAction, PersonAction, TabOperation,
};
use askfirst::turn::page_input::mouse::{Button, Modifier};
use std::collections::BTreeSet;

type Row = (Action, Option<Target>, &'static str, (Decision, &'static str, EffectClass, Risk));

const ASKS_TO_BUY: (Decision, &str, EffectClass, Risk) = (Asks, "buy", Purchase, High);
const FREE_INPUT: (Decision, &str, EffectClass, Risk) = (Allow, "input", Input, Low);
const FREE_CART: (Decision, &str, EffectClass, Risk) = (Allow, "cart", Submit, Low);
const FREE_READ: (Decision, &str, EffectClass, Risk) = (Allow, "read", Read, Low);
const FREE_WAY: (Decision, &str, EffectClass, Risk) = (Allow, "navigate", Navigate, Low);
const ASKS_SUBMIT: (Decision, &str, EffectClass, Risk) = (Asks, "submit", Submit, Medium);
const ASKS_MESSAGE: (Decision, &str, EffectClass, Risk) = (Asks, "message", Message, Medium);
const ASKS_DELETE: (Decision, &str, EffectClass, Risk) = (Asks, "delete", Delete, High);
const ASKS_LOGIN: (Decision, &str, EffectClass, Risk) = (Asks, "credentials", Credentials, Medium);
const ASKS_ACCOUNT: (Decision, &str, EffectClass, Risk) = (Asks, "account", Account, High);
const ASKS_GRANT: (Decision, &str, EffectClass, Risk) = (Asks, "permission", Permission, High);
const ASKS_UNKNOWN: (Decision, &str, EffectClass, Risk) = (Asks, "unknown", Unknown, Medium);
const DENIES_SCHEME: (Decision, &str, EffectClass, Risk) = (Deny, "deny-scheme", Unknown, High);

fn at(action: Action, target: Target, expected: (Decision, &'static str, EffectClass, Risk)) -> Row {
    (action, Some(target), SHOP, expected)
}

fn bare(action: Action, expected: (Decision, &'static str, EffectClass, Risk)) -> Row {
    (action, None, SHOP, expected)
}

#[rustfmt::skip]
fn reading_and_navigation() -> Vec<Row> {
    vec![
        // Reading and moving about never ask.
        bare(Action::Page(PageAction::Scroll { direction: Direction::Down, amount: 1.0, eid: None }), FREE_READ),
        bare(Action::Page(PageAction::Extract { eid: None, schema: None, format: None }), FREE_READ),
        bare(Action::Page(PageAction::Wait { seconds: 1.0, text: None, gone: None }), FREE_READ),
        bare(Action::Person(PersonAction::NeedUser { text: "log in".into() }), FREE_READ),
        bare(Action::Agent(AgentAction::Stop { response: None }), FREE_READ),
        at(Action::Page(PageAction::Hover { eid: 7 }), button("Buy now"), FREE_READ),
        bare(Action::Browser(BrowserAction::Back), FREE_WAY),
        bare(Action::Browser(BrowserAction::Reload), FREE_WAY),
        bare(navigate("https://shop.test/cart"), FREE_WAY),
        bare(navigate("shop.test/checkout"), FREE_WAY),
        bare(navigate("about:blank"), FREE_WAY),
        at(click(), link("Blue lamp", "https://shop.test/lamp"), FREE_WAY),
        at(click(), link("Sign in", "https://shop.test/login"), FREE_WAY),
        at(click(), link("Реєстрація", "https://shop.test/signup"), FREE_WAY),
        at(click(), link("Checkout", "https://shop.test/checkout"), FREE_WAY),
        at(click(), link("Оформити замовлення", "https://shop.test/checkout"), FREE_WAY),
        at(click(), link("Proceed to checkout", "https://shop.test/checkout"), FREE_WAY),
        at(click(), link("Order history", "https://shop.test/orders"), FREE_WAY),
        at(click(), link("Оплата і доставка", "https://shop.test/delivery"), FREE_WAY),
        at(click(), link("How to delete your account", "https://help.test/1"), FREE_WAY),
        at(click(), link("Delete these ten apps before they drain your battery", "https://news.test/1"), FREE_WAY),
        at(click(), link("Купити", "https://shop.test/lamp"), FREE_WAY),
        at(click(), link("Contents", "https://shop.test/page#contents"), FREE_WAY),
        at(click(), link("Write to us", "mailto:a@shop.test"), FREE_INPUT),
        // Links that are orders.
        at(click(), link("Delete account", "https://shop.test/account/delete"), (Asks, "delete-account", Delete, High)),
        at(click(), link("Buy now", "https://shop.test/buy?id=1"), ASKS_TO_BUY),
        at(click(), link("Log out", "https://shop.test/logout"), (Asks, "sign-out", Account, Low)),
        at(click(), link("", "https://shop.test/items/3/delete"), ASKS_DELETE),
        at(click(), link("Unsubscribe", "https://shop.test/u?t=1"), ASKS_ACCOUNT),
        at(click(), link("Додати в кошик", "https://shop.test/cart/add?id=1"), FREE_CART),
        at(click(), link("Видалити", "javascript:void(0)"), ASKS_DELETE),
        at(click(), link("Купити", "https://shop.test/page#"), ASKS_TO_BUY),
        // Targets of links.
        at(click(), link("Setup", "https://shop.test/files/setup.EXE"), (Asks, "download-program", Download, High)),
        at(click(), link("Get it", "https://shop.test/get?file=tool.dmg"), (Asks, "download-program", Download, High)),
        bare(navigate("https://shop.test/app.apk"), (Asks, "download-program", Download, High)),
        at(click(), Target { download: true, ..link("Price list", "https://shop.test/prices.pdf") }, (Allow, "download-file", Download, Low)),
        at(click(), link("Export", "blob:https://shop.test/1"), (Allow, "download-file", Download, Low)),
        at(click(), link("Call an app", "steam://run/1"), ASKS_UNKNOWN),
    ]
}

#[rustfmt::skip]
fn tabs_drags_and_dialogs() -> Vec<Row> {
    let tab = |operation, url: Option<&str>| Action::Browser(BrowserAction::Tab { operation, tab: Some(2), url: url.map(str::to_owned) });
    let dialog = |message: &str| PageDialog::new("confirm", message, "").target(SHOP);
    let yes = || Action::Page(PageAction::Dialog { accept: true, text: None });
    vec![
        // A new tab is judged by what it opens.
        bare(tab(TabOperation::New, None), FREE_WAY),
        bare(tab(TabOperation::New, Some("https://shop.test/cart")), FREE_WAY),
        bare(tab(TabOperation::New, Some("file:///etc/passwd")), DENIES_SCHEME),
        bare(tab(TabOperation::New, Some("http://192.168.0.1/")), (Deny, "deny-private", Navigate, High)),
        bare(tab(TabOperation::New, Some("https://shop.test/setup.exe")), (Asks, "download-program", Download, High)),
        bare(tab(TabOperation::Switch, None), FREE_WAY),
        bare(tab(TabOperation::Close, None), FREE_WAY),
        // Dragging sorts, unless what it is dropped on says more.
        at(drag(), element("listitem", "li", "Write tests"), FREE_INPUT),
        at(drag(), element("group", "div", "Done"), FREE_INPUT),
        at(drag(), element("group", "div", "Delete"), ASKS_DELETE),
        at(drag(), element("group", "div", "Видалити"), ASKS_DELETE),
        at(drag(), element("button", "button", "Publish"), ASKS_MESSAGE),
        // A file is only ever given after a question.
        at(Action::Page(PageAction::Upload { eid: 7, files: vec!["cv.pdf".into()] }), field("button", "CV").with_kind("file"), (Asks, "upload", Upload, Medium)),
        at(Action::Page(PageAction::Upload { eid: 7, files: vec!["cv.pdf".into()] }), button("Choose a picture"), (Asks, "upload", Upload, Medium)),
        // "OK" does what the dialog asks; "Cancel" is free.
        at(Action::Page(PageAction::Dialog { accept: false, text: None }), dialog("Delete it?"), FREE_READ),
        // The dialog on leaving a page is judged as the navigation was.
        at(yes(), PageDialog::new("beforeunload", "", "").target(SHOP), FREE_WAY),
        at(yes(), dialog("Delete it?"), ASKS_DELETE),
        at(yes(), dialog("Ви справді хочете видалити цей запис?"), ASKS_DELETE),
        at(yes(), dialog("Place the order for $49?"), ASKS_TO_BUY),
        at(yes(), dialog("Send this message to everybody?"), ASKS_MESSAGE),
        at(yes(), dialog("Are you sure?"), ASKS_SUBMIT),
        at(yes(), dialog("This page has a long text that says nothing of what will come of it"), ASKS_SUBMIT),
        at(yes(), dialog("Remove the lamp from your cart?"), FREE_CART),
        at(yes(), dialog("We use cookies, is that right?"), FREE_INPUT),
    ]
}

#[rustfmt::skip]
fn addresses() -> Vec<Row> {
    vec![
        bare(navigate("file:///etc/passwd"), DENIES_SCHEME),
        bare(navigate("chrome://settings"), DENIES_SCHEME),
        bare(navigate("javascript:alert(1)"), DENIES_SCHEME),
        bare(navigate("view-source:https://shop.test"), DENIES_SCHEME),
        bare(navigate("about:config"), (Deny, "deny-script-address", Unknown, High)),
        bare(navigate("data:text/html,<h1>hi</h1>"), (Deny, "deny-script-address", Unknown, High)),
        at(click(), link("Files", "file:///home"), DENIES_SCHEME),
        bare(navigate("http://169.254.169.254/latest"), (Deny, "deny-metadata", Navigate, High)),
        at(click(), link("Keys", "http://metadata.google.internal/"), (Deny, "deny-metadata", Navigate, High)),
        bare(navigate("http://192.168.0.1/"), (Deny, "deny-private", Navigate, High)),
        bare(navigate("localhost:3000"), (Deny, "deny-private", Navigate, High)),
        bare(navigate("http://127.0.0.1:8787/demo/"), FREE_WAY),
        bare(navigate("http://127.0.0.1:8787/api/questions"), (Deny, "own-service", Navigate, High)),
        at(click(), post("OK", "/x", &[]).sent_to("http://10.0.0.1/admin"), (Deny, "deny-private", Submit, High)),
        // A page that led into the private network cannot be read, but can be left.
        (Action::Page(PageAction::Extract { eid: None, schema: None, format: None }), None, "http://10.0.0.1/", (Deny, "deny-private", Read, High)),
        (Action::Browser(BrowserAction::Back), None, "http://10.0.0.1/", FREE_WAY),
        bare(navigate("ftp://shop.test/"), ASKS_UNKNOWN),
        bare(navigate("http://[broken"), ASKS_UNKNOWN),
    ]
}

#[rustfmt::skip]
fn forms() -> Vec<Row> {
    vec![
        // A GET form without password or card is a read.
        at(click(), sends("Search", "get", "/search", &["search q=lamp"]), FREE_READ),
        at(click(), sends("Go", "get", "/find", &["text q=lamp"]), FREE_READ),
        at(click(), sends("Застосувати", "get", "/goods", &["text max=100"]), FREE_READ),
        at(press("Enter"), sends("", "get", "/search", &["search q=lamp"]).at_field("searchbox", "Search"), FREE_READ),
        at(typed("lamp", true), sends("Знайти", "get", "/search", &["search q=lamp"]).at_field("searchbox", "Пошук"), FREE_READ),
        at(click(), sends("Log in", "get", "/", &["text user=a", "password pass"]), ASKS_LOGIN),
        at(click(), sends("Delete account", "get", "/", &[]), (Asks, "delete-account", Delete, High)),
        // The address says more than a button that speaks of the cart.
        at(click(), post("Add to cart", "/checkout", &["text qty=1"]), ASKS_TO_BUY),
        at(click(), post("Add to cart", "/cart/add", &["text qty=1"]), FREE_CART),
        at(click(), post("Sort", "/account/delete", &["text by"]), (Asks, "delete-account", Delete, High)),
        at(click(), post("Update cart", "/cart/remove", &["text by"]), FREE_CART),
        at(hover(), by_itself("img", "Lamp", "post", "/order", &["text by"]), ASKS_TO_BUY),
        at(click(), Target { sends_itself: true, ..link("Details", "javascript:document.forms.order.submit()") }, ASKS_UNKNOWN),
        // A control that sends its form by itself is judged as the form.
        at(click(), by_itself("checkbox", "Gift", "post", "/order", &["card number"]), ASKS_TO_BUY),
        at(choose("Lviv"), by_itself("combobox", "City", "post", "/checkout", &["text city"]), ASKS_TO_BUY),
        at(typed("2", false), by_itself("spinbutton", "Amount", "post", "/x", &["text amount"]), ASKS_SUBMIT),
        at(choose("uk"), by_itself("combobox", "Language", "post", "/locale", &["text lang"]), FREE_CART),
        at(choose("Lviv"), by_itself("combobox", "City", "get", "/find", &["text city"]), FREE_READ),
        // A click into a field only puts the cursor there, though Enter in it would send.
        at(click(), post("Log in", "/login", &["text Login", "password Password"]).at_field("textbox", "Login"), FREE_INPUT),
        // A bare price is no description.
        at(click(), button("$49.99"), ASKS_UNKNOWN),
        at(click(), button("i would like to have this thing here for $500 please"), ASKS_UNKNOWN),
        at(click(), button("a thing whose name goes on and on until it is cut somewhere here…"), ASKS_UNKNOWN),
        at(click(), button("×"), FREE_INPUT),
        // Cookies can also be goods, and not a banner.
        at(click(), button("OK").near("Buy cookies for $500"), ASKS_SUBMIT),
        at(click(), sends("Send", "get", "/", &["email from=a@b.c", "textarea text=hi"]), ASKS_MESSAGE),
        // Typing, choosing, ticking are not yet sending.
        at(typed("hunter2", false), post("Log in", "/login", &["password Password"]).at_field("textbox", "Password"), FREE_INPUT),
        at(Action::Page(PageAction::Select { eid: 7, options: vec!["Poland".into()] }), field("combobox", "Country"), FREE_INPUT),
        at(click(), element("radio", "input", "Pay by card"), FREE_INPUT),
        at(click(), element("checkbox", "input", "I agree to the terms"), FREE_INPUT),
        at(click(), element("tab", "button", "Orders"), FREE_INPUT),
        at(click(), field("textbox", "Message"), FREE_INPUT),
        // Money.
        at(click(), post("Place order", "/checkout", &["text name=Olena"]), ASKS_TO_BUY),
        at(click(), post("Оформити замовлення", "/checkout", &["text name=Olena"]), ASKS_TO_BUY),
        at(click(), post("OK", "/next", &["card Card number"]), ASKS_TO_BUY),
        at(click(), post("Continue", "/checkout/address", &["text city=Lviv"]), ASKS_SUBMIT),
        at(click(), post("Ship to this address", "/checkout/shipping-address/", &["text city=Lviv"]), ASKS_SUBMIT),
        at(click(), post("Continue", "/checkout/payment-details", &["text city=Lviv"]), ASKS_TO_BUY),
        at(click(), post("Save note", "/dashboard/orders/100002/", &["textarea message=x"]), ASKS_SUBMIT),
        at(click(), post("Save", "/orders/100002/pay", &["text city=Lviv"]), ASKS_TO_BUY),
        at(click(), post("Confirm", "/step3", &[]).under("Checkout"), ASKS_TO_BUY),
        at(press("Enter"), post("Pay ₴1 250", "/pay", &["card Card"]).at_field("textbox", "Card"), ASKS_TO_BUY),
        at(click(), post("Apply coupon", "/checkout", &["card Card", "text coupon=X"]), ASKS_TO_BUY),
        at(click(), post("Delete card", "/cards/1/delete", &["card Card"]), (Asks, "card", Delete, High)),
        at(click(), post("Subscribe", "/plan", &[]).with_text("Premium, $9.99 a month"), ASKS_TO_BUY),
        // Passwords and accounts.
        at(click(), post("Увійти", "/login", &["text login=a", "password Пароль"]), ASKS_LOGIN),
        at(typed("x", true), post("Log in", "/login", &["password Password"]).at_field("textbox", "Password"), ASKS_LOGIN),
        at(click(), post("Continue", "/go", &["password code"]), ASKS_LOGIN),
        at(click(), post("Continue", "/identify", &["email e=a@b.c"]).under("Sign in"), ASKS_LOGIN),
        at(click(), button("Sign in with Google"), (Asks, "sign-in-with", Credentials, High)),
        at(click(), post("Sign up", "/signup", &["email e=a@b.c", "password p"]), ASKS_ACCOUNT),
        at(click(), post("Save", "/me", &["password old", "password new"]), ASKS_ACCOUNT),
        at(click(), post("Change e-mail", "/me", &["email new=a@b.c"]), ASKS_ACCOUNT),
        at(click(), post("Log out", "/logout", &[]), (Asks, "sign-out", Account, Low)),
        at(click(), post("Видалити акаунт", "/account/delete", &["password p"]), (Asks, "delete-account", Delete, High)),
        // Words to others.
        at(click(), post("Send", "/contact", &["email from=a@b.c", "textarea text=hi"]), ASKS_MESSAGE),
        at(click(), post("OK", "/x", &["textarea text=hi"]), ASKS_SUBMIT),
        at(click(), post("OK", "/x", &["textarea comment=hi"]), ASKS_MESSAGE),
        at(click(), post("OK", "/x", &["text to=olena", "textarea text=hi"]), ASKS_MESSAGE),
        at(click(), post("Save", "/c", &["textarea text=hi"]).under("Add a comment"), ASKS_MESSAGE),
        at(click(), post("Save", "/addresses/3", &["email e=a@b.c", "textarea notes=hi"]), ASKS_SUBMIT),
        at(click(), post("Continue to step 2", "/offers/1", &["textarea description=hi"]), ASKS_SUBMIT),
        at(click(), post("Publish", "/articles", &["text title=Hi"]), ASKS_MESSAGE),
        at(press("Control+Enter"), post("Comment", "/c", &["textarea text=hi"]).at_field("textbox", "Text"), ASKS_MESSAGE),
        // Files, permissions, deleting, the rest.
        at(click(), post("OK", "/import", &["file data=a.csv"]), (Asks, "upload", Upload, Medium)),
        at(click(), element("button", "input", "Choose file").with_kind("file"), (Asks, "upload", Upload, Medium)),
        at(click(), post("Надіслати повернення", "/returns", &["textarea reason=x", "file photo=a.jpg"]), (Asks, "upload", Upload, Medium)),
        at(click(), post("Так, видалити назавжди", "/account/delete", &[]), (Asks, "delete-account", Delete, High)),
        at(click(), post("Зберегти e-mail", "/account/email", &["email e=a@b.c"]).under("Змінити e-mail"), ASKS_ACCOUNT),
        at(click(), post("Забрати доступ", "/unshare", &["hidden e=a@b.c"]), ASKS_GRANT),
        at(click(), button("Прийняти печиво"), FREE_INPUT),
        at(click(), post("Invite", "/team/invite", &["email who=a@b.c"]), ASKS_GRANT),
        at(click(), post("Remove photo", "/photo/1", &[]), ASKS_DELETE),
        // A box that deletes one row of many counts only if it is ticked, and a title only by what it says first.
        at(click(), post("Save", "/stock/1", &["checkbox s-0-DELETE="]), ASKS_SUBMIT),
        at(click(), post("Save", "/stock/1", &["checkbox s-0-DELETE=on"]), ASKS_DELETE),
        at(click(), post("Save", "/stock/1", &["hidden s-0-DELETE=on"]), ASKS_DELETE),
        at(click(), post("Save", "/p/1", &["text a=b"]).under("Upload, change or remove images"), ASKS_SUBMIT),
        at(click(), post("Save", "/p/1", &["file a=x.png"]).under("Upload, change or remove images"), (Asks, "upload", Upload, Medium)),
        at(click(), post("Continue", "/step2", &["text city=Lviv"]), ASKS_SUBMIT),
        at(click(), post("Frobnicate", "/x", &["text a=b"]), ASKS_SUBMIT),
        at(click(), post("Subscribe", "/news", &["email e=a@b.c"]), ASKS_SUBMIT),
        at(click(), post("Save", "/settings", &["text city=Lviv"]).sent_to("https://evil.test/collect"), (Asks, "send-elsewhere", Submit, High)),
        at(click(), post("Log in", "/login", &["password p"]).sent_to("https://evil.test/login"), (Asks, "send-elsewhere", Credentials, High)),
        // The visitor's own cart and view.
        at(click(), post("Add to cart", "/cart/add", &["number quantity=1"]), FREE_CART),
        at(click(), post("Купити", "/cart/add", &["hidden id=3"]), FREE_CART),
        at(click(), post("+", "/cart/items/3", &[]), FREE_CART),
        at(click(), post("Remove", "/cart/items/3/remove", &[]), FREE_CART),
        at(click(), post("Apply coupon", "/cart/coupon", &["text code=X"]), FREE_CART),
        at(click(), post("Sort", "/goods", &["select order=price"]), FREE_CART),
        at(click(), post("Accept all", "/privacy", &[]).near("We use cookies"), FREE_CART),
        at(click(), post("Add to cart", "/cart", &["textarea note=hi"]), ASKS_SUBMIT),
        at(click(), post("Checkout", "/cart", &["number quantity=1"]), ASKS_TO_BUY),
    ]
}

#[rustfmt::skip]
fn buttons() -> Vec<Row> {
    vec![
        // The click changes only the view.
        at(click(), button("Show more"), FREE_INPUT),
        at(click(), button("Показати ще"), FREE_INPUT),
        at(click(), button("Next slide"), FREE_INPUT),
        at(click(), button("View order"), FREE_INPUT),
        at(click(), button("Close"), FREE_INPUT),
        at(click(), button("×"), FREE_INPUT),
        at(click(), button("27"), FREE_INPUT),
        at(click(), button("Cancel"), FREE_INPUT),
        at(click(), button("Menu"), FREE_INPUT),
        at(click(), button("Filters"), FREE_INPUT),
        at(click(), button("Sort by price"), FREE_INPUT),
        at(click(), button("Accept all cookies"), FREE_INPUT),
        at(click(), button("Прийняти всі"), FREE_INPUT),
        at(click(), button("Reject").near("We use cookies to make the site better"), FREE_INPUT),
        at(click(), Target { opens: true, ..button("Blorp") }, FREE_INPUT),
        at(click(), element("clickable", "div", "Blue lamp with a brass foot"), FREE_INPUT),
        at(Action::Page(PageAction::Click { eid: 7, button: Button::Right, count: 1, modifiers: Vec::new(), hold_ms: 0 }), button("Delete"), FREE_INPUT),
        // Keys that are held change nothing, but Alt saves what a link leads to.
        at(click_holding(Modifier::Control), button("Buy now"), ASKS_TO_BUY),
        at(click_holding(Modifier::Alt), link("Blue lamp", "https://shop.test/lamp"), (Allow, "download-file", Download, Low)),
        // Several fields count as the gravest of them.
        at(fill(false), fields(field("textbox", "City"), field("textbox", "Street")), FREE_INPUT),
        at(fill(false), fields(field("textbox", "City"), by_itself("combobox", "Sort", "post", "/items/3/delete", &["select a=b"])), ASKS_DELETE),
        at(fill(true), fields(post("Log in", "/login", &["password p"]).at_field("textbox", "Name"), field("textbox", "City")), ASKS_LOGIN),
        // A point counts as the element there; a drawing does not say what it does.
        at(at_point(), button("Buy now"), ASKS_TO_BUY),
        at(at_point(), button("Show more"), FREE_INPUT),
        at(at_point(), element("img", "canvas", "Plan of the house"), ASKS_UNKNOWN),
        bare(at_point(), ASKS_UNKNOWN),
        // An order without a form.
        at(click(), button("Buy now"), ASKS_TO_BUY),
        at(click(), button("Yes, delete"), ASKS_DELETE),
        at(click(), button("Close and delete"), ASKS_DELETE),
        at(click(), button("Yes").under("Delete this photo?"), ASKS_DELETE),
        at(click(), button("Cancel order"), ASKS_DELETE),
        at(click(), button("Send"), ASKS_MESSAGE),
        at(click(), button("Allow access"), ASKS_GRANT),
        at(click(), element("switch", "button", "Make public"), ASKS_GRANT),
        at(click(), button("Add to cart"), FREE_CART),
        at(click(), button("Remove").under("Your cart"), FREE_CART),
        at(click(), button("Confirm"), ASKS_SUBMIT),
        at(click(), button("Follow"), ASKS_SUBMIT),
        at(click(), button("Download for Windows"), (Asks, "download-program", Download, High)),
        at(click(), button("Download invoice"), (Allow, "download-file", Download, Low)),
        at(click(), element("menuitem", "div", "Delete"), ASKS_DELETE),
        // Unknown effect.
        at(click(), button("Frobnicate"), ASKS_UNKNOWN),
        at(click(), button(""), ASKS_UNKNOWN),
        at(click(), button("Cancel flight"), ASKS_UNKNOWN),
        bare(click(), ASKS_UNKNOWN),
        // Keys.
        at(press("Enter"), button("Delete"), ASKS_DELETE),
        at(press("Space"), button("Buy now"), ASKS_TO_BUY),
        at(press("a"), field("textbox", "City"), FREE_INPUT),
        at(press("ArrowDown"), button("Delete"), FREE_INPUT),
        bare(press("Escape"), FREE_INPUT),
        bare(press("PageDown"), FREE_INPUT),
        bare(press("Delete"), ASKS_DELETE),
        bare(press("e"), ASKS_UNKNOWN),
        bare(press("Enter"), ASKS_UNKNOWN),
        at(press("Enter"), field("searchbox", "Find"), FREE_INPUT),
        at(press("Enter"), field("textbox", "Напишіть повідомлення"), ASKS_MESSAGE),
        at(press("Control+A"), field("textbox", "City"), FREE_INPUT),
        at(press("Control+S"), field("textbox", "City"), ASKS_SUBMIT),
    ]
}

#[rustfmt::skip]
fn disguises() -> Vec<Row> {
    vec![
        at(click(), button("Pa\u{200b}y now"), ASKS_TO_BUY),
        at(click(), button("P\u{ad}a\u{ad}y now"), ASKS_TO_BUY),
        at(click(), button("\u{202e}Place order"), ASKS_TO_BUY),
        at(click(), button("Рау now"), ASKS_TO_BUY),
        at(click(), button("Dеlеtе"), ASKS_DELETE),
        at(click(), button("Кyпити зараз"), ASKS_TO_BUY),
        at(click(), button("B u y  n o w"), (Asks, "unknown", Unknown, Medium)),
        at(click(), button("D e l e t e"), ASKS_DELETE),
        at(click(), button("ＰＬＡＣＥ ＯＲＤＥＲ"), ASKS_TO_BUY),
        at(click(), button("𝗕𝘂𝘆 𝗻𝗼𝘄"), ASKS_TO_BUY),
        at(click(), button("pLaCe OrDeR"), ASKS_TO_BUY),
        at(click(), button("Show details. Place order"), ASKS_TO_BUY),
        at(click(), button("Sé́nd"), ASKS_MESSAGE),
    ]
}

/// A role that a page gives to a thing excuses no name of an effect. S1.24.
#[rustfmt::skip]
fn roles() -> Vec<Row> {
    vec![
        at(click(), element("tab", "div", "Place order"), ASKS_TO_BUY),
        at(click(), element("option", "div", "Send message"), ASKS_MESSAGE),
        at(click(), element("tab", "button", "Publish"), ASKS_MESSAGE),
        at(click(), element("radio", "div", "Confirm booking"), ASKS_TO_BUY),
        at(click(), element("checkbox", "input", "Pay 500").with_kind("button"), ASKS_TO_BUY),
        at(click(), element("option", "label", "Delete account"), (Asks, "delete-account", Delete, High)),
        at(click(), Target { editable: true, ..button("Place order") }, ASKS_TO_BUY),
        at(click(), Target { other_name: "Place order".into(), ..button("Details") }, ASKS_TO_BUY),
        at(click(), Target { other_name: "Place order".into(), ..post("Next", "/x", &[]) }, ASKS_TO_BUY),
        at(click(), Target { tag: "label".into(), role: "checkbox".into(), ..post("Place order", "/x", &[]) }, ASKS_TO_BUY),
        at(click(), element("checkbox", "label", "Delete old files").with_kind("checkbox"), FREE_INPUT),
        at(click(), element("clickable", "label", "Send me news").with_kind("checkbox"), FREE_INPUT),
        at(click(), element("radio", "input", "Pay on delivery").with_kind("radio"), FREE_INPUT),
        at(click(), element("tab", "div", "Description"), FREE_INPUT),
        at(click(), element("option", "div", "Lviv"), FREE_INPUT),
        at(click(), Target { editable: true, ..element("textbox", "div", "Send a message") }, FREE_INPUT),
    ]
}

#[rustfmt::skip]
fn languages() -> Vec<Row> {
    let buys = [
        "Купити", "Замовити", "Оплатити", "Купить сейчас", "Оформить заказ", "Jetzt kaufen", "Zahlungspflichtig bestellen",
        "Acheter maintenant", "Passer la commande", "Payer", "Comprar ahora", "Realizar pedido", "Pagar", "Acquista ora",
        "Paga ora", "Kup teraz", "Zamawiam i płacę", "Finalizar compra", "Nu kopen", "Bestelling plaatsen", "Satın al",
        "Siparişi onayla", "Koupit", "Zaplatit", "Cumpără acum", "Plasează comanda", "Köp nu", "Slutför köp", "立即购买",
        "提交订单", "購入する", "注文を確定する", "구매하기", "주문하기", "Book now", "Забронювати", "Réserver", "Transfer money",
    ];
    let deletes = [
        "Видалити", "Удалить", "Löschen", "Supprimer", "Eliminar", "Elimina", "Usuń", "Excluir", "Verwijderen", "Sil",
        "Smazat", "Șterge", "Ta bort", "删除", "削除", "삭제", "Remove photo",
    ];
    let messages = [
        "Надіслати", "Відповісти", "Отправить", "Senden", "Envoyer", "Enviar", "Invia", "Wyślij", "Verzenden", "Gönder",
        "Odeslat", "Trimite", "Skicka", "发送", "送信", "보내기", "Опублікувати", "Publier", "Veröffentlichen",
    ];
    let carts = [
        "Додати в кошик", "В корзину", "In den Warenkorb", "Ajouter au panier", "Añadir al carrito", "Aggiungi al carrello",
        "Dodaj do koszyka", "Adicionar ao carrinho", "In winkelwagen", "Sepete ekle", "Do košíku", "Adaugă în coș",
        "Lägg i varukorgen", "加入购物车", "カートに入れる", "장바구니 담기",
    ];
    let views = [
        "Показати більше", "Показать ещё", "Mehr anzeigen", "Voir plus", "Ver más", "Mostra", "Pokaż więcej", "Ver mais",
        "Lees meer", "Daha fazla göster", "Zobrazit", "Vezi mai mult", "Visa mer", "更多", "もっと見る", "더 보기", "Закрити",
        "Закрыть", "Schließen", "Fermer", "Cerrar", "Chiudi", "Zamknij", "Kapat", "Tout accepter", "Alle akzeptieren",
    ];
    let logins = ["Увійти", "Войти", "Anmelden", "Se connecter", "Iniciar sesión", "Accedi", "Zaloguj się", "Giriş yap", "ログイン"];
    let row = |name: &&str, expected| at(click(), button(name), expected);
    let mut rows: Vec<Row> = buys.iter().map(|name| row(name, ASKS_TO_BUY)).collect();
    rows.extend(deletes.iter().map(|name| row(name, ASKS_DELETE)));
    rows.extend(messages.iter().map(|name| row(name, ASKS_MESSAGE)));
    rows.extend(carts.iter().map(|name| row(name, FREE_CART)));
    rows.extend(views.iter().map(|name| row(name, FREE_INPUT)));
    rows.extend(logins.iter().map(|name| row(name, ASKS_LOGIN)));
    rows
}

fn scenarios() -> Vec<Row> {
    [
        reading_and_navigation(),
        tabs_drags_and_dialogs(),
        addresses(),
        forms(),
        buttons(),
        disguises(),
        roles(),
        languages(),
    ]
    .concat()
}

// S1.13, S1.24
#[test]
fn every_line_of_the_table_holds() {
    let mut faults = Vec::new();
    for (action, target, url, expected) in scenarios() {
        let found = judged(&action, target.as_ref(), url);
        let found = (found.decision, found.rule.as_str(), found.effect, found.risk);
        if found != expected {
            let name =
                target.map(|target| format!("{} \"{}\"", target.role, target.name)).unwrap_or_default();
            faults.push(format!("{action:?} {name}: {found:?}, not {expected:?}"));
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn every_built_in_rule_is_hit_by_a_line() {
    let mut hit: BTreeSet<String> = scenarios()
        .iter()
        .map(|(action, target, url, _)| judged(action, target.as_ref(), url).rule)
        .collect();
    for effect in [Shell, Python, Compute, AgentCall, Tool] {
        hit.insert(decide_by_rules(Rules::built_in(), &ActionProperties::without_page(effect), None).rule);
    }
    // Needs an agent with `allowed_hosts`: see gate_hosts.
    hit.insert(String::from("new-host"));
    let missed: Vec<&str> =
        Rules::built_in().iter().map(|rule| rule.id.as_str()).filter(|id| !hit.contains(*id)).collect();
    assert!(missed.is_empty(), "no line hits {missed:?}");
}

#[test]
fn code_asks_and_a_call_of_an_agent_does_not() {
    let verdict =
        |effect| decide_by_rules(Rules::built_in(), &ActionProperties::without_page(effect), None).decision;
    let found = [Shell, Python, Compute, AgentCall, Tool].map(verdict);
    assert_eq!([Asks, Asks, Allow, Allow, Asks], found);
}

#[test]
fn empty_forms_send_nothing() {
    let page = page(SHOP);
    for name in ["Log in", "Sign up", "Reply", "Увійти", "Next"] {
        let target = button(name);
        let ask = askfirst::gate::request::AssessmentRequest {
            action: &click(),
            target: Some(&target),
            page: &page,
            context: &context(),
        };
        assert_eq!(askfirst::gate::assess(Rules::built_in(), &ask).decision, Allow, "{name}");
    }
}

#[test]
fn a_very_long_name_is_judged_by_its_beginning_and_quickly() {
    let name = format!("Buy now {}", "lorem ipsum ".repeat(100_000));
    let verdict = judged(&click(), Some(&button(&name)), SHOP);
    assert_eq!(verdict.effect, Purchase);
    assert!(verdict.sentence(askfirst::protocol::Locale::En).chars().count() < 300);
}
