//! The feed actor: delivers each stored event to the followers of its run tree.
//!
//! The feed owns the subscriptions. The store's writer thread sends it events in the order in which they were
//! stored, and followers receive them in that order. The feed stores no events: a follower that sees a gap,
//! because it subscribed late, reads the missing events from the store.

use crate::ids::RunId;
use crate::store::Store;
use crate::store::rows::{EventRow, LogAdditions};
use actix::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// Events and ends of any runs that have just been stored.
#[derive(Message)]
#[rtype(result = "()")]
pub struct EventsStored(pub LogAdditions);

/// Delivers an event to a follower.
#[derive(Clone, Message)]
#[rtype(result = "()")]
pub struct FollowedEvent(pub Arc<EventRow>);

/// Has the store deliver events that other nodes store for the followed trees.
#[derive(Message)]
#[rtype(result = "()")]
pub struct FollowElsewhere(pub Arc<dyn Store>);

/// Subscribes to a run tree. A second subscription of the same follower has no effect.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Follow {
    pub root: RunId,
    pub follower: Recipient<FollowedEvent>,
}

/// Ends all subscriptions of a follower to run trees.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Unfollow {
    pub follower: Recipient<FollowedEvent>,
}

/// Reports that some run has ended.
#[derive(Message)]
#[rtype(result = "()")]
pub struct AnyRunEnded;

/// Sends every later end to this recipient, in place of an earlier one.
#[derive(Message)]
#[rtype(result = "()")]
pub struct SubscribeEnds(pub Recipient<AnyRunEnded>);

/// Reports that a run tree was deleted.
#[derive(Clone, Message)]
#[rtype(result = "()")]
pub struct TreeDeleted {
    pub root: RunId,
}

/// Sends every later deletion to this recipient.
#[derive(Message)]
#[rtype(result = "()")]
pub struct SubscribeDeletions(pub Recipient<TreeDeleted>);

/// Reports that a question of some run was asked or resolved.
#[derive(Clone, Copy, Message)]
#[rtype(result = "()")]
pub struct QuestionsChanged;

/// The message to the person as far as the model has written it. Not stored: the event of the complete message is
/// the truth.
#[derive(Clone, Message)]
#[rtype(result = "()")]
pub struct DraftWritten {
    pub root: RunId,
    pub run: RunId,
    pub text: Arc<str>,
}

/// Sends every later draft of any run to this recipient.
#[derive(Message)]
#[rtype(result = "()")]
pub struct SubscribeDrafts(pub Recipient<DraftWritten>);

/// Notifies this recipient whenever a question is asked or resolved.
#[derive(Message)]
#[rtype(result = "()")]
pub struct SubscribeQuestions(pub Recipient<QuestionsChanged>);

/// Actor that delivers stored events to followers, in the order in which they were stored.
#[derive(Default)]
pub struct Feed {
    followers: HashMap<RunId, Vec<Recipient<FollowedEvent>>>,
    ends: Option<Recipient<AnyRunEnded>>,
    deletions: Vec<Recipient<TreeDeleted>>,
    counting: Vec<Recipient<QuestionsChanged>>,
    drafting: Vec<Recipient<DraftWritten>>,
    /// Store in which other nodes store events, too.
    shared: Option<Arc<dyn Store>>,
}

impl Feed {
    fn follow_elsewhere(&self, root: &RunId, follows: bool) {
        if let Some(store) = &self.shared {
            store.follow_tree(root, follows);
        }
    }

    fn notify_question_subscribers(&mut self) {
        self.counting.retain(Recipient::connected);
        self.counting.iter().for_each(|subscriber| subscriber.do_send(QuestionsChanged));
    }
}

impl Actor for Feed {
    type Context = Context<Self>;
}

impl Handler<EventsStored> for Feed {
    type Result = ();

    fn handle(
        &mut self,
        EventsStored(LogAdditions { events, ended, questions }): EventsStored,
        _: &mut Self::Context,
    ) {
        if let Some(subscriber) = self.ends.as_ref().filter(|_| !ended.is_empty()) {
            subscriber.do_send(AnyRunEnded);
        }
        if questions {
            self.notify_question_subscribers();
        }
        for event in events {
            let Some(followers) = self.followers.get_mut(&event.root) else { continue };
            let news = FollowedEvent(Arc::new(event));
            followers.retain(Recipient::connected);
            for follower in followers {
                follower.do_send(news.clone());
            }
        }
    }
}

