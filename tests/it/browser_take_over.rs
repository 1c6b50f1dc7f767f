//! Take-over of a page: secret fields by any mark, text that a person types while they hold the page, and fields in
//! frames of other sites.

use crate::browser_redaction::{FORM, hidden, is_seen, watch};
use crate::browser_stage::{Stage, bounded, find};
use askfirst::browser::messages::BrowserEvent;
use askfirst::browser::takeover::comparison::TakeoverChanges;
use askfirst::browser::takeover::input_state::HolderInput;
use askfirst::browser::takeover::page_holder::{GiveToPerson, ReturnToRun};
use askfirst::ids::SessionId;
use askfirst::page::text::write;
use askfirst::secrets::named_secrets::NamedSecrets;
use serde_json::{Value, json};

/// An address at which the site shows this.
pub fn at(site: &str, html: &str) -> String {
    format!("{site}/html?{}", url::form_urlencoded::byte_serialize(html.as_bytes()).collect::<String>())
}

/// A person at the page.
pub struct Person<'a>(pub &'a Stage, pub SessionId);

impl<'a> Person<'a> {
    pub async fn takes(stage: &'a Stage, session: SessionId) -> Self {
        bounded(stage.browser.send(GiveToPerson { holder: session.clone() })).await.unwrap().unwrap();
        Self(stage, session)
    }

    pub async fn does(&self, hands: Value) {
        let hands = serde_json::from_value(hands).unwrap();
        let input = HolderInput { holder: self.1.clone(), input: hands };
        bounded(self.0.browser.send(input)).await.unwrap().unwrap();
    }

    async fn types(&self, words: &str) {
        self.does(json!({"kind": "text", "text": words})).await;
    }

    pub async fn presses(&self, key: &str) {
        for event in ["down", "up"] {
            self.does(json!({"kind": "key", "event": event, "key": key, "code": key})).await;
        }
    }

    pub async fn clicks(&self, x: f64, y: f64) {
        for event in ["down", "up"] {
            let at = json!({"kind": "mouse", "event": event, "x": x, "y": y, "button": "left", "count": 3});
            self.does(at).await;
        }
    }

    pub async fn gives_back(self) -> TakeoverChanges {
        bounded(self.0.browser.send(ReturnToRun { holder: Some(self.1) })).await.unwrap().unwrap()
    }
}

const BY_LABEL: &str = "<label>CVV <input id=a value=314159></label><label>Password <input type=text value=314159></label>\
    <label for=b>Verification code</label><input id=b value=314159><span id=c>Security code</span>\
    <input aria-labelledby=c value=314159><label>Код з SMS <input value=314159></label>\
    <label>Код підтвердження <input value=314159></label><label>Sicherheitscode <input value=314159></label>\
    <label>Promo code <input value=promo7></label><label>Postcode <input value=79000></label>\
    <label>Код товару <input value=goods7></label><fieldset><legend>Code</legend>\
    <input maxlength=1 aria-label='Digit 1' value=8><input maxlength=1 aria-label='Digit 2' value=8>\
    <input maxlength=1 aria-label='Digit 3' value=8><input maxlength=1 aria-label='Digit 4' value=8></fieldset>\
    <label>Initial <input maxlength=1 value=Q></label>";

// Secret values are masked in page text, whatever marks the field as secret.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_label_makes_a_field_secret_too() {
    let stage = Stage::open().await;
    stage.show(BY_LABEL).await;
    let seen = stage.observe().await;
    let page = write(&seen, "n");
    // The address is what the test has written itself.
    let (_, lines) = page.split_once('\n').unwrap();
    assert!(!lines.contains("314159"), "{lines}");
    for harmless in ["promo7", "79000", "goods7", "\"Q\""] {
        assert!(lines.contains(harmless), "{harmless} in {lines}");
    }
    for digit in 1..=4 {
        assert!(find(&seen, &format!("Digit {digit}")).attributes.secret, "{lines}");
    }
    stage.finish().await;
}

