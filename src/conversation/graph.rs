//! The transitions of the conversation graph: which node follows which outcome. No state and no I/O.
//! `tests/golden/graph.mmd` and the diagram in ARCHITECTURE.md are drawn from this table.

use super::node::Node;
use super::nodes::{
    approve_plan, await_calls, budget, check_acceptance, confirm, execute_action, finalize,
    ingest_user_input, make_plan, manual, maybe_observe, maybe_stop_or_continue, plan_action, policy_gate,
    question, resting, run_premoves, validate_action,
};
use crate::protocol::Status;

/// The outcome of a node, tagged with the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    Ingest(ingest_user_input::Outcome),
    Observe(maybe_observe::Outcome),
    MakePlan(make_plan::Outcome),
    ApprovePlan(approve_plan::Outcome),
    Plan(plan_action::Outcome),
    Premoves(run_premoves::Outcome),
    Validate(validate_action::Outcome),
    Gate(policy_gate::Outcome),
    Confirm(confirm::Outcome),
    Manual(manual::Outcome),
    Question(question::Outcome),
    Execute(execute_action::Outcome),
    Calls(await_calls::Outcome),
    Continue(maybe_stop_or_continue::Outcome),
    Check(check_acceptance::Outcome),
    Budget(budget::Outcome),
    Rest(resting::Outcome),
    Finalize(finalize::Outcome),
}

impl Done {
    /// Returns the name of the outcome, as traces have it.
    pub fn word(self) -> &'static str {
        OUTCOMES.iter().find(|(_, _, done)| *done == self).map_or("", |(_, word, _)| word)
    }
}

/// The continuation after an outcome. `Ask` is an interrupt: the run waits for a person and continues at the
/// given node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    Go(Node),
    Ask(Node),
    /// The run waits for agents that it has called, and continues at the given node.
    Await(Node),
    /// The run waits without a question for the person or a task.
    Rest(Node),
    End(Status),
}

