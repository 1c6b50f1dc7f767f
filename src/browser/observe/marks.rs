//! Draws the element ids on a picture for a model: a frame around each element and its number beside it. Pictures
//! for people stay without them.

use crate::browser::error::PageError;
use crate::browser::geometry::Bounds;
use crate::browser::redaction::paint::{decode, encode};
use crate::page::observation::Observation;
use crate::text::digit_shapes::{HEIGHT, SHAPES, WIDTH};
use actix_web::web::Bytes;
use image::{Rgb, RgbImage};
use std::collections::HashMap;

/// Most elements that are marked; more would hide the page.
const MOST_MARKS: usize = 150;
const QUALITY: u8 = 85;
/// Background of a number, and outer line of a frame.
const DARK: Rgb<u8> = Rgb([20, 20, 28]);
const LIGHT: Rgb<u8> = Rgb([255, 255, 255]);
/// Colours of frames, so that neighbours differ.
const COLOURS: [Rgb<u8>; 4] = [Rgb([255, 61, 113]), Rgb([0, 132, 255]), Rgb([0, 168, 84]), Rgb([214, 92, 0])];
/// Dots of space around a number.
const PADDING: i64 = 2;

/// Farthest that an element may move while its picture is taken, in CSS pixels; a large one a quarter of its size.
const NEAR: f64 = 4.0;

/// Returns the elements in view to which a number belongs on a picture.
pub(crate) fn elements_to_mark(observation: &Observation) -> Vec<u32> {
    let in_view =
        observation.lines.iter().filter(|line| line.attributes.in_view() && !line.attributes.covered);
    in_view.filter_map(|line| line.eid).take(MOST_MARKS).collect()
}

/// Returns the boxes between those right before and right after a picture. Elements that moved meanwhile have none: a
/// number would stand beside them.
pub(crate) fn boxes_at_rest(before: &[(u32, Bounds)], after: &[(u32, Bounds)]) -> Vec<(u32, Bounds)> {
    let later: HashMap<u32, Bounds> = after.iter().copied().collect();
    let between = |(eid, old): &(u32, Bounds)| {
        let new = later.get(eid)?;
        let near = NEAR.max(old[2].min(old[3]) / 4.0);
        let rests = old.iter().zip(new).all(|(old, new)| (old - new).abs() <= near);
        rests.then(|| (*eid, std::array::from_fn(|edge| f64::midpoint(old[edge], new[edge]))))
    };
    before.iter().filter_map(between).collect()
}

/// Rectangle in pixels of the picture: left, top, right, bottom.
type Area = [i64; 4];

/// Draws numbers and frames, on a blocking thread. `width` is the width of the viewport in CSS pixels.
pub async fn draw_marks(jpeg: Bytes, marks: Vec<(u32, Bounds)>, width: f64) -> Result<Bytes, PageError> {
    let drawn = tokio::task::spawn_blocking(move || {
        let mut picture = decode(&jpeg)?;
        mark_picture(&mut picture, &marks, width);
        encode(&picture, QUALITY)
    });
    drawn.await.map_err(|fault| {
        PageError::new(crate::browser::error::ErrorCode::Protocol, format!("no numbers were drawn: {fault}"))
    })?
}

fn mark_picture(picture: &mut RgbImage, marks: &[(u32, Bounds)], width: f64) {
    let scale = f64::from(picture.width()) / width.max(1.0);
    let whole = [0, 0, i64::from(picture.width()), i64::from(picture.height())];
    // Casts saturate, whatever box a page reports.
    let dot = (scale * 2.0).round().clamp(2.0, 8.0) as i64;
    let pixels = |[x, y, w, h]: Bounds| [x, y, x + w, y + h].map(|edge| (edge * scale).round() as i64);
    let shown: Vec<(u32, Area)> = marks
        .iter()
        .map(|(eid, bounds)| (*eid, clip(pixels(*bounds), whole)))
        .filter(|(_, [left, top, right, bottom])| right - left >= 4 && bottom - top >= 4)
        .take(MOST_MARKS)
        .collect();
    for (at, (_, area)) in shown.iter().enumerate() {
        draw_frame(picture, *area, COLOURS[at % COLOURS.len()], dot);
    }
    let mut taken: Vec<Area> = Vec::new();
    for (eid, area) in &shown {
        let label = place_label(*area, label_size(*eid, dot), whole, &taken);
        draw_number(picture, *eid, label, dot);
        taken.push(label);
    }
}

fn clip([left, top, right, bottom]: Area, [x0, y0, x1, y1]: Area) -> Area {
    [left.clamp(x0, x1), top.clamp(y0, y1), right.clamp(x0, x1), bottom.clamp(y0, y1)]
}

fn draw_frame(picture: &mut RgbImage, area: Area, colour: Rgb<u8>, dot: i64) {
    let line = (dot / 2).max(1);
    let [left, top, right, bottom] = area;
    for (inset, colour) in [(0, DARK), (line, colour), (2 * line, colour)] {
        let [l, t, r, b] = [left + inset, top + inset, right - inset, bottom - inset];
        for side in [[l, t, r, t + line], [l, b - line, r, b], [l, t, l + line, b], [r - line, t, r, b]] {
            fill(picture, clip(side, area), colour);
        }
    }
}

fn fill(picture: &mut RgbImage, area: Area, colour: Rgb<u8>) {
    let whole = [0, 0, i64::from(picture.width()), i64::from(picture.height())];
    let [left, top, right, bottom] = clip(area, whole).map(|edge| u32::try_from(edge).unwrap_or(0));
    for y in top..bottom {
        for x in left..right {
            picture.put_pixel(x, y, colour);
        }
    }
}

