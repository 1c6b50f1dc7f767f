//! The picture of a question: the target is in it and outlined, whatever had to be scrolled for it; or there is
//! none, with the reason.

use crate::browser_stage::{Stage, bounded, shop};
use askfirst::browser::messages::Crop;
use askfirst::browser::observe::crop::{Cropped, NoPicture};
use image::RgbImage;
use serde_json::json;

const CARD: &str = "<input aria-label='Card number' autocomplete=cc-number value=4242424242424242>\
    <input type=password aria-label=Password value=geheim>";
const GREEN: &str = "style='background:#0a0;color:#000;border:0;width:120px;height:40px'";

async fn crop(stage: &Stage, eid: u32) -> Result<Cropped, NoPicture> {
    bounded(stage.browser.send(Crop { eid: Some(eid), bounds: None })).await.unwrap()
}

fn decoded(cropped: &Cropped) -> RgbImage {
    image::load_from_memory(&cropped.jpeg).unwrap().to_rgb8()
}

fn is_accent([red, green, blue]: [u8; 3]) -> bool {
    red > 200 && green < 120 && (60..180).contains(&blue)
}

/// Bounds within the outline, as [left, top, right, bottom].
fn outlined(picture: &RgbImage, case: &str) -> [u32; 4] {
    let marked = picture.enumerate_pixels().filter(|(_, _, pixel)| is_accent(pixel.0));
    let (mut edges, mut count) = ([u32::MAX, u32::MAX, 0, 0], 0);
    for (x, y, _) in marked {
        edges = [edges[0].min(x), edges[1].min(y), edges[2].max(x), edges[3].max(y)];
        count += 1;
    }
    assert!(count > 300, "{case}: an outline of {count} pixels");
    [edges[0] + 8, edges[1] + 8, edges[2] - 8, edges[3] - 8]
}

/// The share of what is outlined that fits.
fn share(picture: &RgbImage, case: &str, fits: impl Fn([u8; 3]) -> bool) -> f64 {
    let [left, top, right, bottom] = outlined(picture, case);
    let all = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
    let (mut whole, mut fitting) = (0u32, 0u32);
    for (x, y) in all {
        whole += 1;
        fitting += u32::from(fits(picture.get_pixel(x, y).0));
    }
    f64::from(fitting) / f64::from(whole.max(1))
}

fn is_paint(pixel: [u8; 3]) -> bool {
    pixel.iter().zip([104, 109, 122]).all(|(part, paint)| part.abs_diff(paint) < 8)
}

fn is_green([red, green, blue]: [u8; 3]) -> bool {
    green > 120 && red < 60 && blue < 60
}

