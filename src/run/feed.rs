//! The feed actor: hands each stored fact to those who follow its run tree.
//!
//! It owns who follows what. The store's writing thread tells it of facts in the order in which they
//! were stored; it tells the followers in the same order. It keeps no facts: whoever sees a gap
//! (because it began to follow late) reads the missing ones from the store.

use crate::ids::RunId;
use crate::store::rows::FactRow;
use actix::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// Facts that have just been stored, of any runs.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Stored(pub Vec<FactRow>);

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

/// A question was asked or resolved, in any run.
#[derive(Clone, Copy, Message)]
#[rtype(result = "()")]
pub struct QuestionsMoved;

/// Tells this one of every question that is asked or resolved from now on.
#[derive(Message)]
#[rtype(result = "()")]
pub struct HearQuestions(pub Recipient<QuestionsMoved>);

/// Beginnings of the bodies of facts that change how many questions wait.
const QUESTIONS: [&str; 2] = [r#"{"type":"agent_question""#, r#"{"type":"question_resolved""#];

/// How the body of a fact begins that tells of an end.
const END: &str = r#"{"type":"run_ended""#;

#[derive(Default)]
pub struct Feed {
    followers: HashMap<RunId, Vec<Recipient<News>>>,
    ends: Option<Recipient<Ended>>,
    counting: Vec<Recipient<QuestionsMoved>>,
}

impl Actor for Feed {
    type Context = Context<Self>;
}

impl Handler<Stored> for Feed {
    type Result = ();

    fn handle(&mut self, Stored(facts): Stored, _: &mut Self::Context) {
        if let Some(hears) =
            self.ends.as_ref().filter(|_| facts.iter().any(|fact| fact.body.starts_with(END)))
        {
            hears.do_send(Ended);
        }
        if facts.iter().any(|fact| QUESTIONS.iter().any(|begin| fact.body.starts_with(begin))) {
            self.counting.retain(Recipient::connected);
            self.counting.iter().for_each(|hears| hears.do_send(QuestionsMoved));
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
