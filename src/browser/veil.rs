//! What those see of a live page who do not hold it: pictures with the secret fields painted over.
//!
//! Where the fields are is asked of the page. While there are none, pictures pass at once and it is
//! asked now and then; while there are some, or it is not known, each picture waits for an answer that
//! was asked for after it had come, and is painted with the fields of that answer and of the one
//! before, so a field that moves is covered at both its places. What cannot be known is not shown.
//! While one picture is painted the page is asked for the next; Chromium takes no more of them meanwhile
//! than can be shown.

use super::Browser;
use super::cast::Owed;
use super::fault::Fault;
use super::paint::{self, Bounds};
use super::tab::Tab;
use super::viewer::Picture;
use crate::clock::Stopwatch;
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};

/// A page without secret fields is asked again after so long.
const CLEAR_FOR_MS: u64 = 150;
/// After a frame got another document each picture waits for an answer, for so long.
const STIRRED_FOR_MS: u64 = 2000;
/// Without an answer it counts as unknown after so long.
const KNOWN_FOR_MS: u64 = 2000;
/// Fields that were seen moving may be so far off, in CSS pixels, for so long.
const STRAY: f64 = 80.0;
const MOVING_FOR_MS: u64 = 1000;

#[derive(Debug, Default)]
pub struct Veil {
    /// Of the last answer.
    boxes: Vec<Bounds>,
    /// Since the last answer; none: this document has not been asked.
    answered: Option<Stopwatch>,
    /// Since they were seen to move.
    moved: Option<Stopwatch>,
    asking: bool,
    /// Since one of its frames got another document.
    stirred: Option<Stopwatch>,
    /// The newest picture; it came after the last question.
    waiting: Option<Taken>,
    /// The newest one that it is known of what to cover; it waits for the one that is being painted.
    known: Option<(Taken, Vec<Bounds>)>,
    painting: bool,
    /// Counts documents, so that an answer of an old one is not taken for that of the new.
    document: u64,
}

/// A picture on its way to who may not see all of it. With its end Chromium takes another.
#[derive(Debug)]
struct Taken {
    picture: Picture,
    _owed: Option<Owed>,
}

impl Veil {
    /// Another page is in front, or another document in it.
    pub fn forget(&mut self) {
        let Self { document, asking, painting, .. } = *self;
        *self = Self { document: document + 1, asking, painting, ..Self::default() };
    }

    /// A frame of it gets another document: what comes next is not known.
    pub fn stir(&mut self) {
        self.stirred = Some(Stopwatch::start());
    }

    fn is_clear(&self) -> bool {
        let stirs = self.stirred.is_some_and(|since| since.millis() < STIRRED_FOR_MS);
        !stirs && self.boxes.is_empty() && self.answered.is_some_and(|since| since.millis() < KNOWN_FOR_MS)
    }

    fn learn(&mut self, boxes: Vec<Bounds>) {
        if self.answered.is_some() && self.boxes != boxes {
            self.moved = Some(Stopwatch::start());
        }
        self.boxes = boxes;
        self.answered = Some(Stopwatch::start());
    }

    fn is_due(&self) -> bool {
        !self.asking && (!self.is_clear() || self.answered.is_none_or(|since| since.millis() >= CLEAR_FOR_MS))
    }
}

impl Browser {
    /// A picture for those who do not hold the page.
    pub(super) fn veil(
        &mut self,
        picture: Picture,
        owed: Option<Owed>,
        tab: Tab,
        quality: u32,
        ctx: &mut Context<Self>,
    ) {
        if self.veil.is_clear() {
            self.cast.show_others(picture, self.holding.holder());
        } else {
            self.veil.waiting = Some(Taken { picture, _owed: owed });
        }
        self.ask_for_boxes(tab, quality, ctx);
    }

    fn ask_for_boxes(&mut self, tab: Tab, quality: u32, ctx: &mut Context<Self>) {
        if !self.veil.is_due() {
            return;
        }
        self.veil.asking = true;
        let (document, taken) = (self.veil.document, self.veil.waiting.take());
        let before = self.veil.answered.is_some().then(|| self.veil.boxes.clone());
        let asked = tab.clone();
        let answered = async move { asked.secret_boxes().await };
        ctx.spawn(answered.into_actor(self).map(move |answered, this, ctx| {
            this.veil.asking = false;
            if this.veil.document == document {
                match answered {
                    Ok(boxes) => this.cover(taken, before, boxes, quality, ctx),
                    Err(fault) => {
                        this.veil.waiting = None;
                        tracing::debug!(code = fault.code.word(), "a live picture is not shown");
                    }
                }
            }
            // Another one came meanwhile.
            if this.veil.waiting.is_some() && this.cast.is_of(&tab) {
                this.ask_for_boxes(tab, quality, ctx);
            }
        }));
    }