impl Handler<FollowElsewhere> for Feed {
    type Result = ();

    fn handle(&mut self, FollowElsewhere(store): FollowElsewhere, _: &mut Self::Context) {
        self.shared = store.is_shared().then_some(store);
    }
}

impl Handler<SubscribeEnds> for Feed {
    type Result = ();

    fn handle(&mut self, SubscribeEnds(subscriber): SubscribeEnds, _: &mut Self::Context) {
        self.ends = Some(subscriber);
    }
}

impl Handler<SubscribeDeletions> for Feed {
    type Result = ();

    fn handle(&mut self, SubscribeDeletions(subscriber): SubscribeDeletions, _: &mut Self::Context) {
        self.deletions.retain(Recipient::connected);
        self.deletions.push(subscriber);
    }
}

impl Handler<TreeDeleted> for Feed {
    type Result = ();

    fn handle(&mut self, deleted: TreeDeleted, _: &mut Self::Context) {
        self.followers.remove(&deleted.root);
        self.follow_elsewhere(&deleted.root, false);
        self.deletions.retain(Recipient::connected);
        for subscriber in &self.deletions {
            subscriber.do_send(deleted.clone());
        }
        // The open questions of the tree went with it.
        self.notify_question_subscribers();
    }
}

impl Handler<SubscribeQuestions> for Feed {
    type Result = ();

    fn handle(&mut self, SubscribeQuestions(subscriber): SubscribeQuestions, _: &mut Self::Context) {
        self.counting.retain(Recipient::connected);
        if !self.counting.contains(&subscriber) {
            self.counting.push(subscriber);
        }
    }
}

impl Handler<SubscribeDrafts> for Feed {
    type Result = ();

    fn handle(&mut self, SubscribeDrafts(subscriber): SubscribeDrafts, _: &mut Self::Context) {
        self.drafting.retain(Recipient::connected);
        if !self.drafting.contains(&subscriber) {
            self.drafting.push(subscriber);
        }
    }
}

impl Handler<DraftWritten> for Feed {
    type Result = ();

    fn handle(&mut self, draft: DraftWritten, _: &mut Self::Context) {
        self.drafting.retain(Recipient::connected);
        self.drafting.iter().for_each(|subscriber| subscriber.do_send(draft.clone()));
    }
}

impl Handler<Follow> for Feed {
    type Result = ();

    fn handle(&mut self, Follow { root, follower }: Follow, _: &mut Self::Context) {
        if !self.followers.contains_key(&root) {
            self.follow_elsewhere(&root, true);
        }
        let followers = self.followers.entry(root).or_default();
        if !followers.contains(&follower) {
            followers.push(follower);
        }
    }
}

impl Handler<Unfollow> for Feed {
    type Result = ();

    fn handle(&mut self, Unfollow { follower }: Unfollow, _: &mut Self::Context) {
        let shared = self.shared.clone();
        self.followers.retain(|root, followers| {
            followers.retain(|one| one != &follower && one.connected());
            if let Some(store) = shared.as_ref().filter(|_| followers.is_empty()) {
                store.follow_tree(root, false);
            }
            !followers.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

    /// Forwards ends of runs to a channel.
    struct EndSink(UnboundedSender<()>);

    impl Actor for EndSink {
        type Context = Context<Self>;
    }

    impl Handler<AnyRunEnded> for EndSink {
        type Result = ();

        fn handle(&mut self, _: AnyRunEnded, _: &mut Self::Context) {
            let _ = self.0.send(());
        }
    }

    // The text of an event may look like an end; only the list of ended runs counts.
    #[actix::test]
    async fn the_end_of_a_run_is_taken_from_its_stored_row() {
        let (sender, mut receiver) = unbounded_channel();
        let feed = Feed::default().start();
        feed.do_send(SubscribeEnds(EndSink(sender).start().recipient()));
        let run = RunId::from("r");
        let body = String::from(r#"{"type":"run_ended","outcome":"succeeded"}"#);
        let fact = EventRow { root: run.clone(), seq: 1, run: run.clone(), at: Moment::now(), body };
        feed.send(EventsStored(LogAdditions { events: vec![fact], ..LogAdditions::default() }))
            .await
            .unwrap();
        feed.send(EventsStored(LogAdditions { ended: vec![run], ..LogAdditions::default() })).await.unwrap();
        receiver.recv().await.unwrap();
        assert!(receiver.try_recv().is_err(), "one end is reported once");
    }
}
