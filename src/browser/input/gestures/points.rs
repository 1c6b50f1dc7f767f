//! Input at points of the picture that the planner was shown. It is void if the picture has changed since.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::geometry::Point;
use crate::browser::injected::js_string;
use crate::browser::input::fields::typing;
use crate::browser::input::gestures::drag;
use crate::browser::input::gestures::page_change::PageChange;
use crate::browser::input::keyboard;
use crate::browser::input::pointer::{self, mouse};
use crate::browser::page::tab::{SCREENSHOT_QUALITY, Tab};
use crate::browser::redaction::{motion, paint};
use crate::page::text::quoted;
use crate::turn::page_input::mouse::ClickInput;
use crate::turn::page_input::points::{PicturePoint, PointAction};
use actix_web::web::Bytes;
use chromiumoxide::cdp::browser_protocol::input::DispatchMouseEventType;
use image::RgbImage;

/// Half of the side of the square around a point that must look as it did, in CSS pixels.
const NEAR_PX: i64 = 24;
/// Difference of a colour channel that compression does not explain.
const OTHER_COLOUR: u8 = 40;
/// Share of the pixels around a point, and of the whole picture, that may differ.
const NEAR_SHARE: f64 = 0.1;
const WHOLE_SHARE: f64 = 0.5;

/// Picture that points were chosen on.
#[derive(Clone, Debug)]
pub struct PointCheck {
    pub jpeg: Bytes,
    /// Address of the page, without its fragment.
    pub url: String,
    /// Vertical scroll position in CSS pixels.
    pub scroll: u32,
}

/// Fails if the page no longer looks as on the picture: another address, scrolled, or drawn anew around a point.
pub async fn check_picture(tab: &Tab, action: &PointAction, seen: &PointCheck) -> Result<(), PageError> {
    let (url, scroll, width): (String, u32, f64) =
        tab.run("[location.href.split('#')[0], Math.round(Math.max(0, scrollY)), innerWidth]").await?;
    if url != seen.url || scroll != seen.scroll {
        return Err(changed_error("the page is another one, or was scrolled"));
    }
    let now = tab.take_screenshot(SCREENSHOT_QUALITY).await?;
    let (Ok(before), Ok(mut now)) = (decode(&seen.jpeg), decode(&now)) else {
        return Err(changed_error("the pictures cannot be compared"));
    };
    // Secret fields are painted over on the picture that was shown.
    let secrets = tab.secret_boxes().await?;
    paint::paint(&mut now, &motion::boxes_for_kept_picture(&secrets, &secrets), width);
    for point in action.points() {
        if !is_inside(&before, point) {
            let message = format!("the point {}, {} is outside of the picture", point.x, point.y);
            return Err(PageError::new(ErrorCode::PictureChanged, message));
        }
        let area = around(point, &before);
        if different_share(&before, &now, area) > NEAR_SHARE {
            return Err(changed_error("something else is drawn at the point"));
        }
    }
    let whole = [0, 0, before.width(), before.height()];
    if different_share(&before, &now, whole) > WHOLE_SHARE {
        return Err(changed_error("most of the page is drawn anew"));
    }
    Ok(())
}

fn changed_error(what: &str) -> PageError {
    let message = format!("nothing was done: {what} since the picture was taken; look at the new picture");
    PageError::new(ErrorCode::PictureChanged, message)
}

fn decode(jpeg: &[u8]) -> Result<RgbImage, image::ImageError> {
    image::load_from_memory(jpeg).map(|picture| picture.to_rgb8())
}

fn is_inside(picture: &RgbImage, point: PicturePoint) -> bool {
    (0.0..f64::from(picture.width())).contains(&point.x)
        && (0.0..f64::from(picture.height())).contains(&point.y)
}

/// Returns left, top, right and bottom of the square around a point, within the picture.
#[allow(clippy::cast_possible_truncation, reason = "a point within the picture")]
fn around(point: PicturePoint, picture: &RgbImage) -> [u32; 4] {
    let clamp = |value: i64, most: u32| u32::try_from(value.clamp(0, i64::from(most))).unwrap_or_default();
    let (x, y) = (point.x.round() as i64, point.y.round() as i64);
    let (width, height) = picture.dimensions();
    [
        clamp(x - NEAR_PX, width),
        clamp(y - NEAR_PX, height),
        clamp(x + NEAR_PX, width),
        clamp(y + NEAR_PX, height),
    ]
}

