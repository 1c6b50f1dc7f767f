//! A point on a page.

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
