//! Pictures of pages.

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::page::Page;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings};
use jpeg_encoder::{ColorType, Encoder};

/// Longest side of a picture, in pixels: models scale larger ones down.
const LONGEST: f32 = 1_540.0;
/// Greatest enlargement of small pages.
const MOST_SCALE: f32 = 4.0;
const QUALITY: u8 = 80;

/// Draws a page as JPEG; `None` if it has no size that can be drawn.
pub fn draw_page<'a>(page: &'a Page<'a>, cache: &RenderCache<'a>) -> Option<Vec<u8>> {
    let (width, height) = page.render_dimensions();
    let scale = (LONGEST / width.max(height)).min(MOST_SCALE);
    let is_drawable = |side: f32| (1.0..=LONGEST + 1.0).contains(&(side * scale));
    if !is_drawable(width) || !is_drawable(height) {
        return None;
    }
    let size = PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE };
    let drawn =
        hayro::render(page, cache, &InterpreterSettings::default(), &RenderSettings::default(), &size);
    let mut jpeg = Vec::new();
    let encoder = Encoder::new(&mut jpeg, QUALITY);
    encoder.encode(drawn.data_as_u8_slice(), drawn.width(), drawn.height(), ColorType::Rgba).ok()?;
    Some(jpeg)
}
