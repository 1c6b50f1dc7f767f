//! Points, boxes and frame transforms in CSS pixels.

use serde::Deserialize;

/// Point in CSS pixels of the viewport.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

impl Point {
    pub fn distance(self, other: Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }

    /// Returns the point at distance `far` from `start` on the way to `self`, or `self` if that is nearer.
    pub fn point_towards(self, start: Self, far: f64) -> Self {
        let whole = start.distance(self);
        let part = if whole > 0.0 { (far / whole).min(1.0) } else { 1.0 };
        Self { x: start.x + (self.x - start.x) * part, y: start.y + (self.y - start.y) * part }
    }
}

/// Left, top, width and height in CSS pixels of the page's viewport.
pub type Bounds = [f64; 4];

/// Position and scale of a frame's viewport in its parent.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct FrameTransform {
    /// Origin of the frame's viewport.
    pub x: f64,
    pub y: f64,
    /// Scale factors.
    pub sx: f64,
    pub sy: f64,
    #[serde(rename = "turned")]
    pub is_rotated: bool,
    /// Bounding box of the whole frame.
    #[serde(rename = "whole")]
    pub frame_bounds: Bounds,
}

impl FrameTransform {
    /// Transform of a page itself: the identity.
    pub const OWN: Self =
        Self { x: 0.0, y: 0.0, sx: 1.0, sy: 1.0, is_rotated: false, frame_bounds: [0.0; 4] };

    /// Converts a point of the frame to the document around it.
    pub fn point(&self, Point { x, y }: Point) -> Point {
        Point { x: self.x + self.sx * x, y: self.y + self.sy * y }
    }

    /// Converts a box of the frame to the document around it.
    pub fn bounds(&self, [x, y, width, height]: Bounds) -> Bounds {
        if self.is_rotated {
            return self.frame_bounds;
        }
        [self.x + self.sx * x, self.y + self.sy * y, self.sx * width, self.sy * height]
    }

    /// Converts a box and enlarges it by one pixel on each side, because walkers report whole numbers.
    pub fn bounds_with_margin(&self, [x, y, width, height]: Bounds) -> Bounds {
        self.bounds([x - 1.0, y - 1.0, width + 2.0, height + 2.0])
    }

    /// Composes this transform with that of a frame within the frame.
    pub fn compose(&self, inner: &Self) -> Self {
        let Point { x, y } = self.point(Point { x: inner.x, y: inner.y });
        let (sx, sy) = (self.sx * inner.sx, self.sy * inner.sy);
        Self {
            x,
            y,
            sx,
            sy,
            is_rotated: self.is_rotated || inner.is_rotated,
            frame_bounds: self.bounds(inner.frame_bounds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_in_a_frame_is_scaled_by_both() {
        let outer = FrameTransform { x: 10.0, y: 20.0, sx: 2.0, sy: 4.0, ..FrameTransform::OWN };
        let inner = FrameTransform {
            x: 5.0,
            y: 5.0,
            sx: 0.5,
            sy: 0.5,
            frame_bounds: [5.0, 5.0, 50.0, 50.0],
            ..FrameTransform::OWN
        };
        let both = outer.compose(&inner);
        assert_eq!((both.x, both.y, both.sx, both.sy), (20.0, 40.0, 1.0, 2.0));
        assert_eq!(both.frame_bounds, [20.0, 40.0, 100.0, 200.0]);
        assert_eq!(both.point(Point { x: 3.0, y: 3.0 }), Point { x: 23.0, y: 46.0 });
        assert_eq!(both.bounds_with_margin([1.0, 1.0, 8.0, 8.0]), [20.0, 40.0, 10.0, 20.0]);
        assert_eq!(
            FrameTransform { is_rotated: true, ..both }.bounds_with_margin([1.0; 4]),
            both.frame_bounds
        );
    }
}
