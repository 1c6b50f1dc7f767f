//! What those see of a live page who do not hold it: pictures with the secret fields painted over.
//!
//! Where the fields are is asked of the page. While there are none, pictures pass at once and it is
//! asked now and then; while there are some, or it is not known, each picture waits for an answer that
//! was asked for after it had come, and is painted with the fields of that answer and of the one
//! before, so a field that moves is covered at both its places. What cannot be known is not shown: while
//! fields jump from place to place, no picture is.
//! While one picture is painted the page is asked for the next; Chromium takes no more of them meanwhile
//! than can be shown.

use super::Browser;
use super::fault::Fault;
use super::late::Late;
use super::owed::Owed;
use super::paint::{self, Bounds};
use super::swept::{self, STRAY};
use super::tab::Tab;
use super::viewer::Picture;
use crate::clock::{Moment, Stopwatch};
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};
use std::time::Duration;

/// A page without secret fields is asked again after so long.
const CLEAR_FOR_MS: u64 = 150;
/// After the page or a frame of it got another document each picture waits for an answer, for so long.
const STIRRED_FOR_MS: u64 = 2000;
/// Without an answer it counts as unknown after so long.
const KNOWN_FOR_MS: u64 = 2000;
/// Fields that were seen moving may have strayed, for so long.
const MOVING_FOR_MS: u64 = 1000;
/// Fields that jumped stand still after so long, and are asked for again so soon.
const JUMPING_FOR_MS: u64 = 300;
const JUMPING: Duration = Duration::from_millis(40);
/// Whether those that moved stand still is asked so much later: then there is more to be seen.
const MOVING: Duration = Duration::from_millis(350);

#[derive(Debug, Default)]
pub struct Veil {
    /// Of the last answer.
    boxes: Vec<Bounds>,
    /// Since the last answer; none: this document has not been asked.
    answered: Option<Stopwatch>,
    /// Since they were seen to move.
    moved: Option<Stopwatch>,
    /// Since they were seen to move too far.
    jumped: Option<Stopwatch>,
    asking: bool,
    /// Since it, or one of its frames, got another document.
    stirred: Option<Stopwatch>,
    /// The newest picture; it came after the last question.
    waiting: Option<Taken>,
    /// The newest one that it is known of what to cover; it waits for the one that is being painted.
    known: Option<(Taken, Vec<Bounds>)>,
    painting: bool,
    /// It is asked again in a moment.
    pausing: bool,
    /// What pictures that come late may still show.
    late: Late,
    /// Counts documents, so that an answer of an old one is not taken for that of the new.
    document: u64,
}

/// A picture on its way to who may not see all of it. With its end Chromium takes another.
#[derive(Debug)]
struct Taken {
    picture: Picture,
    /// It only stands for a newer one, once the fields stand still.
    again: bool,
    _owed: Option<Owed>,
}

impl Veil {
    /// Nothing is known: another page is in front, or nobody has asked for some time.
    pub fn begin(&mut self) {
        let late = std::mem::take(&mut self.late);
        let Self { document, asking, painting, pausing, stirred, .. } = *self;
        *self = Self { document: document + 1, asking, painting, pausing, stirred, late, ..Self::default() };
    }

    /// There is another document in it.
    pub fn forget(&mut self) {
        self.begin();
        self.late.document_came(now_ms());
        self.stir();
    }

    /// A frame of it gets another document: what comes next is not known.
    pub fn stir(&mut self) {
        self.stirred = Some(Stopwatch::start());
        self.late.frame_left(now_ms(), &self.boxes);
    }

    fn is_clear(&self) -> bool {
        let stirs = self.stirred.is_some_and(|since| since.millis() < STIRRED_FOR_MS);
        !stirs && self.boxes.is_empty() && self.answered.is_some_and(|since| since.millis() < KNOWN_FOR_MS)
    }

    fn learn(&mut self, boxes: Vec<Bounds>) {
        if self.answered.is_some() && self.boxes != boxes {
            self.moved = Some(Stopwatch::start());
        }
        let went = self.answered.is_some() && swept::went(&self.boxes, &boxes, STRAY);
        if went || swept::is_anywhere(&boxes) {
            self.jumped = Some(Stopwatch::start());
        }
        self.boxes = boxes;
        self.answered = Some(Stopwatch::start());
    }

    fn is_moving(&self) -> bool {
        self.moved.is_some_and(|since| since.millis() < MOVING_FOR_MS)
    }

