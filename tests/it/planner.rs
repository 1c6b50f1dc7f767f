//! Planners that know only what a model would know: the request's messages with the page's text.
//! A planner is an async function that holds a `Hand`; the `Desk` runs it through the whole service.

pub mod desk;
pub mod endpoint;
pub mod hand;
pub mod view;

use futures_util::future::LocalBoxFuture;
use hand::Hand;

/// Why a planner gave up, in words for the report.
pub type Solved<T = ()> = Result<T, String>;

/// One way through one task.
pub type Planner = for<'a> fn(&'a mut Hand) -> LocalBoxFuture<'a, Solved>;

/// Names of planners as a table of task names and functions: `tabs` solves `tabs`, `drop_down` `drop-down`.
macro_rules! planners {
    ($($planner:ident),* $(,)?) => {
        /// The tasks of this family.
        pub const TASKS: &[(&str, crate::planner::Planner)] =
            &[$((stringify!($planner), |hand| Box::pin($planner(hand)))),*];
    };
}
pub(crate) use planners;
