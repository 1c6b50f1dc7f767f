//! Redaction of pictures: paints over fields with passwords, one-time codes and cards.
//!
//! The picture is changed, not the page: a style in the page, even for a moment, would be visible to viewers
//! and detectable by the page. Pictures without such a field cost nothing, others one decoding and encoding.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::geometry::Bounds;
use actix_web::web::Bytes;
use image::{ImageFormat, Rgb, RgbImage};
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

const PAINT: Rgb<u8> = Rgb([104, 109, 122]);
/// Margin on each side of a field in CSS pixels, for the edges of letters and slight movement.
const MARGIN: f64 = 3.0;

/// Paints over the boxes on a blocking thread. Returns the picture unchanged if no box is in view. `width` is
/// the width of the viewport in CSS pixels.
pub async fn paint_jpeg(
    jpeg: Bytes,
    boxes: Vec<Bounds>,
    width: f64,
    quality: u8,
) -> Result<Bytes, PageError> {
    if boxes.iter().all(|bounds| bounds[2] <= 0.0 || bounds[3] <= 0.0) {
        return Ok(jpeg);
    }
    let painted = tokio::task::spawn_blocking(move || {
        let mut picture = decode(&jpeg)?;
        if !paint(&mut picture, &boxes, width) {
            return Ok(jpeg);
        }
        encode(&picture, quality)
    });
    painted.await.map_err(|fault| {
        PageError::new(ErrorCode::Protocol, format!("the picture was not painted: {fault}"))
    })?
}

pub fn decode(jpeg: &[u8]) -> Result<RgbImage, PageError> {
    Ok(image::load_from_memory_with_format(jpeg, ImageFormat::Jpeg).map_err(jpeg_error)?.to_rgb8())
}

pub fn encode(picture: &RgbImage, quality: u8) -> Result<Bytes, PageError> {
    let (Ok(width), Ok(height)) = (u16::try_from(picture.width()), u16::try_from(picture.height())) else {
        return Err(jpeg_error("it is larger than a JPEG can be"));
    };
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, quality.clamp(1, 100));
    // Chromium's own subsampling: half the width and height for colours.
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    encoder.encode(picture, width, height, ColorType::Rgb).map_err(jpeg_error)?;
    Ok(Bytes::from(out))
}

fn jpeg_error(fault: impl std::fmt::Display) -> PageError {
    PageError::new(ErrorCode::Protocol, format!("the picture cannot be processed: {fault}"))
}

/// Paints over the boxes. Returns true if anything was painted. On high-density screens a CSS pixel is
/// several pixels.
pub fn paint(picture: &mut RgbImage, boxes: &[Bounds], width: f64) -> bool {
    let scale = f64::from(picture.width()) / width.max(1.0);
    let mut painted = false;
    for [x, y, w, h] in boxes.iter().filter(|bounds| bounds[2] > 0.0 && bounds[3] > 0.0) {
        let across = span(*x, *w, scale, picture.width());
        let down = span(*y, *h, scale, picture.height());
        painted |= !across.is_empty() && !down.is_empty();
        for row in down {
            for column in across.clone() {
                picture.put_pixel(column, row, PAINT);
            }
        }
    }
    painted
}

/// Returns the pixels that a length covers within the picture. Casts saturate, whatever box a page reports.
fn span(start: f64, length: f64, scale: f64, whole: u32) -> std::ops::Range<u32> {
    let (from, to) = (((start - MARGIN) * scale).floor(), ((start + length + MARGIN) * scale).ceil());
    (from.max(0.0) as u32).min(whole)..(to.max(0.0) as u32).min(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHITE: Rgb<u8> = Rgb([255, 255, 255]);

    #[test]
    fn boxes_are_painted_with_a_margin_and_nothing_else_is() {
        let mut picture = RgbImage::from_pixel(200, 100, WHITE);
        assert!(paint(&mut picture, &[[20.0, 10.0, 30.0, 10.0]], 100.0));
        for (x, y, colour) in
            [(40, 20, PAINT), (99, 39, PAINT), (34, 14, PAINT), (33, 20, WHITE), (106, 30, WHITE)]
        {
            assert_eq!(*picture.get_pixel(x, y), colour, "{x}, {y}");
        }
    }

    #[test]
    fn boxes_outside_the_picture_are_not_painted() {
        let mut picture = RgbImage::from_pixel(50, 50, WHITE);
        let outside = [[0.0, 80.0, 10.0, 10.0], [-40.0, 0.0, 10.0, 10.0], [10.0, 10.0, 0.0, 5.0]];
        assert!(!paint(&mut picture, &outside, 50.0));
        assert!(picture.pixels().all(|pixel| *pixel == WHITE));
        let odd = [[f64::NAN, 0.0, f64::INFINITY, 1e300], [-1e300, -5.0, 2e300, 10.0]];
        assert!(paint(&mut picture, &odd, 50.0));
    }
}
