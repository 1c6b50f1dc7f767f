//! Screenshot for a person's decision: the surroundings of an element, with the element outlined.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::geometry::Bounds;
use crate::browser::input::pointer;
use crate::browser::page::tab::Tab;
use crate::browser::redaction::{motion, paint};
use crate::clock::Stopwatch;
use actix_web::web::Bytes;
use image::{GenericImageView, Rgb, RgbImage};
use serde::{Deserialize, Serialize};
use std::time::Duration;

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 300.0;
/// CSS pixels around an element that is larger than the minimum size.
const MARGIN: f64 = 48.0;
/// Delay before the next try if the page was moving.
const RETRY_DELAY: Duration = Duration::from_millis(80);
/// Minimum number of tries, and time for further ones. Fields seen jumping count as anywhere for 600 ms
/// (`injected/secrets/recent_places.js`).
const LEAST_TRIES: u32 = 3;
const MAX_RETRY_MS: u64 = 2500;
/// Distances in CSS pixels up to which an element counts as still, and up to which the last try accepts it.
const STILL_PX: f64 = 2.0;
const LAST_TRY_PX: f64 = 24.0;
/// Maximum difference of a colour channel within a blank picture.
const ONE_COLOUR: u8 = 10;
/// Milliseconds that an element may take to come into view.
const SCROLLING_MS: u64 = 300;
const SHOT_QUALITY: i64 = 85;
const CROP_QUALITY: u8 = 82;

/// Colours of the outline: a bright band between two dark lines, visible on any page.
const ACCENT: Rgb<u8> = Rgb([255, 61, 113]);
const EDGE: Rgb<u8> = Rgb([20, 20, 28]);
const BAND: i64 = 4;
/// Coordinate beyond any picture, in pixels.
const OUTSIDE: f64 = 1e6;
const GAP: i64 = 3;

/// Picture, with the element's box and the page's viewport in CSS pixels.
#[derive(Debug)]
pub struct Cropped {
    pub jpeg: Bytes,
    pub bounds: Option<Bounds>,
    pub viewport: [f64; 2],
}

/// Reason why there is no picture. No picture is better than a wrong or an empty one.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoPicture {
    /// The element or the secret fields around it did not stand still.
    Moving,
    /// No part of the element can be scrolled into view.
    Hidden,
    /// Secret fields that must be painted over hide the element, or their position is unknown.
    Secret,
    /// The picture has only one colour.
    Blank,
    Fault(PageError),
}

impl NoPicture {
    /// Returns the word used in the API (`picture_missing`).
    pub fn word(&self) -> &'static str {
        match self {
            Self::Moving => "moving",
            Self::Hidden => "hidden",
            Self::Secret => "secret_fields",
            Self::Blank => "blank",
            Self::Fault(fault) => match fault.code {
                ErrorCode::DeadEid | ErrorCode::ChangedEid => "gone",
                ErrorCode::NoPage | ErrorCode::BrowserCrashed | ErrorCode::BrowserFailed => "no_page",
                _ => "no_answer",
            },
        }
    }

    /// Reports whether another try a moment later may succeed.
    fn is_retryable(&self) -> bool {
        !matches!(self, Self::Fault(_))
    }
}

impl From<PageError> for NoPicture {
    fn from(fault: PageError) -> Self {
        Self::Fault(fault)
    }
}

/// Position of an element, from the page script.
#[derive(Debug, Deserialize)]
struct Pictured {
    #[serde(rename = "box")]
    bounds: Bounds,
    /// Part of the element that is in view.
    part: Option<Bounds>,
    /// True if the element is or contains a secret field, which is painted over.
    secret: bool,
}

/// Everything that is drawn into a picture or that the picture is checked against.
#[derive(Debug)]
struct Drawing {
    target: Option<Pictured>,
    viewport: [f64; 2],
    /// Boxes to paint over.
    secrets: Vec<Bounds>,
}

