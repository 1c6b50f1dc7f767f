//! Secret fields in pictures: painted over for everybody but the person who holds the page.

use crate::browser_stage::{Recorder, Stage, bounded};
use askfirst::browser::messages::Crop;
use askfirst::browser::screencast::viewer::{ScreencastFrame, Watch};
use askfirst::browser::takeover::page_holder::{GiveToPerson, ReturnToRun};
use askfirst::ids::SessionId;
use image::RgbImage;
use serde_json::json;
use tokio::sync::mpsc::UnboundedReceiver;

/// Big black letters on white, so that a pixel tells whether anything of them is seen.
pub const FORM: &str = "<style>body{margin:0;background:#fff}input,button{position:absolute;left:100px;width:400px;height:60px;\
    box-sizing:border-box;font:900 44px monospace;color:#000;background:#fff;border:0;outline:0;caret-color:transparent}</style>\
    <input type=password value=MMMMMMMM aria-label=Password style='top:40px'>\
    <input value=MMMMMMMM autocomplete=one-time-code aria-label=Code style='top:140px'>\
    <input value=4242424242424242 aria-label=Number style='top:240px'>\
    <input value=MMMMMMMM aria-label=City style='top:340px'>\
    <button style='top:440px' onclick=\"document.querySelector('input').type='text';document.title='shown'\">Show</button>";

const SECRET: [&str; 3] = ["Password", "Code", "Number"];

fn decoded(jpeg: &[u8]) -> RgbImage {
    image::load_from_memory(jpeg).unwrap().to_rgb8()
}

/// Vertical position of each field of `FORM`.
fn top(field: &str) -> u32 {
    match field {
        "Password" => 40,
        "Code" => 140,
        "Number" => 240,
        _ => 340,
    }
}

/// The field can be read in the picture.
pub fn is_seen(picture: &ScreencastFrame, field: &str) -> bool {
    letters(&decoded(&picture.jpeg), field) > 500
}

/// Number of the field's pixels that are as dark as letters, in a picture the size of the page.
fn letters(picture: &RgbImage, field: &str) -> usize {
    let (rows, columns) = (top(field)..top(field) + 60, 100..500);
    let dark = |x: u32, y: u32| picture.get_pixel(x, y).0.iter().all(|part| *part < 70);
    rows.flat_map(|y| columns.clone().map(move |x| (x, y))).filter(|(x, y)| dark(*x, *y)).count()
}

fn is_painted(picture: &RgbImage, field: &str) -> bool {
    let middle = picture.get_pixel(300, top(field) + 30).0;
    letters(picture, field) == 0 && middle.iter().all(|part| (90..135).contains(part))
}

async fn shown() -> Stage {
    let stage = Stage::open().await;
    stage.show(FORM).await;
    // The page's own toggle makes a password readable for people.
    stage.click("Show").await.unwrap();
    stage
}

// Secret fields are painted over in every picture that is stored, sent to a model or shown with a question.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn pictures_of_observations_and_questions_hide_secret_fields() {
    let stage = shown().await;
    let (_, jpeg) = stage.observe_with_picture().await;
    let whole = bounded(stage.browser.send(Crop { eid: None, bounds: None })).await.unwrap().unwrap();
    for picture in [decoded(&jpeg), decoded(&whole.jpeg)] {
        for field in SECRET {
            assert!(is_painted(&picture, field), "{field}: {} dark", letters(&picture, field));
        }
        assert!(letters(&picture, "City") > 500, "what is no secret is seen");
    }
    // A crop shows the surroundings of an element: no letters around the one that is no secret.
    let eid = stage.eid("Code").await;
    let crop = decoded(
        &bounded(stage.browser.send(Crop { eid: Some(eid), bounds: None })).await.unwrap().unwrap().jpeg,
    );
    let grey = crop.pixels().filter(|pixel| pixel.0.iter().all(|part| (90..135).contains(part))).count();
    assert!(grey > 2 * 380 * 50, "{grey} of {}", crop.width() * crop.height());
    stage.finish().await;
}

