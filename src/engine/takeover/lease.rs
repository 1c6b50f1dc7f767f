//! State machine of the lease of a run tree's page: who controls the page.
//! ```text
//! free ──take──▶ taking ──taken──▶ held ──hand_back──▶ returning ──returned──▶ free, goes on
//!                taking ──failed─▶ free                held ──lost──▶ returning ──returned──▶ parked
//!                taking ──lost───▶ leaving ──taken───▶ returning; ──failed──▶ free
//! parked ──take──▶ taking;  parked ──resumed──▶ free
//! ```
//! A run that was paused for a person goes on when the person hands the page back. If the person's socket is
//! lost, the run stays paused (`parked`) until somebody takes the page and hands it back.

use crate::ids::SessionId;

/// State of a lease. `paused` is true if the run is paused for the sake of the lease.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Lease {
    #[default]
    Free,
    /// The run is being paused and the page given to the person. `paused` is true if the lease was parked before.
    Taking {
        by: SessionId,
        paused: bool,
    },
    /// As `Taking`, but the person has left meanwhile.
    Leaving {
        by: SessionId,
        paused: bool,
    },
    Held {
        by: SessionId,
        paused: bool,
    },
    /// The page is being returned to the run.
    Returning {
        by: SessionId,
        paused: bool,
        then: AfterReturn,
    },
    Parked,
}

/// Continuation of the run after the page has returned to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterReturn {
    Continue,
    /// The run stays as it is, and parked if it was paused for the lease.
    Stay,
    /// The run goes on as if nobody had asked for the page.
    ResumeUntouched,
}

/// Event of a take-over: a request, the result of an effect, or a change of socket or run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseEvent {
    Take(SessionId),
    /// The person has the page. `paused` is true if the run was paused for it just now.
    Taken {
        paused: bool,
    },
    Failed {
        paused: bool,
    },
    HandBack(SessionId),
    /// A socket is lost.
    Lost(SessionId),
    /// The page is the run's again.
    Returned,
    /// Somebody resumed the run.
    Resumed,
    /// The run has ended.
    Ended,
}

/// Effects of a transition, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseEffect {
    /// Pauses the run and gives the page to the person.
    GiveToPerson(SessionId),
    /// Returns the page to the run.
    ReturnToRun(SessionId),
    /// Publishes the holder.
    Publish(Option<SessionId>),
    /// Lets the run go on: answers its manual question, or resumes it if it was paused for the lease.
    Continue { paused: bool },
    /// Lets the run go on as if nobody had asked for the page.
    ResumeUntouched,
}

/// Reason why a person's request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeaseRefusal {
    #[error("someone else is in control of the page; wait until they hand it back")]
    HeldByOther,
    #[error("you are already in control of a page; hand it back first")]
    AlreadyHolding,
    #[error("you are not in control of the page; take it over first")]
    NotHolding,
}

impl Lease {
    /// Returns the person who has the page or is about to.
    pub fn holder_or_applicant(&self) -> Option<&SessionId> {
        match self {
            Self::Taking { by, .. } | Self::Held { by, .. } => Some(by),
            Self::Free | Self::Leaving { .. } | Self::Returning { .. } | Self::Parked => None,
        }
    }

    /// For states that are stored for a restart, returns whether the run is paused for the lease.
    pub fn is_paused(&self) -> Option<bool> {
        match self {
            Self::Held { paused, .. } => Some(*paused),
            Self::Parked => Some(true),
            Self::Free | Self::Taking { .. } | Self::Leaving { .. } | Self::Returning { .. } => None,
        }
    }

    /// True if a person has the page or is about to. Nobody else may resume the run then.
    pub fn is_taken_over(&self) -> bool {
        match self {
            Self::Taking { .. } | Self::Leaving { .. } | Self::Held { .. } | Self::Returning { .. } => true,
            Self::Free | Self::Parked => false,
        }
    }
}

fn resting_state(parked: bool) -> Lease {
    if parked { Lease::Parked } else { Lease::Free }
}

