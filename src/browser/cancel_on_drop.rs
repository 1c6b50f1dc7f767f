//! Replies of actor handlers that stop their work when the caller stops waiting.

use actix::dev::{MessageResponse, OneshotSender};
use actix::{Actor, AsyncContext, Message};
use futures_util::future::LocalBoxFuture;

/// Future of a handler's reply. It is dropped when the caller drops its receiver, so it must be safe to drop
/// at any await point.
pub struct CancelOnDrop<T>(LocalBoxFuture<'static, T>);

impl<T: 'static> CancelOnDrop<T> {
    pub fn by(future: impl Future<Output = T> + 'static) -> Self {
        Self(Box::pin(future))
    }

    pub fn now(value: T) -> Self {
        Self::by(std::future::ready(value))
    }
}

impl<A, M> MessageResponse<A, M> for CancelOnDrop<M::Result>
where
    A: Actor,
    A::Context: AsyncContext<A>,
    M: Message,
{
    fn handle(self, ctx: &mut A::Context, answer: Option<OneshotSender<M::Result>>) {
        ctx.spawn(actix::fut::wrap_future(async move {
            let Some(mut answer) = answer else {
                self.0.await;
                return;
            };
            tokio::select! {
                biased;
                () = answer.closed() => {}
                value = self.0 => { let _ = answer.send(value); }
            }
        }));
    }
}
