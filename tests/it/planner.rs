//! Planners that know only what a model would know: the request's messages with the page's text.
//! A planner is an async function that holds a `Driver`; the `Harness` runs it through the whole service.

pub mod harness;
pub mod endpoint;
pub mod driver;
pub mod view;

use driver::Driver;
use futures_util::future::LocalBoxFuture;

/// Why a planner gave up, in words for the report.
pub type Solved<T = ()> = Result<T, String>;

/// Function that solves one task.
pub type Planner = for<'a> fn(&'a mut Driver) -> LocalBoxFuture<'a, Solved>;

/// Names of planners as a table of task names and functions: `tabs` solves `tabs`, `drop_down` `drop-down`.
macro_rules! planners {
    ($($planner:ident),* $(,)?) => {
        /// The tasks of this family.
        pub const TASKS: &[(&str, crate::planner::Planner)] =
            &[$((stringify!($planner), |driver| Box::pin($planner(driver)))),*];
    };
}
pub(crate) use planners;