/// Scrolls to the element and takes a screenshot once the element and the secret fields stand still. The
/// fields count as moving for a while after scrolling, so this may take several tries.
pub async fn crop(tab: &Tab, eid: Option<u32>) -> Result<Cropped, NoPicture> {
    if let Some(eid) = eid {
        // A covered or disabled element is shown too, so an error is ignored.
        let _ = pointer::wait_until_ready_within(tab, &tab.frame_of_element(eid), eid, SCROLLING_MS).await;
    }
    let began = Stopwatch::start();
    let mut tries = 0;
    loop {
        tries += 1;
        let is_last = tries >= LEAST_TRIES && began.millis() >= MAX_RETRY_MS;
        match attempt(tab, eid, is_last).await {
            Err(why) if why.is_retryable() && !is_last && !(eid.is_none() && why == NoPicture::Blank) => {}
            done => return done,
        }
        tokio::time::sleep(RETRY_DELAY).await;
    }
}

/// Draws the outline of an element into a stored picture, in which secrets are painted over already.
pub async fn crop_stored(
    jpeg: Bytes,
    bounds: Option<Bounds>,
    viewport: (u32, u32),
) -> Result<Cropped, NoPicture> {
    let viewport = [f64::from(viewport.0), f64::from(viewport.1)];
    let bounds = bounds.filter(|bounds| overlap(*bounds, [0.0, 0.0, viewport[0], viewport[1]]).is_some());
    let target = bounds.map(|bounds| Pictured { bounds, part: Some(bounds), secret: false });
    draw_in_background(jpeg, Drawing { target, viewport, secrets: Vec::new() }).await
}

/// Takes one picture. The last try accepts slight movement and paints over more.
async fn attempt(tab: &Tab, eid: Option<u32>, is_last: bool) -> Result<Cropped, NoPicture> {
    let (mut target, viewport) =
        futures_util::try_join!(find(tab, eid, true), tab.run::<[f64; 2]>("[innerWidth, innerHeight]"))?;
    let before = tab.secret_boxes().await?;
    if motion::is_anywhere(&before) {
        return Err(NoPicture::Secret);
    }
    let jpeg = tab.take_screenshot(SHOT_QUALITY).await?;
    let after = tab.secret_boxes().await?;
    if !is_last && motion::moved_further_than(&before, &after, STILL_PX) {
        return Err(NoPicture::Moving);
    }
    // Covers the boxes before and after the screenshot, because the page may have moved between.
    let secrets = motion::boxes_for_kept_picture(&before, &after);
    if motion::is_anywhere(&secrets) {
        return Err(NoPicture::Secret);
    }
    if let (Some(was), Some(is)) = (&mut target, find(tab, eid, false).await?) {
        let slack = if is_last { LAST_TRY_PX } else { STILL_PX };
        if motion::moved_further_than(&[was.bounds], &[is.bounds], slack) {
            return Err(NoPicture::Moving);
        }
        was.bounds = is.bounds;
    }
    draw_in_background(jpeg, Drawing { target, viewport, secrets }).await
}

async fn draw_in_background(jpeg: Bytes, drawing: Drawing) -> Result<Cropped, NoPicture> {
    let (bounds, viewport) = (drawing.target.as_ref().map(|target| target.bounds), drawing.viewport);
    let drawn = tokio::task::spawn_blocking(move || draw(&jpeg, &drawing)).await;
    let jpeg = drawn.map_err(|fault| {
        PageError::new(ErrorCode::Protocol, format!("the picture was not drawn: {fault}"))
    })??;
    Ok(Cropped { jpeg, bounds, viewport })
}

/// Locates the element in the page's viewport, scrolling it into view if `scrolls`.
async fn find(tab: &Tab, eid: Option<u32>, scrolls: bool) -> Result<Option<Pictured>, PageError> {
    let Some(eid) = eid else { return Ok(None) };
    let frame_tab = tab.frame_of_element(eid);
    let mut found: Pictured = frame_tab.call_script(&format!("pictured({eid}, {scrolls})")).await?;
    found.bounds = tab.to_page_coordinates(&frame_tab, found.bounds).await?;
    if let Some(part) = &mut found.part {
        *part = tab.to_page_coordinates(&frame_tab, *part).await?;
    }
    Ok(Some(found))
}