    /// What is to be covered in it is known: by the answers `before` it and after it.
    fn cover(
        &mut self,
        taken: Option<Taken>,
        before: Option<Vec<Bounds>>,
        after: Vec<Bounds>,
        quality: u32,
        ctx: &mut Context<Self>,
    ) {
        let moving = self.veil.moved.is_some_and(|since| since.millis() < MOVING_FOR_MS);
        match (taken, before) {
            (Some(taken), Some(before)) => {
                self.veil.known = Some((taken, between(&before, &after, moving)));
                self.paint_known(quality, ctx);
            }
            (Some(taken), None) if after.is_empty() => {
                self.cast.show_others(taken.picture, self.holding.holder());
            }
            // One answer does not tell whether they stand still.
            (Some(taken), None) => {
                self.veil.waiting.get_or_insert(taken);
            }
            (None, _) => {}
        }
        self.veil.learn(after);
    }

    fn paint_known(&mut self, quality: u32, ctx: &mut Context<Self>) {
        if self.veil.painting {
            return;
        }
        let Some((taken, boxes)) = self.veil.known.take() else { return };
        self.veil.painting = true;
        let document = self.veil.document;
        let painted = async move { painted(taken, boxes, u8::try_from(quality).unwrap_or(100)).await };
        ctx.spawn(painted.into_actor(self).map(move |painted, this, ctx| {
            this.veil.painting = false;
            match painted {
                Ok(picture) if this.veil.document == document => {
                    this.cast.show_others(picture, this.holding.holder());
                }
                Ok(_) => {}
                Err(fault) => tracing::debug!(code = fault.code.word(), "a live picture is not shown"),
            }
            this.paint_known(quality, ctx);
        }));
    }
}

/// Where they may have been between two answers.
fn between(before: &[Bounds], after: &[Bounds], moving: bool) -> Vec<Bounds> {
    let stray = if moving || before != after { STRAY } else { 0.0 };
    let mut all: Vec<Bounds> = before.iter().chain(after).copied().collect();
    if before.len() == after.len() {
        all.extend(before.iter().zip(after).map(|(one, other)| around(one, other)));
    }
    all.into_iter().map(|[x, y, w, h]| [x - stray, y - stray, w + 2.0 * stray, h + 2.0 * stray]).collect()
}

fn around(one: &Bounds, other: &Bounds) -> Bounds {
    let (left, top) = (one[0].min(other[0]), one[1].min(other[1]));
    let right = (one[0] + one[2]).max(other[0] + other[2]);
    let bottom = (one[1] + one[3]).max(other[1] + other[3]);
    [left, top, right - left, bottom - top]
}

async fn painted(taken: Taken, boxes: Vec<Bounds>, quality: u8) -> Result<Picture, Fault> {
    let Taken { picture, _owed } = taken;
    let jpeg = paint::over(picture.jpeg.clone(), boxes, f64::from(picture.width), quality).await?;
    Ok(Picture { jpeg, ..picture })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_moves_is_covered_on_its_whole_way_and_more() {
        let (here, there) = ([10.0, 10.0, 20.0, 5.0], [10.0, 310.0, 20.0, 5.0]);
        assert_eq!(between(&[here], &[here], false), [here, here, here]);
        let all = between(&[here], &[there], false);
        assert_eq!(all[2], [10.0 - STRAY, 10.0 - STRAY, 20.0 + 2.0 * STRAY, 305.0 + 2.0 * STRAY]);
        assert_eq!(between(&[here], &[], false).len(), 1, "one that went is still covered once");
        assert!(between(&[here], &[here], true)[0][2] > here[2]);
        assert!(between(&[], &[], true).is_empty());
    }

    #[test]
    fn what_is_not_known_is_not_clear() {
        let mut veil = Veil::default();
        assert!(!veil.is_clear() && veil.is_due());
        veil.answered = Some(Stopwatch::start());
        assert!(veil.is_clear() && !veil.is_due());
        veil.boxes = vec![[0.0; 4]];
        assert!(!veil.is_clear() && veil.is_due());
        veil.asking = true;
        veil.forget();
        assert!(!veil.is_clear() && !veil.is_due(), "one question at a time");
        assert_eq!(veil.document, 1);
    }
}