/// Returns the share of the pixels of an area that differ.
fn different_share(before: &RgbImage, now: &RgbImage, [left, top, right, bottom]: [u32; 4]) -> f64 {
    if before.dimensions() != now.dimensions() {
        return 1.0;
    }
    let mut different = 0u32;
    for (x, y) in (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y))) {
        let pairs = before.get_pixel(x, y).0.into_iter().zip(now.get_pixel(x, y).0);
        different += u32::from(pairs.into_iter().any(|(one, other)| one.abs_diff(other) > OTHER_COLOUR));
    }
    let all = (right - left).saturating_mul(bottom - top).max(1);
    f64::from(different) / f64::from(all)
}

fn on_page(at: PicturePoint) -> Point {
    Point { x: at.x, y: at.y }
}

pub async fn hover(tab: &Tab, at: PicturePoint) -> Result<(), PageError> {
    tab.call(mouse(DispatchMouseEventType::MouseMoved, on_page(at))).await.map(|_| ())
}

pub async fn click(tab: &Tab, at: PicturePoint, input: &ClickInput) -> Result<(), PageError> {
    let at = on_page(at);
    pointer::click_at(tab, at, Some(mouse(DispatchMouseEventType::MouseMoved, at)), input).await
}

/// Clicks at the point and types into what has the focus then. `clear` replaces the text that a field shows there.
pub async fn type_text(
    tab: &Tab,
    at: PicturePoint,
    text: &str,
    clear: bool,
    submit: bool,
) -> Result<(), PageError> {
    click(tab, at, &ClickInput::once()).await?;
    if clear && tab.call_script::<bool>("showsSelectableText()").await? {
        keyboard::press(tab, "Control+A").await?;
    }
    let rest = open_editor(tab, text).await?;
    if !rest.is_empty() {
        typing::enter_text(tab, rest, true).await?;
    }
    check_arrival(tab, text).await?;
    if submit { keyboard::press(tab, "Enter").await } else { Ok(()) }
}

/// Presses the key of the first character where no field has the focus, as over the cells of a drawn table, and waits for
/// the field that it opens: the other keys would be lost meanwhile. Returns the text that is left to type.
async fn open_editor<'a>(tab: &Tab, text: &'a str) -> Result<&'a str, PageError> {
    let end = text.chars().next().map_or(0, char::len_utf8);
    let (first, rest) = text.split_at(end);
    let Some(keys) = keyboard::key_events(first).filter(|_| !first.is_empty()) else { return Ok(text) };
    if tab.call_script::<bool>("takesText()").await? {
        return Ok(text);
    }
    keyboard::send_events(tab, keys).await?;
    tab.call_script::<bool>("awaitField()").await?;
    Ok(rest)
}

/// Fails if the field that has the focus lacks a part of the text.
async fn check_arrival(tab: &Tab, text: &str) -> Result<(), PageError> {
    let lacking: Option<String> = tab.call_script(&format!("lackingText({})", js_string(text))).await?;
    match lacking {
        None => Ok(()),
        Some(value) => {
            let message = format!(
                "the text did not arrive whole: the field has {}; look, and type it again or correct it",
                quoted(&value)
            );
            Err(PageError::new(ErrorCode::NoEffect, message))
        }
    }
}

/// Drags from one point to another. Fails if the page is the same afterwards.
pub async fn drag(tab: &Tab, from: PicturePoint, to: PicturePoint) -> Result<(), PageError> {
    let before = tab.take_screenshot(SCREENSHOT_QUALITY).await?;
    let change = PageChange::watch(tab).await?;
    drag::drag_between(tab, on_page(from), on_page(to)).await?;
    if change.has_happened(&[]).await {
        return Ok(());
    }
    let now = tab.take_screenshot(SCREENSHOT_QUALITY).await?;
    if let (Ok(before), Ok(now)) = (decode(&before), decode(&now))
        && different_share(&before, &now, [0, 0, before.width(), before.height()]) == 0.0
    {
        let message = "nothing moved; look where the handle is, or whether the drag must begin elsewhere";
        return Err(PageError::new(ErrorCode::NoEffect, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    #[test]
    fn a_point_is_void_where_something_else_is_drawn() {
        let before = RgbImage::from_pixel(200, 100, Rgb([240, 240, 240]));
        let mut now = before.clone();
        for (x, y) in (30..60).flat_map(|x| (30..60).map(move |y| (x, y))) {
            now.put_pixel(x, y, Rgb([200, 20, 20]));
        }
        let share = |x: f64, y: f64| different_share(&before, &now, around(PicturePoint { x, y }, &before));
        assert!(share(45.0, 45.0) > NEAR_SHARE && share(150.0, 45.0) == 0.0);
        assert_eq!(around(PicturePoint { x: 0.0, y: 99.0 }, &before), [0, 75, 24, 100]);
        assert!(!is_inside(&before, PicturePoint { x: 200.0, y: 5.0 }));
        assert_eq!(different_share(&before, &RgbImage::new(2, 2), [0, 0, 2, 2]), 1.0, "another size");
    }
}
