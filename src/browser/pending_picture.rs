//! Picture of an observation that may still be taken when the text is ready.

use crate::browser::geometry::Bounds;
use actix_web::web::Bytes;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use std::fmt;
use tokio::sync::oneshot;

/// A picture, and the boxes of elements at its moment, for numbers on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TakenPicture {
    pub jpeg: Bytes,
    /// Number of each element and its box in CSS pixels of the viewport; empty if no boxes were wanted.
    pub boxes: Vec<(u32, Bounds)>,
}

/// JPEG of an observation, taken or still being taken. Clones wait for the same picture.
#[derive(Clone)]
pub struct PendingPicture(Shared<BoxFuture<'static, Option<TakenPicture>>>);

impl PendingPicture {
    pub fn taken(jpeg: Bytes) -> Self {
        Self::with_boxes(TakenPicture { jpeg, boxes: Vec::new() })
    }

    pub fn with_boxes(picture: TakenPicture) -> Self {
        Self(std::future::ready(Some(picture)).boxed().shared())
    }

    /// Creates the handle of a picture that is still being taken. Dropping the sender means that none could be taken.
    pub fn pending() -> (oneshot::Sender<TakenPicture>, Self) {
        let (sender, receiver) = oneshot::channel();
        (sender, Self(receiver.map(Result::ok).boxed().shared()))
    }

    /// Waits for the picture; `None` if none could be taken.
    pub async fn wait(&self) -> Option<Bytes> {
        self.wait_with_boxes().await.map(|taken| taken.jpeg)
    }

    /// Waits for the picture with the boxes of its moment; `None` if none could be taken.
    pub async fn wait_with_boxes(&self) -> Option<TakenPicture> {
        self.0.clone().await
    }
}

impl fmt::Debug for PendingPicture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.peek() {
            Some(Some(taken)) => write!(formatter, "PendingPicture({} bytes)", taken.jpeg.len()),
            Some(None) => formatter.write_str("PendingPicture(none)"),
            None => formatter.write_str("PendingPicture(being taken)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn clones_get_the_same_picture() {
        let (sender, picture) = PendingPicture::pending();
        let other = picture.clone();
        let boxes = vec![(7, [0.0, 0.0, 9.0, 9.0])];
        sender.send(TakenPicture { jpeg: Bytes::from_static(b"jpeg"), boxes: boxes.clone() }).unwrap();
        assert_eq!(picture.wait().await, Some(Bytes::from_static(b"jpeg")));
        assert_eq!(other.wait().await, Some(Bytes::from_static(b"jpeg")));
        assert_eq!(other.wait_with_boxes().await.unwrap().boxes, boxes);
    }

    #[tokio::test]
    async fn a_dropped_sender_means_that_there_is_no_picture() {
        let (sender, picture) = PendingPicture::pending();
        drop(sender);
        assert_eq!(picture.wait().await, None);
    }
}