    fn is_jumping(&self) -> bool {
        self.jumped.is_some_and(|since| since.millis() < JUMPING_FOR_MS)
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
        if self.veil.late.is_of_another(picture.captured_at_ms, now_ms()) {
            return self.cast_anew(ctx);
        }
        if self.veil.is_clear() {
            self.show_others(picture, ctx);
        } else {
            self.veil.waiting = Some(Taken { picture, again: false, _owed: owed });
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
                        // As a page that asks something: it is tried again, for it may be the last picture.
                        let waiting = this.veil.waiting.take().or(taken);
                        this.veil.waiting =
                            waiting.map(|Taken { picture, .. }| Taken { picture, again: true, _owed: None });
                        tracing::debug!(code = fault.code.word(), "a live picture is not shown");
                    }
                }
            }
            this.ask_again(tab, quality, ctx);
        }));
    }

    /// Another picture came meanwhile, or one is not known of yet.
    fn ask_again(&mut self, tab: Tab, quality: u32, ctx: &mut Context<Self>) {
        let Some(waiting) = self.veil.waiting.as_ref().filter(|_| self.cast.is_of(&tab)) else { return };
        let pause = match (self.veil.is_jumping(), waiting.again) {
            (true, _) => JUMPING,
            (false, true) => MOVING,
            (false, false) => return self.ask_for_boxes(tab, quality, ctx),
        };
        if std::mem::replace(&mut self.veil.pausing, true) {
            return;
        }
        ctx.run_later(pause, move |this, ctx| {
            this.veil.pausing = false;
            if this.veil.waiting.is_some() && this.cast.is_of(&tab) {
                this.ask_for_boxes(tab, quality, ctx);
            }
        });
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
        self.veil.learn(after.clone());
        match (taken, before) {
            (Some(taken), Some(_)) if self.veil.is_jumping() => {
                // It is of one of their places, nobody knows which.
                self.veil.waiting.get_or_insert(Taken { again: true, ..taken });
            }
            // Of fields that only just came it is not known yet whether they stand still.
            (Some(taken), Some(before))
                if before.is_empty() && !after.is_empty() || taken.again && self.veil.is_moving() =>
            {
                self.veil.waiting.get_or_insert(taken);
            }
            (Some(taken), Some(_)) if taken.again => self.cast_anew(ctx),
            (Some(taken), Some(before)) => {
                let stray = if self.veil.is_moving() { STRAY } else { 0.0 };
                if self.veil.is_moving() {
                    let picture = taken.picture.clone();
                    self.veil.waiting.get_or_insert(Taken { picture, again: true, _owed: None });
                }
                let mut boxes = swept::between(&before, &after, stray);
                boxes.extend(self.veil.late.left(taken.picture.captured_at_ms));
                self.veil.known = Some((taken, boxes));
                self.paint_known(quality, ctx);
            }
            (Some(taken), None)
                if after.is_empty() && self.veil.late.left(taken.picture.captured_at_ms).next().is_none() =>
            {
                self.show_others(taken.picture, ctx);
            }
            // It was taken before anybody followed them, and they may have been elsewhere: another one then.
            (Some(_), None) => self.cast_anew(ctx),
            (None, _) => {}
        }
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
                    this.show_others(picture, ctx);
                }
                Ok(_) => {}
                Err(fault) => tracing::debug!(code = fault.code.word(), "a live picture is not shown"),
            }
            this.paint_known(quality, ctx);
        }));
    }
}

fn now_ms() -> f64 {
    Moment::now().millis() as f64
}

async fn painted(taken: Taken, boxes: Vec<Bounds>, quality: u8) -> Result<Picture, Fault> {
    let Taken { picture, _owed, .. } = taken;
    let jpeg = paint::over(picture.jpeg.clone(), boxes, f64::from(picture.width), quality).await?;
    Ok(Picture { jpeg, ..picture })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn while_fields_jump_it_is_not_known_where_they_are() {
        let mut veil = Veil::default();
        for boxes in [[10.0, 10.0, 20.0, 5.0], [10.0 + STRAY, 10.0, 20.0, 5.0]] {
            veil.learn(vec![boxes]);
            assert!(!veil.is_jumping());
        }
        assert!(veil.is_moving());
        veil.learn(vec![[500.0, 10.0, 20.0, 5.0]]);
        assert!(veil.is_jumping());
        veil.forget();
        assert!(!veil.is_jumping());
        veil.learn(vec![[-1e6, -1e6, 2e6, 2e6]]);
        assert!(veil.is_jumping());
        veil.forget();
        assert!(!veil.is_jumping() && !veil.is_moving());
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
