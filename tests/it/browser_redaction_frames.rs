//! Secret fields are painted over wherever they stand: in frames that are scaled or turned, in documents of
//! objects, in closed shadow roots, and where they jump about. What is a secret field is told by its words.

use crate::browser_redaction::watch;
use crate::browser_stage::{Stage, bounded, find, site, text};
use askfirst::browser::error::ErrorCode;
use askfirst::browser::messages::Crop;
use askfirst::browser::screencast::viewer::{ScreencastFrame, Unwatch};
use serde_json::json;

/// Colour of secret fields alone; other content has other colours.
const FIELD: &str = "width:200px;height:40px;border:0;padding:0;display:block;margin:20px 30px";
/// Tells in a live picture that the page is drawn.
const DRAWN: &str =
    "<i style='position:fixed;right:20px;bottom:20px;width:60px;height:60px;background:#0f0'></i>";

/// A card number, magenta on magenta, and a city in another colour.
pub fn form() -> String {
    format!(
        "<body style='margin:0'><input autocomplete=cc-number value=4111111111111111 style='background:#f0f;color:#f0f;{FIELD}'>\
         <input aria-label=City value=Lviv style='background:#0ff;color:#0ff;{FIELD}'>"
    )
}

/// An address at which the site shows this.
fn at(site: &str, html: &str) -> String {
    format!("{site}/html?{}", url::form_urlencoded::byte_serialize(html.as_bytes()).collect::<String>())
}

fn other(site: &str) -> String {
    site.replace("127.0.0.1", "localhost")
}

/// Number of pixels of a colour whose channels are each all or nothing.
fn count(jpeg: &[u8], colour: [bool; 3]) -> usize {
    let picture = image::load_from_memory(jpeg).unwrap().to_rgb8();
    let parts = picture.as_raw();
    let is = |part: u8, all: bool| if all { part > 190 } else { part < 90 };
    let (mut at, mut found) = (0, 0);
    // Hundreds of pictures of a million pixels: iterators that are not optimised take most of the test's time.
    while at + 2 < parts.len() {
        if is(parts[at], colour[0]) && is(parts[at + 1], colour[1]) && is(parts[at + 2], colour[2]) {
            found += 1;
        }
        at += 3;
    }
    found
}

pub fn secrets(jpeg: &[u8]) -> usize {
    count(jpeg, [true, false, true])
}

pub fn cities(jpeg: &[u8]) -> usize {
    count(jpeg, [false, true, true])
}

/// The first live picture of who comes now, once the page is drawn in it; none before shows a secret.
async fn live(stage: &Stage, case: &str) -> ScreencastFrame {
    let (session, mut pictures) = watch(stage).await;
    let seen = bounded(async {
        loop {
            let picture = pictures.recv().await.unwrap();
            assert_eq!(secrets(&picture.jpeg), 0, "{case}: live");
            if count(&picture.jpeg, [false, true, false]) > 1000 {
                return picture;
            }
        }
    });
    let seen = seen.await;
    stage.browser.send(Unwatch { session }).await.unwrap();
    seen
}

/// No picture of this page shows the secret; what else is in it is seen, or need not be.
async fn assert_secret_hidden(stage: &Stage, case: &str, html: &str, city: bool) {
    stage.show(&format!("<body style='margin:0'>{DRAWN}{html}")).await;
    let first = live(stage, case).await;
    let (_, jpeg) = stage.observe_with_picture().await;
    let whole = bounded(stage.browser.send(Crop { eid: None, bounds: None })).await.unwrap().unwrap();
    for (kind, jpeg) in [("look", &jpeg), ("question", &whole.jpeg), ("live", &first.jpeg)] {
        assert_eq!(secrets(jpeg), 0, "{case}: {kind}");
        assert!(!city || cities(jpeg) > 500, "{case}: {kind} shows what is no secret");
    }
}