/// The transition table, one arrow per line.
#[rustfmt::skip]
pub fn route(done: Done) -> Edge {
    use {Edge::*, Node::*};
    match done {
        Done::Ingest(ingest_user_input::Heard)         => Go(MaybeObserve),

        Done::Observe(maybe_observe::Seen)             => Go(PlanAction),
        Done::Observe(maybe_observe::Fresh)            => Go(PlanAction),
        Done::Observe(maybe_observe::Unseen)           => Go(PlanAction),
        Done::Observe(maybe_observe::Stands)           => Go(ValidateAction),

        Done::MakePlan(make_plan::Made)                => Go(PlanAction),
        Done::MakePlan(make_plan::NotNeeded)           => Go(PlanAction),
        Done::MakePlan(make_plan::Unmade)              => Go(PlanAction),
        Done::MakePlan(make_plan::NeedsApproval)       => Ask(ApprovePlan),
        Done::MakePlan(make_plan::OutOfIterations)     => Go(FinalizeLimit),

        Done::ApprovePlan(approve_plan::Approved)      => Go(MaybeObserve),
        Done::ApprovePlan(approve_plan::Redirected)    => Go(MakePlan),
        Done::ApprovePlan(approve_plan::Declined)      => Go(FinalizeCancelled),

        Done::Plan(plan_action::NeedsPlan)             => Go(MakePlan),
        Done::Plan(plan_action::NeedsPremoves)         => Go(RunPremoves),
        Done::Plan(plan_action::Thought)               => Go(PlanAction),
        Done::Plan(plan_action::MovedOn)               => Go(CheckAcceptance),
        Done::Plan(plan_action::Claimed)               => Go(CheckAcceptance),
        Done::Plan(plan_action::NothingActionable)     => Go(FinalizeBlocked),
        Done::Plan(plan_action::NeedsBudget)           => Ask(Budget),
        Done::Plan(plan_action::Planned)               => Go(ValidateAction),
        Done::Plan(plan_action::Unreadable)            => Go(ValidateAction),
        Done::Plan(plan_action::OutOfIterations)       => Go(FinalizeLimit),

        Done::Premoves(run_premoves::Begun)            => Await(RunPremoves),
        Done::Premoves(run_premoves::AtWork)           => Await(RunPremoves),
        Done::Premoves(run_premoves::Looked)           => Go(PlanAction),

        Done::Validate(validate_action::Valid)         => Go(PolicyGate),
        Done::Validate(validate_action::Invalid)       => Go(PlanAction),
        Done::Validate(validate_action::TooManyInvalid) => Go(FinalizeBlocked),
        Done::Validate(validate_action::NotYet)        => Await(AwaitCalls),
        Done::Validate(validate_action::Never)         => Go(MaybeStopOrContinue),

        Done::Gate(policy_gate::Allowed)               => Go(ExecuteAction),
        Done::Gate(policy_gate::NeedsConfirmation)     => Ask(Confirm),
        Done::Gate(policy_gate::NeedsHands)            => Ask(Manual),
        Done::Gate(policy_gate::NeedsAnswer)           => Ask(Question),
        Done::Gate(policy_gate::Gone)                  => Go(MaybeObserve),
        Done::Gate(policy_gate::Denied)                => Go(FinalizeDenied),

        Done::Confirm(confirm::Approved)               => Go(ExecuteAction),
        Done::Confirm(confirm::Redirected)             => Go(MaybeObserve),
        Done::Confirm(confirm::Declined)               => Go(FinalizeCancelled),

        Done::Manual(manual::HandedBack)               => Go(MaybeObserve),
        Done::Question(question::Answered)             => Go(MaybeObserve),
        Done::Question(question::Ended)                => Go(FinalizePartial),

        Done::Execute(execute_action::Executed)        => Go(MaybeStopOrContinue),
        Done::Execute(execute_action::Failed)          => Go(MaybeStopOrContinue),
        Done::Execute(execute_action::Void)            => Go(MaybeObserve),
        Done::Execute(execute_action::Called)          => Await(AwaitCalls),

        Done::Calls(await_calls::AtWork)               => Await(AwaitCalls),
        Done::Calls(await_calls::Ended)                => Go(MaybeStopOrContinue),
        Done::Calls(await_calls::Due)                  => Go(ValidateAction),

        Done::Continue(maybe_stop_or_continue::Stop)     => Go(FinalizeDone),
        Done::Continue(maybe_stop_or_continue::GaveUp)   => Go(FinalizeBlocked),
        Done::Continue(maybe_stop_or_continue::Limit)    => Go(FinalizeLimit),
        Done::Continue(maybe_stop_or_continue::Claims)   => Go(CheckAcceptance),
        Done::Continue(maybe_stop_or_continue::Stuck)    => Ask(Question),
        Done::Continue(maybe_stop_or_continue::Continue) => Go(MaybeObserve),
        Done::Continue(maybe_stop_or_continue::TasksGoOn) => Rest(Resting),

        Done::Rest(resting::Spoken)                    => Go(IngestUserInput),
        Done::Rest(resting::Quiet)                     => Rest(Resting),

        Done::Check(check_acceptance::Accepted)        => Go(MaybeObserve),
        Done::Check(check_acceptance::AcceptedOn)      => Go(ValidateAction),
        Done::Check(check_acceptance::AcceptedNext)    => Go(CheckAcceptance),
        Done::Check(check_acceptance::Finished)        => Go(FinalizeDone),
        Done::Check(check_acceptance::Rejected)        => Go(MaybeObserve),
        Done::Check(check_acceptance::NotYet)          => Go(MaybeObserve),
        Done::Check(check_acceptance::NeedsPlan)       => Go(MakePlan),
        Done::Check(check_acceptance::NeedsAnswer)     => Ask(Question),
        Done::Check(check_acceptance::Partly)          => Go(FinalizePartial),

        Done::Budget(budget::Extended)                 => Go(PlanAction),
        Done::Budget(budget::Declined)                 => Go(FinalizeLimit),

        Done::Finalize(finalize::Done)                 => End(Status::Succeeded),
        Done::Finalize(finalize::Partial)              => End(Status::Partial),
        Done::Finalize(finalize::Denied)               => End(Status::Denied),
        Done::Finalize(finalize::Cancelled)            => End(Status::Cancelled),
        Done::Finalize(finalize::Blocked)              => End(Status::Blocked),
        Done::Finalize(finalize::Limit)                => End(Status::Exhausted),
    }
}

