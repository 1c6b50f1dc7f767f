//! Picture of an observation that may still be taken when the text is ready.

use actix_web::web::Bytes;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use std::fmt;
use tokio::sync::oneshot;

/// JPEG of an observation, taken or still being taken. Clones wait for the same picture.
#[derive(Clone)]
pub struct PendingPicture(Shared<BoxFuture<'static, Option<Bytes>>>);

impl PendingPicture {
    pub fn taken(jpeg: Bytes) -> Self {
        Self(std::future::ready(Some(jpeg)).boxed().shared())
    }

    /// Creates the handle of a picture that is still being taken. Dropping the sender means that none could be taken.
    pub fn pending() -> (oneshot::Sender<Bytes>, Self) {
        let (sender, receiver) = oneshot::channel();
        (sender, Self(receiver.map(Result::ok).boxed().shared()))
    }

    /// Waits for the picture; `None` if none could be taken.
    pub async fn wait(&self) -> Option<Bytes> {
        self.0.clone().await
    }
}

impl fmt::Debug for PendingPicture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.peek() {
            Some(Some(jpeg)) => write!(formatter, "PendingPicture({} bytes)", jpeg.len()),
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
        sender.send(Bytes::from_static(b"jpeg")).unwrap();
        assert_eq!(picture.wait().await, Some(Bytes::from_static(b"jpeg")));
        assert_eq!(other.wait().await, Some(Bytes::from_static(b"jpeg")));
    }

    #[tokio::test]
    async fn a_dropped_sender_means_that_there_is_no_picture() {
        let (sender, picture) = PendingPicture::pending();
        drop(sender);
        assert_eq!(picture.wait().await, None);
    }
}
