//! Draws a picture of a number, which a model can read only if it sees pictures.

use crate::ids;
pub use crate::text::digit_shapes::{HEIGHT, SHAPES, WIDTH};
use image::{ImageFormat, Rgb, RgbImage};
use std::io::Cursor;

/// Digits in the picture.
pub const COUNT: usize = 4;
/// Pixels per dot of a digit.
pub const DOT: u32 = 14;
/// Dots around the number and between two digits.
pub const GAP: u32 = 2;
/// Returns random digits. The first is not zero, which a model might omit.
pub fn random() -> [u8; COUNT] {
    let token = ids::token();
    let mut digits = [0; COUNT];
    for (digit, letter) in digits.iter_mut().zip(token.bytes().rev()) {
        *digit = letter % 10;
    }
    digits[0] = digits[0].max(1);
    digits
}

/// Draws the digits in black on white, as PNG.
pub fn picture(digits: [u8; COUNT]) -> Result<Vec<u8>, image::ImageError> {
    let across = u32::try_from(COUNT).unwrap_or(0) * (WIDTH + GAP) + GAP;
    let (width, height) = (across * DOT, (HEIGHT + 2 * GAP) * DOT);
    let is_black = |x: u32, y: u32| {
        let (column, row) = (x / DOT, y / DOT);
        let offset = column.checked_sub(GAP)?;
        let (digit, column, row) = (offset / (WIDTH + GAP), offset % (WIDTH + GAP), row.checked_sub(GAP)?);
        let shape = SHAPES[usize::from(*digits.get(usize::try_from(digit).ok()?)?)];
        let bits = shape.get(usize::try_from(row).ok()?)?;
        (column < WIDTH).then(|| (bits >> (WIDTH - 1 - column)) & 1 == 1)
    };
    let picture = RgbImage::from_fn(width, height, |x, y| match is_black(x, y) {
        Some(true) => Rgb([0, 0, 0]),
        Some(false) | None => Rgb([255, 255, 255]),
    });
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png)?;
    Ok(bytes.into_inner())
}

/// Returns the digits as text.
pub fn digits_text(digits: [u8; COUNT]) -> String {
    digits.iter().map(|digit| char::from(b'0' + digit)).collect()
}