/// Returns width and height of a number with its background.
fn label_size(eid: u32, dot: i64) -> (i64, i64) {
    let digits = i64::try_from(eid.to_string().len()).unwrap_or(1);
    let dots = digits * (i64::from(WIDTH) + 1) - 1 + 2 * PADDING;
    (dots * dot, (i64::from(HEIGHT) + 2 * PADDING) * dot)
}

/// Returns the first place beside or on the element where no other number stands.
fn place_label([left, top, right, bottom]: Area, (w, h): (i64, i64), whole: Area, taken: &[Area]) -> Area {
    let corners = [
        (left, top - h),
        (right - w, top - h),
        (left, top),
        (right - w, top),
        (left, bottom),
        (right, top),
        (left - w, top),
        (right - w, bottom - h),
    ];
    let places = corners.map(|(x, y)| {
        let (x, y) = (x.min(whole[2] - w).max(0), y.min(whole[3] - h).max(0));
        [x, y, x + w, y + h]
    });
    let is_free = |place: &&Area| taken.iter().all(|other| !overlaps(**place, *other));
    *places.iter().find(is_free).unwrap_or(&places[2])
}

fn overlaps(a: Area, b: Area) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

fn draw_number(picture: &mut RgbImage, eid: u32, place: Area, dot: i64) {
    fill(picture, place, DARK);
    for (at, digit) in eid.to_string().bytes().enumerate() {
        let shape = SHAPES[usize::from(digit - b'0') % SHAPES.len()];
        let x = place[0] + (PADDING + i64::try_from(at).unwrap_or(0) * (i64::from(WIDTH) + 1)) * dot;
        for (row, bits) in (0_i64..).zip(shape) {
            for column in (0..WIDTH).filter(|column| (bits >> (WIDTH - 1 - column)) & 1 == 1) {
                let (left, top) = (x + i64::from(column) * dot, place[1] + (PADDING + row) * dot);
                fill(picture, [left, top, left + dot, top + dot], LIGHT);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the number whose background begins at a point.
    fn read_number(picture: &RgbImage, (x, y): (u32, u32), digits: u32, dot: u32) -> String {
        let digit = |at: u32| {
            let rows: Vec<u8> = (0..HEIGHT)
                .map(|row| {
                    (0..WIDTH).fold(0, |bits, column| {
                        let left = x + (2 + at * (WIDTH + 1) + column) * dot;
                        let pixel = picture.get_pixel(left, y + (2 + row) * dot);
                        (bits << 1) | u8::from(*pixel == LIGHT)
                    })
                })
                .collect();
            SHAPES.iter().position(|shape| shape.as_slice() == rows.as_slice()).expect("a digit").to_string()
        };
        (0..digits).map(digit).collect()
    }

    #[test]
    fn numbers_stand_at_their_elements_and_can_be_read() {
        for (picture_width, dot) in [(400, 2), (800, 4)] {
            let scale = picture_width / 400;
            let mut picture = RgbImage::from_pixel(picture_width, 300 * scale, Rgb([240, 240, 240]));
            let marks = [(7, [40.0, 60.0, 80.0, 30.0]), (1234, [200.0, 0.0, 100.0, 40.0])];
            mark_picture(&mut picture, &marks, 400.0);
            let height = 11 * 2;
            assert_eq!(read_number(&picture, (40 * scale, (60 - height) * scale), 1, dot), "7");
            // There is no room above this one.
            assert_eq!(read_number(&picture, (200 * scale, 0), 4, dot), "1234");
            assert_eq!(*picture.get_pixel(80 * scale, 60 * scale), DARK);
            assert_eq!(*picture.get_pixel(80 * scale, 75 * scale), Rgb([240, 240, 240]));
        }
    }

    #[test]
    fn numbers_of_neighbours_do_not_cover_each_other() {
        let whole = [0, 0, 400, 300];
        let mut taken: Vec<Area> = Vec::new();
        for at in 0..10 {
            let area = [20 + at * 22, 100, 40 + at * 22, 120];
            let place = place_label(area, label_size(100, 2), whole, &taken);
            assert!(taken.iter().all(|other| !overlaps(place, *other)), "{at}: {place:?} {taken:?}");
            taken.push(place);
        }
    }

    #[test]
    fn elements_that_move_while_the_picture_is_taken_have_no_number() {
        let before = [(1, [10.0, 10.0, 40.0, 20.0]), (2, [10.0, 50.0, 40.0, 20.0]), (3, [0.0; 4])];
        let after = [(2, [90.0, 50.0, 40.0, 20.0]), (1, [12.0, 10.0, 40.0, 20.0])];
        assert_eq!(boxes_at_rest(&before, &after), [(1, [11.0, 10.0, 40.0, 20.0])]);
    }

    #[test]
    fn marks_outside_of_the_picture_are_left_out() {
        let mut picture = RgbImage::from_pixel(40, 30, LIGHT);
        let before = picture.clone();
        mark_picture(
            &mut picture,
            &[(1, [-500.0, -500.0, 20.0, 20.0]), (2, [f64::NAN, 1e300, 1e300, 5.0])],
            40.0,
        );
        assert_eq!(picture, before);
        mark_picture(&mut RgbImage::new(0, 0), &[(1, [0.0, 0.0, 20.0, 20.0])], 0.0);
    }
}
