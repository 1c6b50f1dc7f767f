//! The feed actor: hands each stored fact to those who follow its run tree.
//!
//! It owns who follows what. The store's writing thread tells it of facts in the order in which they
//! were stored; it tells the followers in the same order. It keeps no facts: whoever sees a gap
//! (because it began to follow late) reads the missing ones from the store.

use crate::ids::RunId;
use crate::store::rows::{FactRow, Written};
use actix::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// Facts and ends that have just been stored, of any runs.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Stored(pub Written);

/// One fact for one follower.
#[derive(Clone, Message)]
#[rtype(result = "()")]
pub struct News(pub Arc<FactRow>);

/// Follows a run tree from now on. Following twice is following once.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Follow {
    pub root: RunId,
    pub follower: Recipient<News>,
}

#[derive(Message)]
#[rtype(result = "()")]
pub struct Unfollow {
    pub follower: Recipient<News>,
}

/// A run has ended, whichever.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Ended;

/// Tells this one of every end from now on.
#[derive(Message)]
#[rtype(result = "()")]
pub struct HearEnds(pub Recipient<Ended>);

/// A run tree was deleted.
#[derive(Clone, Message)]
#[rtype(result = "()")]
pub struct Gone {
    pub root: RunId,
}

/// Tells this one of every deletion from now on.
#[derive(Message)]
#[rtype(result = "()")]
pub struct HearDeletions(pub Recipient<Gone>);

/// A question was asked or resolved, in any run.
#[derive(Clone, Copy, Message)]
#[rtype(result = "()")]
pub struct QuestionsMoved;

/// Tells this one of every question that is asked or resolved from now on.
#[derive(Message)]
#[rtype(result = "()")]
pub struct HearQuestions(pub Recipient<QuestionsMoved>);

#[derive(Default)]
pub struct Feed {
    followers: HashMap<RunId, Vec<Recipient<News>>>,
    ends: Option<Recipient<Ended>>,
    deletions: Vec<Recipient<Gone>>,
    counting: Vec<Recipient<QuestionsMoved>>,
}

impl Feed {
    fn tell_of_questions(&mut self) {
        self.counting.retain(Recipient::connected);
        self.counting.iter().for_each(|hears| hears.do_send(QuestionsMoved));
    }
}

impl Actor for Feed {
    type Context = Context<Self>;
}

impl Handler<Stored> for Feed {
    type Result = ();

    fn handle(&mut self, Stored(Written { facts, ended, questions }): Stored, _: &mut Self::Context) {
        if let Some(hears) = self.ends.as_ref().filter(|_| !ended.is_empty()) {
            hears.do_send(Ended);
        }
        if questions {
            self.tell_of_questions();
        }
        for fact in facts {
            let Some(followers) = self.followers.get_mut(&fact.root) else { continue };
            let news = News(Arc::new(fact));
            followers.retain(Recipient::connected);
            for follower in followers {
                follower.do_send(news.clone());
            }
        }
    }
}

impl Handler<HearEnds> for Feed {
    type Result = ();

    fn handle(&mut self, HearEnds(hears): HearEnds, _: &mut Self::Context) {
        self.ends = Some(hears);
    }
}

impl Handler<HearDeletions> for Feed {
    type Result = ();

    fn handle(&mut self, HearDeletions(hears): HearDeletions, _: &mut Self::Context) {
        self.deletions.retain(Recipient::connected);
        self.deletions.push(hears);
    }
}

impl Handler<Gone> for Feed {
    type Result = ();

    fn handle(&mut self, gone: Gone, _: &mut Self::Context) {
        self.followers.remove(&gone.root);
        self.deletions.retain(Recipient::connected);
        for hears in &self.deletions {
            hears.do_send(gone.clone());
        }
        // Questions of the tree went with it.
        self.tell_of_questions();
    }
}

impl Handler<HearQuestions> for Feed {
    type Result = ();

    fn handle(&mut self, HearQuestions(hears): HearQuestions, _: &mut Self::Context) {
        self.counting.retain(Recipient::connected);
        if !self.counting.contains(&hears) {
            self.counting.push(hears);
        }
    }
}

impl Handler<Follow> for Feed {
    type Result = ();

    fn handle(&mut self, Follow { root, follower }: Follow, _: &mut Self::Context) {
        let followers = self.followers.entry(root).or_default();
        if !followers.contains(&follower) {
            followers.push(follower);
        }
    }
}

impl Handler<Unfollow> for Feed {
    type Result = ();

    fn handle(&mut self, Unfollow { follower }: Unfollow, _: &mut Self::Context) {
        self.followers.retain(|_, followers| {
            followers.retain(|one| one != &follower && one.connected());
            !followers.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

    /// Passes on that a run has ended.
    struct Hears(UnboundedSender<()>);

    impl Actor for Hears {
        type Context = Context<Self>;
    }

    impl Handler<Ended> for Hears {
        type Result = ();

        fn handle(&mut self, _: Ended, _: &mut Self::Context) {
            let _ = self.0.send(());
        }
    }

    // A fact that reads like an end is none: what ended is told beside the facts.
    #[actix::test]
    async fn an_end_is_known_by_what_the_store_says_of_it_and_not_by_how_a_fact_reads() {
        let (tell, mut told) = unbounded_channel();
        let feed = Feed::default().start();
        feed.do_send(HearEnds(Hears(tell).start().recipient()));
        let run = RunId::from("r");
        let body = String::from(r#"{"type":"run_ended","outcome":"succeeded"}"#);
        let fact = FactRow { root: run.clone(), seq: 1, run: run.clone(), at: Moment::now(), body };
        feed.send(Stored(Written { facts: vec![fact], ..Written::default() })).await.unwrap();
        feed.send(Stored(Written { ended: vec![run], ..Written::default() })).await.unwrap();
        told.recv().await.unwrap();
        assert!(told.try_recv().is_err(), "one end is told once");
    }
}