/// Returns the state after `event` and the effects, or the reason for refusal.
pub fn transition(lease: Lease, event: LeaseEvent) -> Result<(Lease, Vec<LeaseEffect>), LeaseRefusal> {
    use Lease::{Free, Held, Leaving, Parked, Returning, Taking};
    Ok(match (lease, event) {
        (Free, LeaseEvent::Take(by)) => {
            (Taking { by: by.clone(), paused: false }, vec![LeaseEffect::GiveToPerson(by)])
        }
        (Parked, LeaseEvent::Take(by)) => {
            (Taking { by: by.clone(), paused: true }, vec![LeaseEffect::GiveToPerson(by)])
        }
        (Taking { by, .. } | Held { by, .. }, LeaseEvent::Take(other)) if by == other => {
            return Err(LeaseRefusal::AlreadyHolding);
        }
        (Taking { .. } | Leaving { .. } | Held { .. } | Returning { .. }, LeaseEvent::Take(_)) => {
            return Err(LeaseRefusal::HeldByOther);
        }

        (Taking { by, paused }, LeaseEvent::Taken { paused: now }) => {
            (Held { by: by.clone(), paused: paused || now }, vec![LeaseEffect::Publish(Some(by))])
        }
        // The person never received the page, so everything returns to its former state.
        (Leaving { by, paused }, LeaseEvent::Taken { paused: now }) => {
            let then = if now { AfterReturn::ResumeUntouched } else { AfterReturn::Stay };
            (Returning { by: by.clone(), paused, then }, vec![LeaseEffect::ReturnToRun(by)])
        }
        (Taking { paused, .. } | Leaving { paused, .. }, LeaseEvent::Failed { paused: now }) => {
            (resting_state(paused), if now { vec![LeaseEffect::ResumeUntouched] } else { vec![] })
        }

        (Held { by, paused }, LeaseEvent::HandBack(who)) if by == who => (
            Returning { by: by.clone(), paused, then: AfterReturn::Continue },
            vec![LeaseEffect::ReturnToRun(by)],
        ),
        (Held { by, paused }, LeaseEvent::Lost(who)) if by == who => (
            Returning { by: by.clone(), paused, then: AfterReturn::Stay },
            vec![LeaseEffect::ReturnToRun(by)],
        ),
        (Taking { by, paused }, LeaseEvent::HandBack(who) | LeaseEvent::Lost(who)) if by == who => {
            (Leaving { by, paused }, vec![])
        }
        (
            Free | Taking { .. } | Leaving { .. } | Held { .. } | Returning { .. } | Parked,
            LeaseEvent::HandBack(_),
        ) => {
            return Err(LeaseRefusal::NotHolding);
        }
        (Returning { paused, then, .. }, LeaseEvent::Returned) => match then {
            // The resume is stored before the event that nobody holds the page.
            AfterReturn::Continue => {
                (Free, vec![LeaseEffect::Continue { paused }, LeaseEffect::Publish(None)])
            }
            AfterReturn::Stay => (resting_state(paused), vec![LeaseEffect::Publish(None)]),
            AfterReturn::ResumeUntouched => (resting_state(paused), vec![LeaseEffect::ResumeUntouched]),
        },

        // An ended run is no longer paused.
        (Held { by, .. }, LeaseEvent::Ended) => (
            Returning { by: by.clone(), paused: false, then: AfterReturn::Stay },
            vec![LeaseEffect::ReturnToRun(by)],
        ),
        (Taking { by, .. } | Leaving { by, .. }, LeaseEvent::Ended) => {
            (Leaving { by, paused: false }, vec![])
        }
        (Returning { by, .. }, LeaseEvent::Ended) => {
            (Returning { by, paused: false, then: AfterReturn::Stay }, vec![])
        }
        (Parked, LeaseEvent::Resumed | LeaseEvent::Ended) => (Free, vec![LeaseEffect::Publish(None)]),

        // Late events, and events about another lease.
        (
            same @ (Free | Taking { .. } | Leaving { .. } | Held { .. } | Returning { .. }),
            LeaseEvent::Resumed,
        )
        | (same @ Free, LeaseEvent::Ended)
        | (
            same @ (Free | Held { .. } | Returning { .. } | Parked),
            LeaseEvent::Taken { .. } | LeaseEvent::Failed { .. },
        )
        | (same @ (Free | Taking { .. } | Leaving { .. } | Held { .. } | Parked), LeaseEvent::Returned)
        | (
            same @ (Free | Taking { .. } | Leaving { .. } | Held { .. } | Returning { .. } | Parked),
            LeaseEvent::Lost(_),
        ) => (same, vec![]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states() -> Vec<Lease> {
        let by = SessionId::from("A");
        let mut all = vec![Lease::Free, Lease::Parked];
        for paused in [false, true] {
            let by = by.clone();
            all.push(Lease::Taking { by: by.clone(), paused });
            all.push(Lease::Leaving { by: by.clone(), paused });
            all.push(Lease::Held { by: by.clone(), paused });
            for then in [AfterReturn::Continue, AfterReturn::Stay, AfterReturn::ResumeUntouched] {
                all.push(Lease::Returning { by: by.clone(), paused, then });
            }
        }
        all
    }

    fn events() -> Vec<LeaseEvent> {
        let [a, b] = ["A", "B"].map(SessionId::from);
        vec![
            LeaseEvent::Take(a.clone()),
            LeaseEvent::Take(b.clone()),
            LeaseEvent::Taken { paused: true },
            LeaseEvent::Taken { paused: false },
            LeaseEvent::Failed { paused: true },
            LeaseEvent::Failed { paused: false },
            LeaseEvent::HandBack(a.clone()),
            LeaseEvent::HandBack(b.clone()),
            LeaseEvent::Lost(a),
            LeaseEvent::Lost(b),
            LeaseEvent::Returned,
            LeaseEvent::Resumed,
            LeaseEvent::Ended,
        ]
    }

    // Snapshot of every state × event.
    #[test]
    fn every_state_of_the_lease_meets_every_event() {
        let mut table = String::new();
        for lease in states() {
            table.push_str(&format!("{lease:?}\n"));
            for event in events() {
                let (word, before) = (format!("{event:?}"), lease.clone());
                let cell = match transition(lease.clone(), event) {
                    Ok((after, acts)) if after == before && acts.is_empty() => String::from("-"),
                    Ok((after, acts)) => format!("{after:?} {acts:?}"),
                    Err(refusal) => format!("{refusal:?}"),
                };
                table.push_str(&format!("    {word:24} {cell}\n"));
            }
        }
        insta::assert_snapshot!(table);
    }

    // In every sequence, once the socket is lost and pending work is over, nobody has the page.
    #[test]
    fn a_lost_socket_never_keeps_the_page() {
        for lease in states() {
            for outcome in [LeaseEvent::Taken { paused: true }, LeaseEvent::Failed { paused: true }] {
                let mut lease = lease.clone();
                for event in [LeaseEvent::Lost(SessionId::from("A")), outcome, LeaseEvent::Returned] {
                    lease = transition(lease, event).expect("none of these is refused").0;
                }
                assert!(!lease.is_taken_over(), "{lease:?}");
            }
        }
    }
}