fn draw(jpeg: &[u8], Drawing { target, viewport, secrets }: &Drawing) -> Result<Bytes, NoPicture> {
    if let Some(target) = target {
        let whole = [0.0, 0.0, viewport[0], viewport[1]];
        let part = target.part.and_then(|part| overlap(part, whole)).ok_or(NoPicture::Hidden)?;
        if !target.secret && secrets.iter().any(|secret| is_mostly_covered(*secret, part)) {
            return Err(NoPicture::Secret);
        }
    }
    let mut picture = paint::decode(jpeg)?;
    paint::paint(&mut picture, secrets, viewport[0]);
    let Some(target) = target else {
        return if is_blank(&picture) {
            Err(NoPicture::Blank)
        } else {
            Ok(paint::encode(&picture, CROP_QUALITY)?)
        };
    };
    // A high-density screen has more pixels than CSS pixels.
    let scale = f64::from(picture.width()) / viewport[0].max(1.0);
    let bounds = target.bounds.map(|edge| edge * scale);
    let [x, y, width, height] = crop_rect(bounds, (picture.width(), picture.height()), scale);
    if is_blank(&image::imageops::crop_imm(&picture, x, y, width, height).to_image()) {
        return Err(NoPicture::Blank);
    }
    draw_outline(&mut picture, bounds);
    let part = image::imageops::crop_imm(&picture, x, y, width, height).to_image();
    Ok(paint::encode(&part, CROP_QUALITY)?)
}

/// Returns the intersection of two boxes, if it is at least one pixel wide and high.
fn overlap(one: Bounds, other: Bounds) -> Option<Bounds> {
    let (left, top) = (one[0].max(other[0]), one[1].max(other[1]));
    let width = (one[0] + one[2]).min(other[0] + other[2]) - left;
    let height = (one[1] + one[3]).min(other[1] + other[3]) - top;
    (width >= 1.0 && height >= 1.0).then_some([left, top, width, height])
}

/// Reports whether the box `over` covers more than half of `part`.
fn is_mostly_covered(over: Bounds, part: Bounds) -> bool {
    overlap(over, part).is_some_and(|both| both[2] * both[3] > part[2] * part[3] / 2.0)
}

/// Reports whether the picture has a single colour, within JPEG's tolerance.
fn is_blank(picture: &impl GenericImageView<Pixel = Rgb<u8>>) -> bool {
    let (mut least, mut most) = ([u8::MAX; 3], [u8::MIN; 3]);
    for (_, _, Rgb(colour)) in picture.pixels() {
        for ((least, most), part) in least.iter_mut().zip(&mut most).zip(colour) {
            (*least, *most) = ((*least).min(part), (*most).max(part));
        }
        if least.iter().zip(&most).any(|(least, most)| most - least > ONE_COLOUR) {
            return false;
        }
    }
    true
}

/// Returns a white picture, for a page that was never seen.
pub fn blank_picture((width, height): (u32, u32)) -> Result<Bytes, PageError> {
    let white = RgbImage::from_pixel(width.max(1), height.max(1), Rgb([255, 255, 255]));
    paint::encode(&white, CROP_QUALITY)
}

