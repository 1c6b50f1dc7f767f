//! Lists of enum values that are kept by hand, and the page that lists the error codes of actions.

use askfirst::browser::error::ErrorCode;
use askfirst::programs::conversation::state::node::ConversationNode;
use askfirst::programs::lanes::graph::LanesNode;
use askfirst::programs::orchestration::graph::OrchestrationNode;
use askfirst::programs::single::graph::Node;
use askfirst::protocol::Status;
use std::collections::BTreeSet;

/// Asserts that `ALL` has each value once. The match is exhaustive, so that a new value must be added here, and
/// then to `ALL`.
macro_rules! assert_all_listed {
    ($type:ident { $($value:ident),+ $(,)? }) => {
        let index = |value: $type| {
            let names = [$(stringify!($value)),+];
            let name = match value { $($type::$value => stringify!($value)),+ };
            names.iter().position(|known| *known == name).unwrap()
        };
        let mut listed: Vec<usize> = $type::ALL.iter().map(|value| index(*value)).collect();
        listed.sort_unstable();
        let all: Vec<usize> = (0..[$(stringify!($value)),+].len()).collect();
        assert_eq!(listed, all, "{}::ALL", stringify!($type));
    };
}

#[test]
fn lists_of_values_have_every_value_once() {
    assert_all_listed!(Status {
        Queued,
        Running,
        Waiting,
        Paused,
        Succeeded,
        Partial,
        Failed,
        Skipped,
        Cancelled,
        Denied,
        Blocked,
        Exhausted,
    });
    assert_all_listed!(ErrorCode {
        DeadEid,
        ChangedEid,
        Hidden,
        Disabled,
        Covered,
        ZeroSize,
        Inert,
        Moving,
        NotEditable,
        Readonly,
        NotSelect,
        InvalidOption,
        BadValue,
        NotTaken,
        NoFileField,
        OneFile,
        NoFile,
        InvalidKey,
        FocusMoved,
        SecretMisplaced,
        BadUrl,
        NavigationFailed,
        Blocked,
        Timeout,
        Unresponsive,
        BrowserCrashed,
        OutcomeUnknown,
        BrowserFailed,
        LeaseHeld,
        NoLease,
        NoPage,
        DialogOpen,
        NoDialog,
        NotABrowserAction,
        Protocol,
    });
    assert_all_listed!(ConversationNode {
        IngestUserInput,
        MaybeObserve,
        MakePlan,
        ApprovePlan,
        RunPremoves,
        PlanAction,
        ValidateAction,
        PolicyGate,
        Confirm,
        Manual,
        Question,
        ExecuteAction,
        AwaitCalls,
        MaybeStopOrContinue,
        CheckAcceptance,
        Budget,
        Resting,
        FinalizeDone,
        FinalizePartial,
        FinalizeDenied,
        FinalizeCancelled,
        FinalizeBlocked,
        FinalizeLimit,
    });
    assert_all_listed!(LanesNode { EnterLane, RunItems, FinalizeDone, FinalizeFailed });
    assert_all_listed!(OrchestrationNode {
        PlanInit,
        PlannerActive,
        PlanValidated,
        DispatchingStep,
        AwaitingResults,
        MergingResults,
        Completed,
        Failed,
    });
    assert_all_listed!(Node {
        PolicyGate,
        Confirm,
        Execute,
        FinalizeDone,
        FinalizeFailed,
        FinalizeDenied,
        FinalizeCancelled,
        FinalizeLimit,
    });
}

// docs/protocol.md, "Errors of an action": the table has the code of every error of the browser, and no other.
#[test]
fn every_code_of_an_action_error_is_documented() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/protocol.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (_, section) = page.split_once("### Errors of an action\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    let documented: Vec<&str> = rows.map(|(code, _)| code).collect();
    let distinct: BTreeSet<&str> = documented.iter().copied().collect();
    assert_eq!(distinct.len(), documented.len(), "a code is listed twice");
    assert_eq!(distinct, ErrorCode::ALL.map(ErrorCode::word).into());
}
