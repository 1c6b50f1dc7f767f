//! Paints over what nobody may read in a picture: fields of passwords, one-time codes and cards.
//!
//! It is painted in the picture and not hidden in the page: a style there, even for a moment, would be
//! seen by the person who watches and could be noticed by the page. It costs nothing where no such
//! field is in view, and one decoding and encoding where there is one.

use super::fault::{Code, Fault};
use actix_web::web::Bytes;
use image::{ImageFormat, Rgb, RgbImage};
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

/// Left, top, width, height in CSS pixels of the page's viewport.
pub type Bounds = [f64; 4];

const PAINT: Rgb<u8> = Rgb([104, 109, 122]);
/// So much more than the field on each side, in CSS pixels: its letters' edges, and a moment's move.
const MARGIN: f64 = 3.0;

/// The picture with the boxes painted over, on another thread; as it came if none is in view.
/// `width` is the viewport's in CSS pixels.
pub async fn over(jpeg: Bytes, boxes: Vec<Bounds>, width: f64, quality: u8) -> Result<Bytes, Fault> {
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
    painted
        .await
        .map_err(|fault| Fault::new(Code::Protocol, format!("the picture was not painted: {fault}")))?
}

pub fn decode(jpeg: &[u8]) -> Result<RgbImage, Fault> {
    Ok(image::load_from_memory_with_format(jpeg, ImageFormat::Jpeg).map_err(odd)?.to_rgb8())
}

pub fn encode(picture: &RgbImage, quality: u8) -> Result<Bytes, Fault> {
    let (Ok(width), Ok(height)) = (u16::try_from(picture.width()), u16::try_from(picture.height())) else {
        return Err(odd("it is larger than a JPEG can be"));
    };
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, quality.clamp(1, 100));
    // As Chromium's own: half of the colours' width and height.
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    encoder.encode(picture, width, height, ColorType::Rgb).map_err(odd)?;
    Ok(Bytes::from(out))
}

fn odd(fault: impl std::fmt::Display) -> Fault {
    Fault::new(Code::Protocol, format!("the picture is odd: {fault}"))
}

/// True if anything was painted. A page on a dense screen has more pixels than CSS has.
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

/// The part of it that lies in the picture. Casts saturate, whatever box a page claims.
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
    fn what_lies_outside_is_no_box_to_paint() {
        let mut picture = RgbImage::from_pixel(50, 50, WHITE);
        let outside = [[0.0, 80.0, 10.0, 10.0], [-40.0, 0.0, 10.0, 10.0], [10.0, 10.0, 0.0, 5.0]];
        assert!(!paint(&mut picture, &outside, 50.0));
        assert!(picture.pixels().all(|pixel| *pixel == WHITE));
        let odd = [[f64::NAN, 0.0, f64::INFINITY, 1e300], [-1e300, -5.0, 2e300, 10.0]];
        assert!(paint(&mut picture, &odd, 50.0));
    }
}
