//! An answer that somebody waits for: when they stop waiting, the work stops too.

use actix::dev::{MessageResponse, OneshotSender};
use actix::{Actor, AsyncContext, Message};
use futures_util::future::LocalBoxFuture;

/// A handler's child future. The caller's dropping its end cancels it; so must the future be safe
/// to drop at any await.
pub struct Attended<T>(LocalBoxFuture<'static, T>);

impl<T: 'static> Attended<T> {
    pub fn by(future: impl Future<Output = T> + 'static) -> Self {
        Self(Box::pin(future))
    }

    pub fn now(value: T) -> Self {
        Self::by(std::future::ready(value))
    }
}

impl<A, M> MessageResponse<A, M> for Attended<M::Result>
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
