//! Glyphs of a page with their places, as a device of the PDF interpreter receives them.

use hayro::hayro_interpret::font::{Glyph, GlyphRun};
use hayro::hayro_interpret::hayro_cmap::{BfString, WritingMode};
use hayro::hayro_interpret::hayro_syntax::page::Page;
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, RectExt, RenderContent, SoftMask, TransformExt, interpret_page,
};
use hayro::kurbo::{BezPath, Point, Vec2};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// Greatest number of glyphs read of one page.
const MOST_GLYPHS: usize = 200_000;
/// Glyph units per em, in which fonts state widths.
const EM: f64 = 1000.0;
/// Greatest distance of glyphs that are one glyph drawn twice, in sizes of the letters.
const SAME_PLACE: f64 = 0.15;
/// Advance of a glyph without a stated width, in glyph units.
const USUAL_ADVANCE: f32 = 500.0;

/// Text of one glyph, and its place in units of the page, from its top left corner.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedGlyph {
    /// Characters, `None` if the font does not tell.
    pub text: Option<String>,
    /// Place along the direction of the writing.
    pub along: f64,
    /// Place of its base line, at a right angle to that direction.
    pub baseline: f64,
    pub advance: f64,
    pub size: f64,
    /// Direction of the writing in degrees; 0 is to the right, 90 downwards.
    pub angle: i32,
}

/// Everything drawn on a page.
#[derive(Default)]
pub struct PageGlyphs {
    pub glyphs: Vec<PlacedGlyph>,
    /// Glyphs of form fields and comments, which are drawn after all else.
    pub annotations: Vec<PlacedGlyph>,
    /// Number of pictures.
    pub images: usize,
}

/// Collects the glyphs of a page.
pub fn collect_glyphs<'a>(page: &'a Page<'a>, cache: &InterpreterCache<'a>) -> PageGlyphs {
    let mut images = 0;
    let mut draw = |content: RenderContent| {
        let settings = InterpreterSettings { render_content: content, ..InterpreterSettings::default() };
        let transform = page.initial_transform(true).to_kurbo();
        let bounds = transform.transform_rect_bbox(page.intersected_crop_box().to_kurbo());
        let mut context = Context::new(transform, bounds, cache, page.xref(), settings);
        let mut device = GlyphDevice { bounds, ..GlyphDevice::default() };
        interpret_page(page, &mut context, &mut device);
        images += device.images;
        device.glyphs
    };
    let (glyphs, annotations) = (draw(RenderContent::PAGE), draw(RenderContent::ANNOTATIONS));
    PageGlyphs { glyphs, annotations, images }
}

#[derive(Default)]
struct GlyphDevice {
    bounds: hayro::kurbo::Rect,
    glyphs: Vec<PlacedGlyph>,
    /// Places of glyphs so far, by the hashes of their texts and by squares: bold text is often drawn twice.
    places: HashMap<(u64, i64, i64), Point>,
    hasher: RandomState,
    images: usize,
}

impl Device<'_> for GlyphDevice {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, props: DrawProps<'_>, _: &DrawMode) {
        let is_vertical = matches!(run.writing_mode(), WritingMode::Vertical);
        for glyph in run.glyphs() {
            if self.glyphs.len() >= MOST_GLYPHS {
                return;
            }
            let transform = props.transform * glyph.transform();
            let origin = transform * Point::ZERO;
            let up = transform * Point::new(0.0, EM) - origin;
            let right = transform * Point::new(EM, 0.0) - origin;
            let width = f64::from(advance_width(glyph).unwrap_or(USUAL_ADVANCE)) / EM;
            let (line, advance) =
                if is_vertical { (-up, up.hypot()) } else { (right, right.hypot() * width) };
            self.add(read_text(glyph), origin, line, advance.abs(), up.hypot());
        }
    }

    fn draw_image(&mut self, _: Image<'_, '_>, _: ImageDrawProps<'_>) {
        self.images += 1;
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'_>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}

impl GlyphDevice {
    /// Adds a glyph that lies on the page, unless it was drawn at the same place before.
    fn add(&mut self, text: Option<String>, origin: Point, line: Vec2, advance: f64, size: f64) {
        let places = [origin.x, origin.y, advance, size, line.x, line.y];
        if places.iter().any(|place| !place.is_finite()) || size < 0.01 || line.hypot() < 0.01 {
            return;
        }
        if !self.bounds.inflate(size, size).contains(origin) {
            return;
        }
        let is_shown = text.as_deref().is_some_and(|text| !text.trim().is_empty());
        if is_shown && self.was_drawn(text.as_deref(), origin, size, advance) {
            return;
        }
        let angle = line.atan2().to_degrees().round() as i32;
        let unit = Vec2::from_angle(f64::from(angle).to_radians());
        let along = origin.x * unit.x + origin.y * unit.y;
        let baseline = origin.y * unit.x - origin.x * unit.y;
        self.glyphs.push(PlacedGlyph { text, along, baseline, advance, size, angle });
    }

    /// Reports whether the same text was drawn nearly at the same place before, and remembers the place.
    fn was_drawn(&mut self, text: Option<&str>, origin: Point, size: f64, advance: f64) -> bool {
        let side = size * SAME_PLACE;
        let radius = if advance > 0.0 { side.min(advance / 2.0) } else { side };
        let hash = self.hasher.hash_one(text);
        // Far below the greatest integers that floats hold exactly.
        let (column, row) = ((origin.x / side).round() as i64, (origin.y / side).round() as i64);
        let near = (-1..=1).flat_map(|x| (-1..=1).map(move |y| (hash, column + x, row + y)));
        let is_same = |place: &Point| (*place - origin).hypot() < radius;
        if near.filter_map(|square| self.places.get(&square)).any(is_same) {
            return true;
        }
        self.places.insert((hash, column, row), origin);
        false
    }
}

fn advance_width(glyph: &Glyph<'_>) -> Option<f32> {
    match glyph {
        Glyph::Outline(outline) => outline.advance_width(),
        Glyph::Type3(drawn) => drawn.advance_width(),
    }
}

fn read_text(glyph: &Glyph<'_>) -> Option<String> {
    let text = match (glyph.as_unicode(), glyph) {
        (Some(BfString::Char(letter)), _) => letter.to_string(),
        (Some(BfString::String(text)), _) => text,
        // Drawn fonts, such as those of TeX, name their glyphs as they like, and mostly keep the codes of letters.
        (None, Glyph::Type3(drawn)) => {
            char::from_u32(drawn.char_code()).filter(char::is_ascii_graphic)?.to_string()
        }
        (None, Glyph::Outline(_)) => return None,
    };
    // Private use areas hold symbols of one font, which say nothing.
    let is_private = |letter: char| matches!(letter, '\u{e000}'..='\u{f8ff}' | '\u{fffd}');
    (!text.is_empty() && !text.chars().all(is_private)).then_some(text)
}