// The field for the time is in a frame below the fold, with card fields between.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_crop_shows_the_target_in_the_demo_shop_at_every_viewport_size() {
    for (width, height) in [(1280, 720), (1024, 600), (390, 844)] {
        let case = format!("{width}x{height}");
        let stage = Stage::open_with(|config| config.viewport = (width, height)).await;
        let shop = shop();
        let url = |path: &str| json!({"url": format!("{shop}{path}")});
        stage.act("navigate", url("/?lang=en&visitor=crop")).await.unwrap();
        stage.click("Add to cart: Zoria lamp").await.unwrap();
        stage.act("navigate", url("/checkout")).await.unwrap();
        for name in ["Evening, 17–21", "Choose time", "Place order"] {
            if name != "Place order" {
                stage.click("Evening, 17–21").await.unwrap();
            }
            stage.act("scroll", json!({"direction": "top"})).await.unwrap();
            let eid = stage.eid(name).await;
            let cropped = crop(&stage, eid).await.unwrap();
            let picture = decoded(&cropped);
            let case = format!("{case}, {name}");
            assert!(share(&picture, &case, is_paint) < 0.3, "{case}: the target is painted over");
            let painted = picture.pixels().filter(|pixel| is_paint(pixel.0)).count();
            let whole = (picture.width() * picture.height()) as usize;
            assert!(painted * 2 < whole, "{case}: {painted} of {whole} are painted over");
            // The live page outlines the same place.
            let target = stage.target(name).await;
            let bounds = cropped.bounds.unwrap();
            let near = bounds.iter().zip(target.bounds).all(|(one, other)| (one - other).abs() <= 2.0);
            assert!(near, "{case}: {bounds:?} {:?}", target.bounds);
        }
        stage.finish().await;
    }
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_crop_scrolls_to_the_target_and_outlines_it() {
    let stage = Stage::open().await;
    let filler = "<div style='height:1600px'></div>";
    let button = format!("<button {GREEN}>Pay</button>");
    let inner = format!("{CARD}{filler}{button}");
    let cases = [
        ("below the fold", format!("{CARD}{filler}{button}{filler}")),
        ("disabled", format!("{CARD}{filler}<button disabled {GREEN}>Pay</button>{filler}")),
        (
            "sticky header",
            format!(
                "<header style='position:sticky;top:0;height:120px;background:#eee'>{CARD}</header>{filler}{button}{filler}"
            ),
        ),
        (
            "scroll container",
            format!(
                "{CARD}{filler}<div style='height:300px;overflow:auto;border:1px solid'>{filler}{button}{filler}</div>{filler}"
            ),
        ),
        ("smooth", format!("<style>html{{scroll-behavior:smooth}}</style>{CARD}{filler}{button}{filler}")),
        ("zoomed", format!("{CARD}{filler}<div style='zoom:1.5'>{button}</div>{filler}")),
        (
            "transformed",
            format!(
                "{CARD}{filler}<div style='transform:translate(200px,80px) scale(1.5);width:300px'>{button}</div>{filler}"
            ),
        ),
        (
            "dialog",
            format!(
                "{filler}<dialog id=d style='height:300px;overflow:auto'>{CARD}{filler}{button}</dialog><script>d.showModal()</script>"
            ),
        ),
        (
            "frame",
            format!(
                "{filler}<iframe style='width:500px;height:300px' srcdoc=\"{}\"></iframe>{filler}",
                inner.replace('"', "&quot;")
            ),
        ),
        (
            "grows late",
            format!(
                "<div id=g></div>{CARD}{filler}{button}{filler}<script>addEventListener('scroll',()=>g.style.height='90px',{{once:true}})</script>"
            ),
        ),
    ];
    for (case, html) in cases {
        stage.show(&format!("<body style='margin:0;background:#fff'>{html}")).await;
        let eid = stage.eid("Pay").await;
        let picture = decoded(&crop(&stage, eid).await.unwrap_or_else(|why| panic!("{case}: {why:?}")));
        let green = share(&picture, case, is_green);
        assert!(green > 0.6, "{case}: {green} of what is outlined is the button");
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_unreliable_crop_is_refused_with_a_reason() {
    let stage = Stage::open().await;
    let leaps = "let n=0;(function f(){n++;z.style.left=((n*7919)%900)+'px';z.style.top=((n*104729)%500)+'px';requestAnimationFrame(f)})()";
    let cases = [
        (
            "secret_fields",
            format!(
                "<div id=z style='position:absolute'>{CARD}</div><button>Pay</button><script>{leaps}</script>"
            ),
        ),
        ("moving", format!("<button id=z style='position:absolute'>Pay</button><script>{leaps}</script>")),
        (
            "blank",
            String::from(
                "<div role=button aria-label=Pay tabindex=0 style='width:200px;height:60px;margin:300px'></div>",
            ),
        ),
    ];
    for (why, html) in cases {
        stage.show(&html).await;
        let eid = stage.eid("Pay").await;
        assert_eq!(crop(&stage, eid).await.unwrap_err().word(), why);
    }
    let whole = bounded(stage.browser.send(Crop { eid: None, bounds: None })).await.unwrap().unwrap_err();
    assert_eq!(whole.word(), "blank");
    stage.finish().await;
}