/// Sends a run with too many visits to its end, whatever the table says (S1.10, S1.36).
pub fn bounded(edge: Edge, visits: u32, limit: u32) -> Edge {
    match edge {
        Edge::Go(node) | Edge::Ask(node) | Edge::Await(node) if visits >= limit && !node.is_final() => {
            Edge::Go(Node::FinalizeLimit)
        }
        Edge::Go(_) | Edge::Ask(_) | Edge::Await(_) | Edge::Rest(_) | Edge::End(_) => edge,
    }
}

/// All outcomes, so that the drawing and a test can visit every arrow.
#[rustfmt::skip]
pub const OUTCOMES: &[(Node, &str, Done)] = &[
    (Node::IngestUserInput, "Heard", Done::Ingest(ingest_user_input::Heard)),
    (Node::MaybeObserve, "Seen", Done::Observe(maybe_observe::Seen)),
    (Node::MaybeObserve, "Fresh", Done::Observe(maybe_observe::Fresh)),
    (Node::MaybeObserve, "Unseen", Done::Observe(maybe_observe::Unseen)),
    (Node::MaybeObserve, "Stands", Done::Observe(maybe_observe::Stands)),
    (Node::MakePlan, "Made", Done::MakePlan(make_plan::Made)),
    (Node::MakePlan, "NotNeeded", Done::MakePlan(make_plan::NotNeeded)),
    (Node::MakePlan, "Unmade", Done::MakePlan(make_plan::Unmade)),
    (Node::MakePlan, "NeedsApproval", Done::MakePlan(make_plan::NeedsApproval)),
    (Node::MakePlan, "OutOfIterations", Done::MakePlan(make_plan::OutOfIterations)),
    (Node::ApprovePlan, "Approved", Done::ApprovePlan(approve_plan::Approved)),
    (Node::ApprovePlan, "Redirected", Done::ApprovePlan(approve_plan::Redirected)),
    (Node::ApprovePlan, "Declined", Done::ApprovePlan(approve_plan::Declined)),
    (Node::PlanAction, "NeedsPlan", Done::Plan(plan_action::NeedsPlan)),
    (Node::PlanAction, "NeedsPremoves", Done::Plan(plan_action::NeedsPremoves)),
    (Node::PlanAction, "Thought", Done::Plan(plan_action::Thought)),
    (Node::RunPremoves, "Begun", Done::Premoves(run_premoves::Begun)),
    (Node::RunPremoves, "AtWork", Done::Premoves(run_premoves::AtWork)),
    (Node::RunPremoves, "Looked", Done::Premoves(run_premoves::Looked)),
    (Node::PlanAction, "Claimed", Done::Plan(plan_action::Claimed)),
    (Node::PlanAction, "MovedOn", Done::Plan(plan_action::MovedOn)),
    (Node::PlanAction, "NothingActionable", Done::Plan(plan_action::NothingActionable)),
    (Node::PlanAction, "NeedsBudget", Done::Plan(plan_action::NeedsBudget)),
    (Node::PlanAction, "Planned", Done::Plan(plan_action::Planned)),
    (Node::PlanAction, "Unreadable", Done::Plan(plan_action::Unreadable)),
    (Node::PlanAction, "OutOfIterations", Done::Plan(plan_action::OutOfIterations)),
    (Node::ValidateAction, "Valid", Done::Validate(validate_action::Valid)),
    (Node::ValidateAction, "Invalid", Done::Validate(validate_action::Invalid)),
    (Node::ValidateAction, "TooManyInvalid", Done::Validate(validate_action::TooManyInvalid)),
    (Node::PolicyGate, "Allowed", Done::Gate(policy_gate::Allowed)),
    (Node::PolicyGate, "NeedsConfirmation", Done::Gate(policy_gate::NeedsConfirmation)),
    (Node::PolicyGate, "NeedsHands", Done::Gate(policy_gate::NeedsHands)),
    (Node::PolicyGate, "NeedsAnswer", Done::Gate(policy_gate::NeedsAnswer)),
    (Node::PolicyGate, "Gone", Done::Gate(policy_gate::Gone)),
    (Node::PolicyGate, "Denied", Done::Gate(policy_gate::Denied)),
    (Node::ValidateAction, "NotYet", Done::Validate(validate_action::NotYet)),
    (Node::ValidateAction, "Never", Done::Validate(validate_action::Never)),
    (Node::Confirm, "Approved", Done::Confirm(confirm::Approved)),
    (Node::Confirm, "Redirected", Done::Confirm(confirm::Redirected)),
    (Node::Confirm, "Declined", Done::Confirm(confirm::Declined)),
    (Node::Manual, "HandedBack", Done::Manual(manual::HandedBack)),
    (Node::Question, "Answered", Done::Question(question::Answered)),
    (Node::Question, "Ended", Done::Question(question::Ended)),
    (Node::ExecuteAction, "Executed", Done::Execute(execute_action::Executed)),
    (Node::ExecuteAction, "Failed", Done::Execute(execute_action::Failed)),
    (Node::ExecuteAction, "Void", Done::Execute(execute_action::Void)),
    (Node::ExecuteAction, "Called", Done::Execute(execute_action::Called)),
    (Node::AwaitCalls, "AtWork", Done::Calls(await_calls::AtWork)),
    (Node::AwaitCalls, "Ended", Done::Calls(await_calls::Ended)),
    (Node::AwaitCalls, "Due", Done::Calls(await_calls::Due)),
    (Node::MaybeStopOrContinue, "Stop", Done::Continue(maybe_stop_or_continue::Stop)),
    (Node::MaybeStopOrContinue, "GaveUp", Done::Continue(maybe_stop_or_continue::GaveUp)),
    (Node::MaybeStopOrContinue, "Limit", Done::Continue(maybe_stop_or_continue::Limit)),
    (Node::MaybeStopOrContinue, "Claims", Done::Continue(maybe_stop_or_continue::Claims)),
    (Node::MaybeStopOrContinue, "Stuck", Done::Continue(maybe_stop_or_continue::Stuck)),
    (Node::MaybeStopOrContinue, "Continue", Done::Continue(maybe_stop_or_continue::Continue)),
    (Node::CheckAcceptance, "Accepted", Done::Check(check_acceptance::Accepted)),
    (Node::CheckAcceptance, "AcceptedOn", Done::Check(check_acceptance::AcceptedOn)),
    (Node::CheckAcceptance, "AcceptedNext", Done::Check(check_acceptance::AcceptedNext)),
    (Node::CheckAcceptance, "Finished", Done::Check(check_acceptance::Finished)),
    (Node::CheckAcceptance, "Rejected", Done::Check(check_acceptance::Rejected)),
    (Node::CheckAcceptance, "NotYet", Done::Check(check_acceptance::NotYet)),
    (Node::CheckAcceptance, "NeedsPlan", Done::Check(check_acceptance::NeedsPlan)),
    (Node::CheckAcceptance, "NeedsAnswer", Done::Check(check_acceptance::NeedsAnswer)),
    (Node::CheckAcceptance, "Partly", Done::Check(check_acceptance::Partly)),
    (Node::Budget, "Extended", Done::Budget(budget::Extended)),
    (Node::Budget, "Declined", Done::Budget(budget::Declined)),
    (Node::MaybeStopOrContinue, "TasksGoOn", Done::Continue(maybe_stop_or_continue::TasksGoOn)),
    (Node::Resting, "Spoken", Done::Rest(resting::Spoken)),
    (Node::Resting, "Quiet", Done::Rest(resting::Quiet)),
    (Node::FinalizeDone, "Done", Done::Finalize(finalize::Done)),
    (Node::FinalizePartial, "Partial", Done::Finalize(finalize::Partial)),
    (Node::FinalizeDenied, "Denied", Done::Finalize(finalize::Denied)),
    (Node::FinalizeCancelled, "Cancelled", Done::Finalize(finalize::Cancelled)),
    (Node::FinalizeBlocked, "Blocked", Done::Finalize(finalize::Blocked)),
    (Node::FinalizeLimit, "Limit", Done::Finalize(finalize::Limit)),
];