// The stored snapshot of the page after a take-over contains none of the person's secrets.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_snapshot_after_a_take_over_contains_no_secret() {
    let stage = Stage::open().await;
    let toggled = "<title>Pay</title><input autofocus placeholder='Card number'><input name=sesame type=password>\
        <label>CVV <input></label><textarea aria-label=Note></textarea><textarea aria-label=Scrap></textarea>\
        <button onclick=\"document.querySelector('[name=sesame]').type='text'\">Show</button>";
    stage.show(toggled).await;
    let person = Person::takes(&stage, SessionId::fresh()).await;
    for words in ["5105105105105101", "opensesame", "735", "two lamps", "4111 1111 1111 1111"] {
        person.types(words).await;
        person.presses("Tab").await;
    }
    person.presses("Enter").await;
    let changes = person.gives_back().await;
    assert_eq!(changes.fields.len(), 5, "{changes:?}");
    assert!(!changes.signed_in, "a password that is shown is asked for still");
    let event = stage.event(|event| matches!(event, BrowserEvent::SnapshotTaken { .. })).await;
    let BrowserEvent::SnapshotTaken { snapshot } = event else { panic!("it is kept") };
    let stored = serde_json::to_string(&snapshot).unwrap();
    assert!(stored.contains("two lamps"), "{stored}");
    for secret in ["5105", "opensesame", "735", "4111"] {
        assert!(!stored.contains(secret), "{secret} in {stored}");
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn leaving_a_login_page_does_not_count_as_signing_in() {
    let stage = Stage::open().await;
    let away = format!("<a autofocus href='{}/html?away'>Away</a><input type=password>", stage.site);
    stage.show(&away).await;
    let person = Person::takes(&stage, SessionId::fresh()).await;
    person.presses("Enter").await;
    stage.event(|event| matches!(event, BrowserEvent::Navigated { url, .. } if url.ends_with("away"))).await;
    let changes = person.gives_back().await;
    assert!(changes.url.is_some() && !changes.signed_in, "{changes:?}");
    stage.finish().await;
}

/// Report of a take-over in which Enter runs this script.
async fn changes_after_enter(stage: &Stage, enter: &str) -> TakeoverChanges {
    let page =
        "<title>Shop</title><form onsubmit='return false'><label>Login <input autofocus></label></form>";
    stage
        .show(&format!(
            "{page}<script>onkeydown = (e) => {{ if (e.key === 'Enter') {{ {enter} }} }}</script>"
        ))
        .await;
    stage.observe().await;
    let person = Person::takes(stage, SessionId::fresh()).await;
    person.presses("Enter").await;
    if enter.contains("reload") {
        stage.event(|event| matches!(event, BrowserEvent::Navigated { .. })).await;
    }
    person.gives_back().await
}

// A hand-back tells a whole new form, a dialog, a frame and a document that was loaded anew, though the address and the
// title are the same.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_hand_back_reports_replaced_content_at_the_same_address() {
    let stage = Stage::open().await;
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let form =
        "document.body.innerHTML = '<form><label>Card <input></label><label>City <input></label></form>'";
    let changes = changes_after_enter(&stage, form).await;
    let expected = TakeoverChanges {
        came: names(&["Card", "City"]),
        gone: names(&["Login"]),
        text: true,
        ..TakeoverChanges::default()
    };
    assert_eq!(changes, expected);
    let dialog = "const d = document.createElement('dialog'); d.setAttribute('aria-label', 'Pay now'); \
                  d.textContent = 'Sure?'; document.body.append(d); d.showModal()";
    let changes = changes_after_enter(&stage, dialog).await;
    assert_eq!(
        changes,
        TakeoverChanges { dialogs: names(&["Pay now"]), text: true, ..TakeoverChanges::default() }
    );
    let frame = "document.body.append(Object.assign(document.createElement('iframe'), {srcdoc: 'x', src: 'about:blank'}))";
    assert_eq!(
        changes_after_enter(&stage, frame).await,
        TakeoverChanges { frames: true, ..TakeoverChanges::default() }
    );
    let reloaded = changes_after_enter(&stage, "location.reload()").await;
    assert!(reloaded.replaced && reloaded.url.is_none() && reloaded.title.is_none(), "{reloaded:?}");
    assert_eq!(changes_after_enter(&stage, "void 0").await, TakeoverChanges::default());
    stage.finish().await;
}

// Observations stop during a take-over, so the frames are not known yet.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn secrets_in_a_frame_of_another_site_are_covered_while_a_person_holds_the_page() {
    let stage = Stage::open().await;
    let form = FORM.replace("type=password", "type=text autocomplete=current-password");
    let inner = at(&stage.site.replace("127.0.0.1", "localhost"), &form);
    let page = format!(
        "<style>body{{margin:0}}</style><iframe width=900 height=600 frameborder=0 src='{inner}'></iframe>"
    );
    stage.show(&format!("<a autofocus href='{}'>Pay</a>", at(&stage.site, &page))).await;
    let (holder, mut mine) = watch(&stage).await;
    let (_, mut theirs) = watch(&stage).await;
    let person = Person::takes(&stage, holder).await;
    person.presses("Enter").await;
    // The holder sees all of it.
    bounded(async { while !is_seen(&mine.recv().await.unwrap(), "Password") {} }).await;
    // The others see the rest, and never the secret ones.
    bounded(async { while !is_seen(&hidden(&mut theirs).await, "City") {} }).await;
    person.gives_back().await;
    stage.finish().await;
}

