//! Possible positions of secret fields in a picture. Only their positions before and after its capture are
//! known.

use crate::browser::geometry::Bounds;

/// Margin around moving fields in CSS pixels. A field that moves further between two replies may have been
/// anywhere.
pub const MOTION_MARGIN: f64 = 120.0;
/// Limit for pictures that are kept: a larger area is painted before the whole picture is.
const FAR: f64 = 200.0;
/// Tolerance for the whole numbers of walkers.
const ROUNDED: f64 = 2.0;
/// Box beyond any picture.
pub const ALL: Bounds = [-1e6, -1e6, 2e6, 2e6];
const FAR_AND_WIDE: f64 = 1e5;

/// Returns the boxes of both moments and everything between them, enlarged by `margin` on each side.
pub fn covering_boxes(before: &[Bounds], after: &[Bounds], margin: f64) -> Vec<Bounds> {
    let mut all: Vec<Bounds> = before.iter().chain(after).copied().collect();
    if before.len() == after.len() {
        all.extend(before.iter().zip(after).map(|(one, other)| enclosing_box(one, other)));
    }
    all.into_iter().map(|[x, y, w, h]| [x - margin, y - margin, w + 2.0 * margin, h + 2.0 * margin]).collect()
}

/// Returns the boxes to paint over in a picture that is kept: the whole picture if a field jumped.
pub fn boxes_for_kept_picture(before: &[Bounds], after: &[Bounds]) -> Vec<Bounds> {
    if moved_further_than(before, after, FAR) {
        return vec![ALL];
    }
    covering_boxes(
        before,
        after,
        if moved_further_than(before, after, ROUNDED) { MOTION_MARGIN } else { 0.0 },
    )
}

/// Reports whether a walker gave a field's position as unknown, because it jumps from frame to frame.
pub fn is_anywhere(boxes: &[Bounds]) -> bool {
    boxes.iter().any(|[_, _, width, height]| *width > FAR_AND_WIDE && *height > FAR_AND_WIDE)
}

/// Reports whether any field moved further than `far`. A field that only appeared or disappeared has not
/// moved.
pub fn moved_further_than(before: &[Bounds], after: &[Bounds], far: f64) -> bool {
    if before.len() == after.len() {
        return before.iter().zip(after).any(|(one, other)| !is_near(one, other, far));
    }
    let lost = |one: &Bounds, others: &[Bounds]| !others.iter().any(|other| is_near(one, other, far));
    before.iter().any(|one| lost(one, after)) && after.iter().any(|one| lost(one, before))
}

/// Compares two boxes. A frame that does not report its fields is one box, and then the fields lie within it.
fn is_near(one: &Bounds, other: &Bounds, far: f64) -> bool {
    let (one, other) = (edges(one), edges(other));
    let holds = |a: [f64; 4], b: [f64; 4]| a[0] <= b[0] && a[1] <= b[1] && a[2] >= b[2] && a[3] >= b[3];
    one.iter().zip(other).all(|(a, b)| (a - b).abs() <= far) || holds(one, other) || holds(other, one)
}

fn edges([x, y, w, h]: &Bounds) -> [f64; 4] {
    [*x, *y, x + w, y + h]
}

fn enclosing_box(one: &Bounds, other: &Bounds) -> Bounds {
    let (left, top) = (one[0].min(other[0]), one[1].min(other[1]));
    let right = (one[0] + one[2]).max(other[0] + other[2]);
    let bottom = (one[1] + one[3]).max(other[1] + other[3]);
    [left, top, right - left, bottom - top]
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Bounds = [10.0, 10.0, 20.0, 5.0];
    const THERE: Bounds = [10.0, 110.0, 20.0, 5.0];
    const FURTHER: Bounds = [10.0, 410.0, 20.0, 5.0];

    #[test]
    fn a_field_that_moves_is_covered_on_its_whole_way_and_more() {
        assert_eq!(covering_boxes(&[HERE], &[HERE], 0.0), [HERE; 3]);
        let way = [
            10.0 - MOTION_MARGIN,
            10.0 - MOTION_MARGIN,
            20.0 + 2.0 * MOTION_MARGIN,
            105.0 + 2.0 * MOTION_MARGIN,
        ];
        assert_eq!(covering_boxes(&[HERE], &[THERE], MOTION_MARGIN)[2], way);
        assert_eq!(boxes_for_kept_picture(&[HERE], &[THERE])[2], way);
        assert_eq!(boxes_for_kept_picture(&[HERE], &[HERE]), [HERE; 3]);
        assert_eq!(covering_boxes(&[HERE], &[], 0.0), [HERE], "one that went is still covered once");
        assert!(covering_boxes(&[], &[], MOTION_MARGIN).is_empty());
    }

    #[test]
    fn a_picture_with_a_jumping_field_is_covered_whole() {
        assert_eq!(boxes_for_kept_picture(&[HERE], &[FURTHER]), [ALL]);
        assert_eq!(
            boxes_for_kept_picture(&[HERE, THERE], &[THERE, FURTHER]),
            [ALL],
            "whichever of them it is"
        );
        assert_eq!(
            boxes_for_kept_picture(&[HERE, THERE], &[HERE, FURTHER, THERE]).len(),
            5,
            "a third one is none of them"
        );
        assert!(
            moved_further_than(&[HERE], &[FURTHER], MOTION_MARGIN)
                && !moved_further_than(&[HERE], &[THERE], MOTION_MARGIN)
        );
    }

    #[test]
    fn a_field_that_comes_or_goes_has_not_jumped() {
        let frame = [0.0, 0.0, 400.0, 800.0];
        for (before, after) in
            [(&[HERE] as &[_], &[] as &[_]), (&[HERE], &[HERE, FURTHER]), (&[frame], &[FURTHER])]
        {
            assert!(
                !moved_further_than(before, after, ROUNDED) && !moved_further_than(after, before, ROUNDED),
                "{before:?} {after:?}"
            );
        }
    }
}