/// The same form in a frame of another site, which stands where the page's own would.
fn framed(stage: &Stage, more: &str) -> String {
    let form = FORM.replace("type=password", "type=text autocomplete=current-password");
    let body: String = url::form_urlencoded::byte_serialize(form.as_bytes()).collect();
    let other = stage.site.replace("127.0.0.1", "localhost");
    format!(
        "<style>body{{margin:0}}iframe{{position:absolute;left:0;top:0;border:0;width:800px;height:520px}}</style>\
        <iframe src='{other}/html?{body}'></iframe>{more}"
    )
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn secret_fields_of_frames_of_other_sites_are_painted_over() {
    let stage = Stage::open().await;
    // A modal dialog leaves the frame's text out; its fields are in the picture all the same.
    let dialog = "<dialog style='position:fixed;left:700px;top:0;margin:0'><p>Wait</p><button>Yes</button></dialog>\
        <style>::backdrop{background:none}</style><script>document.querySelector('dialog').showModal()</script>";
    for more in ["", dialog] {
        stage.show(&framed(&stage, more)).await;
        let (seen, jpeg) = stage.observe_with_picture().await;
        let listed = seen.lines.iter().any(|line| line.name == "City");
        assert_eq!(listed, more.is_empty(), "{:?}", seen.lines);
        let whole = bounded(stage.browser.send(Crop { eid: None, bounds: None })).await.unwrap().unwrap();
        for picture in [decoded(&jpeg), decoded(&whole.jpeg)] {
            for field in SECRET {
                assert!(is_painted(&picture, field), "{field}: {} dark", letters(&picture, field));
            }
            assert!(letters(&picture, "City") > 500, "what is no secret is seen");
        }
        let (_, mut pictures) = watch(&stage).await;
        hidden(&mut pictures).await;
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn pictures_without_secret_fields_are_unchanged() {
    let stage = Stage::open().await;
    stage.show(&format!("{FORM}<style>input{{display:none}}</style><p style='height:3000px'>text")).await;
    let (_, jpeg) = stage.observe_with_picture().await;
    let grey = |part: &u8| (96..120).contains(part);
    let painted = decoded(&jpeg).pixels().filter(|pixel| pixel.0.iter().all(grey)).count();
    assert!(painted < 2000, "{painted}");
    stage.finish().await;
}

pub async fn watch(stage: &Stage) -> (SessionId, UnboundedReceiver<ScreencastFrame>) {
    let (viewer, pictures) = Recorder::start_new();
    let session = SessionId::fresh();
    let viewer = viewer.recipient();
    let watch = Watch { session: session.clone(), viewer, max_width: 1280, max_fps: 60, quality: 60 };
    stage.browser.send(watch).await.unwrap();
    (session, pictures)
}

/// The next picture, which must be one that hides all.
pub async fn hidden(pictures: &mut UnboundedReceiver<ScreencastFrame>) -> ScreencastFrame {
    let picture = bounded(pictures.recv()).await.unwrap();
    let seen = decoded(&picture.jpeg);
    for field in SECRET {
        assert_eq!(letters(&seen, field), 0, "{field} is seen in frame {}", picture.frame);
    }
    picture
}

/// Pictures come until one has all letters.
async fn until_bare(pictures: &mut UnboundedReceiver<ScreencastFrame>) {
    bounded(async { while !is_seen(&pictures.recv().await.unwrap(), "Password") {} }).await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn only_the_holder_sees_secret_fields_in_live_pictures() {
    let stage = shown().await;
    let (holder, mut mine) = watch(&stage).await;
    let (_, mut theirs) = watch(&stage).await;
    hidden(&mut mine).await;
    let first = hidden(&mut theirs).await;
    assert!(letters(&decoded(&first.jpeg), "City") > 500);
    bounded(stage.browser.send(GiveToPerson { holder: holder.clone() })).await.unwrap().unwrap();
    // The page stands still, so this is the picture that was hidden before.
    until_bare(&mut mine).await;
    // A late one sees at once what the others see.
    let (_, mut late) = watch(&stage).await;
    hidden(&mut late).await;
    bounded(stage.browser.send(ReturnToRun { holder: Some(holder) })).await.unwrap().unwrap();
    hidden(&mut mine).await;
    // Moving and changing content stays hidden, too.
    let moving = "<script>let n=0;(function f(){document.querySelector('input').style.left=`${130+30*Math.sin(n++/20)}px`;\
        document.title=n;requestAnimationFrame(f)})()</script>";
    stage
        .show(&format!(
            "{}{moving}",
            FORM.replace("type=password", "type=text autocomplete=current-password")
        ))
        .await;
    let seen = bounded(theirs.recv()).await.unwrap().frame;
    let mut now = seen;
    while now < seen + 12 {
        now = hidden(&mut theirs).await.frame;
    }
    stage.act("navigate", json!({"url": "about:blank"})).await.unwrap();
    stage.finish().await;
}