/// A page that is left for another, with the password in its address, when Enter is pressed in the field.
fn sends(site: &str, field: &str) -> String {
    format!(
        "<style>body{{margin:0}}</style>{field}<script>onkeydown = (event) => {{ if (event.key === 'Enter') {{\
         const f = document.querySelector('input'), value = encodeURIComponent(f.value); f.type = 'text'; f.remove();\
         top.location = '{site}/html?token=' + value + '#' + value; }} }}</script>"
    )
}

// A value that a person types into a secret field stays masked, wherever the page moves it.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_secret_typed_by_hand_is_known_after_its_page_navigated() {
    let keys = NamedSecrets::default();
    let lent = keys.clone();
    let stage = Stage::open_with(move |config| config.keys = lent).await;
    let of_run = keys.for_run(&stage.owner);
    let known = || of_run.hidden_values().into_iter().map(|known| known.value).collect::<Vec<_>>();
    let other = stage.site.replace("127.0.0.1", "localhost");
    let field = "<input autofocus type=password style='background:#000;width:600px;height:120px'>";
    let (holder, mut mine) = watch(&stage).await;
    // The first page has frames by then; the others come while the person is at it.
    let framed = format!(
        "<style>body{{margin:0}}</style><iframe width=900 height=600 frameborder=0 src='{}'></iframe>",
        at(&other, &sends(&stage.site, field))
    );
    let linked = format!("<a autofocus href='{}'>Sign in</a>", at(&stage.site, &sends(&stage.site, field)));
    let late = format!("<a autofocus href='{}'>Sign in</a>", at(&stage.site, &framed));
    for (n, (page, follows)) in
        [(sends(&stage.site, field), false), (framed.clone(), false), (linked, true), (late, true)]
            .iter()
            .enumerate()
    {
        let password = format!("open & sesame {n}");
        stage.show(page).await;
        stage.observe().await;
        while mine.try_recv().is_ok() {}
        let person = Person::takes(&stage, holder.clone()).await;
        if *follows {
            person.presses("Enter").await;
        }
        // The field is visible before the person touches it.
        bounded(async { while !is_seen(&mine.recv().await.unwrap(), "Password") {} }).await;
        bounded(async {
            // A new frame of another site takes nothing at first.
            while !known().iter().any(|value| value.contains(&password)) {
                person.clicks(0.9, 0.9).await;
                person.clicks(0.05, 0.03).await;
                person.types(&password).await;
            }
        })
        .await;
        person.presses("Enter").await;
        let navigated = stage
            .event(|event| matches!(event, BrowserEvent::Navigated { url, .. } if url.contains("token=")))
            .await;
        let BrowserEvent::Navigated { url, title } = navigated else { panic!("it went there") };
        assert!(url.ends_with("/html?token=****#****") && !title.contains("sesame"), "{url} {title}");
        let changes = person.gives_back().await;
        assert!(changes.url.as_ref().unwrap().1.ends_with("/html?token=…#…"), "{changes:?}");
        assert!(!format!("{changes:?}").contains("sesame 0"), "{changes:?}");
        let snapshot = stage.event(|event| matches!(event, BrowserEvent::SnapshotTaken { .. })).await;
        assert!(!format!("{snapshot:?}").contains("sesame%20"), "{snapshot:?}");
    }
    stage.finish().await;
}

// Chromium gives a page no input any more after text that was inserted while it was left for another.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn typing_during_a_navigation_does_not_block_input_on_the_next_page() {
    let stage = Stage::open().await;
    let field = at(&stage.site, "<input aria-label=Name autofocus style='width:200px;height:40px'>");
    for n in 0..8 {
        stage.show(&format!("<a autofocus href='{field}&{n}'>On</a>")).await;
        let person = Person::takes(&stage, SessionId::fresh()).await;
        person.presses("Enter").await;
        for _ in 0..8 {
            person.types("lost?").await;
        }
        bounded(async {
            // The page may load a little before its field can be clicked.
            let (mut received, mut tries) = (false, 0);
            while !received {
                person.clicks(0.05, 0.03).await;
                tries += 1;
                person.types(&tries.to_string()).await;
                let asked = stage.browser.send(ReturnToRun { holder: Some(person.1.clone()) }).await.unwrap();
                received = asked.unwrap().fields.len() == 1;
                bounded(stage.browser.send(GiveToPerson { holder: person.1.clone() }))
                    .await
                    .unwrap()
                    .unwrap();
            }
        })
        .await;
        person.gives_back().await;
    }
    stage.finish().await;
}