const SCALED: [(&str, &str); 5] = [
    ("larger", "transform:scale(2);transform-origin:0 0;border:10px solid green;padding:5px"),
    ("smaller", "scale:.5 .7;transform-origin:100px 20px;box-sizing:border-box;border:9px solid green"),
    ("zoomed", "zoom:2;border:10px solid green;padding:3px"),
    ("moved", "transform:translate3d(300px,100px,0)"),
    ("of a part of a pixel", "width:333.4px;height:177.7px;margin:.3px"),
];
const TURNED: [(&str, &str); 3] = [
    ("turned", "transform:rotate(35deg);margin:100px"),
    ("skewed", "transform:skewX(30deg)"),
    ("mirrored", "scale:-1 1"),
];

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn secret_fields_in_frames_that_are_scaled_or_turned_are_painted_over() {
    let stage = Stage::open().await;
    for site in [other(&stage.site), stage.site.clone()] {
        let frame = |style: &str| {
            format!("<iframe src='{}' width=400 height=150 style='{style}'></iframe>", at(&site, &form()))
        };
        for (case, style) in SCALED {
            assert_secret_hidden(&stage, &format!("{case} {site}"), &frame(style), true).await;
        }
        for (case, style) in TURNED {
            assert_secret_hidden(&stage, &format!("{case} {site}"), &frame(style), false).await;
        }
        let zoomed = format!("<style>body{{zoom:1.7}}</style>{}", frame(""));
        assert_secret_hidden(&stage, "all zoomed", &zoomed, true).await;
        let around = format!("<div style='transform:rotate(20deg);margin:150px'>{}</div>", frame("scale:2"));
        assert_secret_hidden(&stage, "turned from around", &around, false).await;
        let inner = format!(
            "<body style='margin:0'>{}",
            frame("transform:scale(1.4);transform-origin:0 0;border:7px solid")
        );
        let nested = format!(
            "<iframe src='{}' width=700 height=300 style='zoom:1.2;border:5px solid'></iframe>",
            at(&other(&stage.site), &inner)
        );
        assert_secret_hidden(&stage, "in each other", &nested, true).await;
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_click_in_a_scaled_frame_lands_and_one_in_a_turned_frame_is_refused() {
    let stage = Stage::open().await;
    let button = |name: &str, style: &str| {
        format!(
            "<button style='position:absolute;padding:0;overflow:hidden;{style}' onclick=\"o.textContent='pressed {name}'\">{name}</button>"
        )
    };
    let inner = format!(
        "<body style='margin:0'>{}{}{}<p id=o></p>",
        button("Alpha", "left:20px;top:60px;width:100px;height:30px"),
        button("Beta", "left:130px;top:60px;width:20px;height:20px"),
        button("Gamma", "left:20px;top:110px;width:100px;height:30px"),
    );
    for site in [other(&stage.site), site(), stage.site.clone()] {
        let frame = |style: &str| {
            format!(
                "<br><br><iframe title=In src='{}' width=300 height=160 style='{style}'></iframe>",
                at(&site, &inner)
            )
        };
        for (case, style) in SCALED {
            stage.show(&frame(style)).await;
            for name in ["Alpha", "Beta", "Gamma"] {
                stage.click(name).await.unwrap_or_else(|fault| panic!("{case} {name}: {fault}"));
                let seen = text(&*stage.observe().await);
                assert!(seen.contains(&format!("pressed {name}")), "{case}: {seen}");
            }
        }
        for (case, style) in TURNED {
            stage.show(&frame(style)).await;
            let fault = stage.click("Alpha").await.unwrap_err();
            assert_eq!(fault.code, ErrorCode::Hidden, "{case}: {fault}");
            assert!(fault.message.contains("turned"), "{case}: {fault}");
        }
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn secret_fields_in_documents_of_objects_are_painted_over() {
    let stage = Stage::open().await;
    let src = at(&other(&stage.site), &form());
    for (case, html) in [
        ("object", format!("<object data='{src}' type=text/html width=400 height=150></object>")),
        ("embed", format!("<embed src='{src}' type=text/html width=400 height=150>")),
    ] {
        assert_secret_hidden(&stage, case, &html, true).await;
    }
    // An `object` that shows no document is in the picture as it is.
    let colour = "<svg xmlns=%22http://www.w3.org/2000/svg%22 width=%22200%22 height=%22100%22><rect width=%22200%22 height=%22100%22 fill=%22%230ff%22/></svg>";
    let picture = format!(
        "<object data='data:image/svg+xml,{colour}'></object><object data='/nothing'>{}</object>",
        form()
    );
    assert_secret_hidden(&stage, "picture", &picture, true).await;
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn secret_fields_in_closed_roots_are_painted_over_before_any_observation() {
    let stage = Stage::open().await;
    let frame = format!("<iframe src='{}' width=400 height=150></iframe>", at(&other(&stage.site), &form()));
    let root = |inner: &str, light: &str| {
        format!(
            "<div id=h>{light}</div><script>h.attachShadow({{mode:'closed'}}).innerHTML=`{inner}`</script>"
        )
    };
    let custom = format!(
        "<script>customElements.define('x-y', class extends HTMLElement {{ constructor() {{ super();\
         const root = this.attachShadow({{mode:'closed'}}); root.innerHTML = '<b>Pay</b><div></div>';\
         root.querySelector('div').attachShadow({{mode:'closed'}}).innerHTML = `{}` }} }})</script><x-y>Pay</x-y>",
        form()
    );
    for (case, html) in [
        ("plain", root(&form(), "")),
        ("with other words", root(&form(), "Loading")),
        ("frame", root(&frame, "")),
        ("within another", custom),
    ] {
        assert_secret_hidden(&stage, case, &html, true).await;
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_jumping_secret_field_is_in_no_picture() {
    let stage = Stage::open().await;
    let jumping = format!(
        "<div id=z style='position:absolute'>{}</div><script>let n=0;(function r(){{n++;\
         z.style.left=((n*7919)%1000)+'px';z.style.top=((n*104729)%600)+'px';requestAnimationFrame(r)}})()</script>",
        form()
    );
    stage.show(&format!("<body style='margin:0'>{jumping}")).await;
    let (session, mut pictures) = watch(&stage).await;
    for _ in 0..4 {
        let (_, jpeg) = stage.observe_with_picture().await;
        assert_eq!(secrets(&jpeg), 0, "look");
        // A crop may be missing, since the page keeps moving.
        if let Ok(whole) = bounded(stage.browser.send(Crop { eid: None, bounds: None })).await.unwrap() {
            assert_eq!(secrets(&whole.jpeg), 0, "question");
        }
    }
    stage.browser.send(Unwatch { session }).await.unwrap();
    while let Ok(picture) = pictures.try_recv() {
        assert_eq!(secrets(&picture.jpeg), 0, "live");
    }
    // A page that comes to rest is sent to viewers again.
    stage
        .show(&format!("<body style='margin:0'>{DRAWN}{}", jumping.replace("n++;", "if(n++>60)return;")))
        .await;
    let (_, mut pictures) = watch(&stage).await;
    bounded(async {
        loop {
            let picture = pictures.recv().await.unwrap();
            assert_eq!(secrets(&picture.jpeg), 0, "live");
            if count(&picture.jpeg, [false, true, false]) > 1000 && cities(&picture.jpeg) > 500 {
                break;
            }
        }
    })
    .await;
    stage.finish().await;
}

/// A frame at rest without a secret is not asked again after each picture; it tells when it changes.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_secret_that_appears_in_a_frame_at_rest_is_in_no_picture() {
    let stage = Stage::open().await;
    for case in 0..4 {
        let shown = form().replace("<body style='margin:0'>", "");
        let delay = 2500 + case * 37;
        let inner = format!(
            "<h2>At rest</h2><script>setTimeout(() => document.body.innerHTML = `{shown}`, {delay})</script>"
        );
        let src = at(&other(&stage.site), &inner);
        // The picture waits for the walk of a large page, that of the frame ends before it.
        let frame = format!("<iframe title=Pay width=500 height=260 src='{src}'></iframe>");
        let script = "for (let i = 0; i < 3000; i++) document.body.append(document.createElement('button'))";
        stage.show(&format!("{frame}<script>{script}</script>")).await;
        bounded(async {
            loop {
                let (_, jpeg) = stage.observe_with_picture().await;
                assert_eq!(secrets(&jpeg), 0, "{delay} ms");
                if cities(&jpeg) > 500 {
                    break;
                }
            }
        })
        .await;
    }
    stage.finish().await;
}

/// Fields whose value nobody may read, and what they hold.
const SECRET: [&str; 17] = [
    "<input name=code aria-label='Enter the 6-digit code we sent you' value=VALUE>",
    "<label>We have sent a login code to you <input name=code value=VALUE></label>",
    "<label>Code from your authenticator app<input value=VALUE></label>",
    "<input aria-label='6-значний код із SMS' value=VALUE>",
    "<input aria-label='Код, який ми надіслали' value=VALUE>",
    "<textarea aria-label='Card number'>VALUE</textarea>",
    "<textarea aria-label=Notes>4111111111111111</textarea>",
    "<label>Recovery phrase: <textarea>VALUE</textarea></label>",
    "<div contenteditable aria-label='Card number'>VALUE</div>",
    "<div contenteditable=plaintext-only aria-label='Enter your password *'><b>VALUE</b></div>",
    "<div role=textbox tabindex=0 contenteditable aria-placeholder=PIN>VALUE</div>",
    "<div contenteditable aria-label=Dots style='-webkit-text-security:disc'>VALUE</div>",
    "<table><tr><td>CVV<td><input name=f3 value=VALUE></table>",
    "<table><tr><th>Name<th>PIN code<tr><td>Olena<td><input name=f4 value=VALUE></table>",
    "<div><div>CVV / CVC</div><div><span><input name=f5 placeholder=123 value=VALUE></span></div></div>",
    "Пароль: <input name=f6 value=VALUE>",
    "<select aria-label=Month autocomplete='section-a cc-exp-month'><option>VALUE</select>",
];
/// Fields that sound alike.
const PLAIN: [&str; 19] = [
    "<label>Promo code <input name=code value=VALUE></label>",
    "<input name=code aria-label='Postal code' value=VALUE>",
    "<input name=code aria-label='Country code' value=VALUE>",
    "<input aria-label='Discount code we sent you' value=VALUE>",
    "<input aria-label='Enter the 5-digit ZIP code' value=VALUE>",
    "<input aria-label='QR code' value=VALUE>",
    "<textarea aria-label='Source code'>VALUE</textarea>",
    "<input aria-label='6-digit sort code' value=VALUE>",
    "<input aria-label='Промокод, який ми надіслали' value=VALUE>",
    "<input aria-label=Code value=VALUE>",
    "<textarea aria-label='Describe your problem with the password'>VALUE</textarea>",
    "<div contenteditable aria-label='Notes on card numbers'>VALUE</div>",
    "<div contenteditable aria-label=Message>VALUE</div>",
    "<table><tr><td>Amount<td><input name=f3 value=VALUE></table>",
    "<table><tr><td>CVV<td>none<td><input name=f4 value=VALUE></table>",
    "<p>Forgot your password?</p><input aria-label=E-mail value=VALUE>",
    "<p>Password</p><p>Never share it.</p><input name=f7 value=VALUE>",
    "<p>Password</p><input type=search placeholder='Search in help' value=VALUE>",
    "<select aria-label=Month><option>VALUE</select>",
];

// Secret fields are painted over; similar fields that are none stay visible.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn secret_fields_are_recognized_by_labels_and_attributes() {
    let stage = Stage::open().await;
    for (cases, secret) in [(&SECRET[..], true), (&PLAIN[..], false)] {
        for (n, case) in cases.iter().enumerate() {
            let value = format!("Xylo{n}phone");
            let html = case.replace("VALUE", &value);
            let number = html.contains("4111111111111111");
            let style = "<style>input,textarea,select,[contenteditable]{background:#f0f;color:#f0f}</style>";
            stage.show(&format!("{style}<div style='margin:50px'>{html}</div><button>Go</button>")).await;
            let (seen, jpeg) = stage.observe_with_picture().await;
            let extracted = stage.act("extract", json!({})).await.unwrap().text.unwrap_or_default();
            let output = format!(
                "{:?}{extracted}",
                seen.lines.iter().map(|line| (&line.name, &line.attributes.value)).collect::<Vec<_>>()
            );
            let disclosed = output.contains(&value) || (number && output.contains("4111"));
            assert_eq!(disclosed, !secret, "{html}: {output}");
            let of_secret = seen.lines.iter().any(|line| line.attributes.secret);
            assert_eq!(of_secret, secret, "{html}: {:?}", seen.lines);
            assert_eq!(secrets(&jpeg) < 30, secret, "{html}: {} pixels", secrets(&jpeg));
            assert!(find(&seen, "Go").eid.is_some());
        }
    }
    stage.finish().await;
}
