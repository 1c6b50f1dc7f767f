//! The picture that a person judges by: the surroundings of an element, with the element outlined.

use super::act::pointer;
use super::fault::{Code, Fault};
use super::observe;
use super::paint::{self, Bounds};
use super::swept;
use super::tab::Tab;
use actix_web::web::Bytes;
use image::{Rgb, RgbImage};

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 300.0;
/// Room around an element that is bigger than that.
const MARGIN: f64 = 48.0;
/// How long it may take to come into view.
const SCROLLING_MS: u64 = 300;
const SHOT_QUALITY: i64 = 85;
const CROP_QUALITY: u8 = 82;

/// The outline: a bright band between two dark lines, seen on any page.
const ACCENT: Rgb<u8> = Rgb([255, 61, 113]);
const EDGE: Rgb<u8> = Rgb([20, 20, 28]);
const BAND: i64 = 4;
/// Beyond any picture, in pixels.
const FAR: f64 = 1e6;
const GAP: i64 = 3;

#[derive(Debug)]
struct Stood {
    bounds: [f64; 4],
    viewport: [f64; 2],
    /// What is painted over.
    secrets: Vec<Bounds>,
}

pub async fn crop(tab: &Tab, eid: Option<u32>) -> Result<Bytes, Fault> {
    let Some(eid) = eid else { return whole(tab).await };
    // Scrolled into view, if it can be; covered or disabled it is shown all the same.
    let there = tab.at(eid);
    let _ = pointer::ready_within(tab, &there, eid, SCROLLING_MS).await;
    let facts = format!("((t) => t.error ? t : t.box)(askfirst.target({eid}))");
    let (bounds, viewport) = tokio::try_join!(there.run(&facts), tab.run("[innerWidth, innerHeight]"))?;
    let bounds = tab.outward(&there, bounds).await?;
    let before = tab.secret_boxes().await?;
    let jpeg = observe::shoot(tab, SHOT_QUALITY).await?;
    // Of both moments, as the page may have moved between.
    let secrets = swept::surely(&before, &tab.secret_boxes().await?);
    let stood = Stood { bounds, viewport, secrets };
    let drawn = tokio::task::spawn_blocking(move || draw(&jpeg, &stood)).await;
    drawn.map_err(|fault| Fault::new(Code::Protocol, format!("the picture was not drawn: {fault}")))?
}

/// All that is in view, but for what is painted over.
async fn whole(tab: &Tab) -> Result<Bytes, Fault> {
    let (before, width) = tokio::try_join!(tab.secret_boxes(), tab.run("innerWidth"))?;
    let jpeg = observe::shoot(tab, SHOT_QUALITY).await?;
    let secrets = swept::surely(&before, &tab.secret_boxes().await?);
    paint::over(jpeg, secrets, width, CROP_QUALITY).await
}

fn draw(jpeg: &[u8], stood: &Stood) -> Result<Bytes, Fault> {
    let mut picture = paint::decode(jpeg)?;
    paint::paint(&mut picture, &stood.secrets, stood.viewport[0]);
    // A page on a dense screen has more pixels than CSS has.
    let scale = f64::from(picture.width()) / stood.viewport[0].max(1.0);
    let bounds = stood.bounds.map(|edge| edge * scale);
    outline(&mut picture, bounds);
    let [x, y, width, height] = around(bounds, (picture.width(), picture.height()), scale);
    let part = image::imageops::crop_imm(&picture, x, y, width, height).to_image();
    paint::encode(&part, CROP_QUALITY)
}

/// A picture of nothing, for a page that was never seen.
pub fn blank((width, height): (u32, u32)) -> Result<Bytes, Fault> {
    let white = RgbImage::from_pixel(width.max(1), height.max(1), Rgb([255, 255, 255]));
    paint::encode(&white, CROP_QUALITY)
}

/// The element with its surroundings, moved to lie within the picture.
fn around([x, y, width, height]: [f64; 4], (whole_width, whole_height): (u32, u32), scale: f64) -> [u32; 4] {
    let span = |start: f64, length: f64, least: f64, whole: u32| {
        let whole = f64::from(whole);
        let size = (length + 2.0 * MARGIN * scale).max(least * scale).min(whole);
        let from = (start + length / 2.0 - size / 2.0).clamp(0.0, whole - size);
        (from as u32, size as u32)
    };
    let (left, wide) = span(x, width, WIDTH, whole_width);
    let (top, high) = span(y, height, HEIGHT, whole_height);
    [left, top, wide.max(1), high.max(1)]
}

fn outline(picture: &mut RgbImage, [x, y, width, height]: [f64; 4]) {
    // A page may claim any box; far beyond the picture is all the same.
    let near = |at: f64| at.clamp(-FAR, FAR) as i64;
    let (left, top) = (near(x.floor()), near(y.floor()));
    let (right, bottom) = (near((x + width).ceil()), near((y + height).ceil()));
    for ring in 0..=BAND + 1 {
        let colour = if ring == 0 || ring == BAND + 1 { EDGE } else { ACCENT };
        let out = GAP + ring;
        frame(picture, [left - out, top - out, right + out, bottom + out], colour);
    }
}

/// A rectangle one pixel wide; what of it lies outside of the picture is drawn on its border.
fn frame(picture: &mut RgbImage, [left, top, right, bottom]: [i64; 4], colour: Rgb<u8>) {
    let (width, height) = (i64::from(picture.width()), i64::from(picture.height()));
    for x in left.max(0)..right.min(width) {
        put(picture, x, top, colour);
        put(picture, x, bottom - 1, colour);
    }
    for y in top.max(0)..bottom.min(height) {
        put(picture, left, y, colour);
        put(picture, right - 1, y, colour);
    }
}

fn put(picture: &mut RgbImage, x: i64, y: i64, colour: Rgb<u8>) {
    let (width, height) = (i64::from(picture.width()), i64::from(picture.height()));
    let (x, y) = (x.clamp(0, width - 1), y.clamp(0, height - 1));
    if let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) {
        picture.put_pixel(x, y, colour);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surroundings_lie_within_the_picture_and_are_big_enough() {
        let cases = [
            ([600.0, 300.0, 80.0, 30.0], [400, 165, 480, 300]),
            ([0.0, 0.0, 10.0, 10.0], [0, 0, 480, 300]),
            ([1270.0, 710.0, 10.0, 10.0], [800, 420, 480, 300]),
            ([100.0, 50.0, 600.0, 400.0], [52, 2, 696, 496]),
            ([-50.0, -50.0, 3000.0, 3000.0], [0, 0, 1280, 720]),
        ];
        for (bounds, expected) in cases {
            assert_eq!(around(bounds, (1280, 720), 1.0), expected, "{bounds:?}");
        }
    }

    #[test]
    fn the_outline_is_drawn_around_and_never_outside() {
        let mut picture = RgbImage::from_pixel(100, 80, Rgb([255, 255, 255]));
        outline(&mut picture, [40.0, 30.0, 20.0, 10.0]);
        assert_eq!(*picture.get_pixel(50, 30 - 5), ACCENT);
        assert_eq!(*picture.get_pixel(50, 35), Rgb([255, 255, 255]), "the element itself is untouched");
        outline(&mut picture, [-500.0, -500.0, 2000.0, 2000.0]);
        outline(&mut picture, [f64::NAN, 0.0, f64::INFINITY, 1e300]);
    }
}