/// Returns the crop rectangle around the element, moved to lie within the picture.
fn crop_rect(
    [x, y, width, height]: [f64; 4],
    (whole_width, whole_height): (u32, u32),
    scale: f64,
) -> [u32; 4] {
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

fn draw_outline(picture: &mut RgbImage, [x, y, width, height]: [f64; 4]) {
    // A page may report any box; coordinates far outside the picture are all equivalent.
    let near = |at: f64| at.clamp(-OUTSIDE, OUTSIDE) as i64;
    let (left, top) = (near(x.floor()), near(y.floor()));
    let (right, bottom) = (near((x + width).ceil()), near((y + height).ceil()));
    for ring in 0..=BAND + 1 {
        let colour = if ring == 0 || ring == BAND + 1 { EDGE } else { ACCENT };
        let out = GAP + ring;
        draw_rectangle(picture, [left - out, top - out, right + out, bottom + out], colour);
    }
}

/// Draws a rectangle one pixel wide; parts outside the picture are drawn on its border.
fn draw_rectangle(picture: &mut RgbImage, [left, top, right, bottom]: [i64; 4], colour: Rgb<u8>) {
    let (width, height) = (i64::from(picture.width()), i64::from(picture.height()));
    for x in left.max(0)..right.min(width) {
        set_pixel(picture, x, top, colour);
        set_pixel(picture, x, bottom - 1, colour);
    }
    for y in top.max(0)..bottom.min(height) {
        set_pixel(picture, left, y, colour);
        set_pixel(picture, right - 1, y, colour);
    }
}

fn set_pixel(picture: &mut RgbImage, x: i64, y: i64, colour: Rgb<u8>) {
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
            assert_eq!(crop_rect(bounds, (1280, 720), 1.0), expected, "{bounds:?}");
        }
    }

    fn page_with(dot: Option<[u32; 2]>) -> Bytes {
        let mut page = RgbImage::from_pixel(1280, 720, Rgb([250, 250, 250]));
        if let Some([x, y]) = dot {
            (0..40).for_each(|at| page.put_pixel(x + at % 20, y + at / 20, Rgb([0, 0, 0])));
        }
        paint::encode(&page, 85).unwrap()
    }

    #[test]
    fn a_crop_that_does_not_show_its_target_is_refused() {
        let button = [600.0, 300.0, 80.0, 30.0];
        let enclosing = [590.0, 290.0, 100.0, 50.0];
        let beside = [400.0, 300.0, 180.0, 30.0];
        let cases: [(&str, _, _, bool, Vec<Bounds>, _); 8] = [
            ("drawn", Some([620, 310]), Some(button), false, vec![], None),
            ("beside a secret", Some([620, 310]), Some(button), false, vec![beside], None),
            ("under a secret", Some([620, 310]), Some(button), false, vec![enclosing], Some("secret_fields")),
            ("a secret itself", Some([560, 310]), Some(button), true, vec![button], None),
            ("anywhere", Some([620, 310]), Some(button), false, vec![motion::ALL], Some("secret_fields")),
            ("not drawn", Some([10, 10]), Some(button), false, vec![], Some("blank")),
            ("not in view", Some([620, 310]), None, false, vec![], Some("hidden")),
            ("below", Some([620, 310]), Some([600.0, 900.0, 80.0, 30.0]), false, vec![], Some("hidden")),
        ];
        for (case, dot, part, secret, secrets, missing) in cases {
            let target = Some(Pictured { bounds: part.unwrap_or(button), part, secret });
            let drawn = draw(&page_with(dot), &Drawing { target, viewport: [1280.0, 720.0], secrets });
            assert_eq!(drawn.err().map(|why| why.word()), missing, "{case}");
        }
        let empty = Drawing { target: None, viewport: [1280.0, 720.0], secrets: vec![] };
        assert_eq!(draw(&page_with(None), &empty).err(), Some(NoPicture::Blank));
        assert!(draw(&page_with(Some([5, 5])), &empty).is_ok());
    }

    #[test]
    fn the_outline_is_drawn_around_and_never_outside() {
        let mut picture = RgbImage::from_pixel(100, 80, Rgb([255, 255, 255]));
        draw_outline(&mut picture, [40.0, 30.0, 20.0, 10.0]);
        assert_eq!(*picture.get_pixel(50, 30 - 5), ACCENT);
        assert_eq!(*picture.get_pixel(50, 35), Rgb([255, 255, 255]), "the element itself is untouched");
        draw_outline(&mut picture, [-500.0, -500.0, 2000.0, 2000.0]);
        draw_outline(&mut picture, [f64::NAN, 0.0, f64::INFINITY, 1e300]);
    }
}
