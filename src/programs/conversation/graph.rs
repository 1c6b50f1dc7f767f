//! The transitions of the conversation graph: which node follows which outcome. No state and no I/O.
//! `tests/golden/graph.mmd` and the diagram in docs/graphs.md are drawn from this table.

use crate::programs::conversation::node::ConversationNode;
use crate::programs::conversation::nodes::questions::{approve_plan, budget, confirm, manual, question};
use crate::programs::conversation::nodes::waits::{await_calls, resting, run_premoves};
use crate::programs::conversation::nodes::{
    check_acceptance, execute_action, finalize, ingest_user_input, make_plan, maybe_observe,
    maybe_stop_or_continue, plan_action, policy_gate, validate_action,
};
use crate::protocol::Status;

/// The outcome of a node, tagged with the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversationOutcome {
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

impl ConversationOutcome {
    /// Returns the name of the outcome, as traces have it.
    pub fn word(self) -> &'static str {
        OUTCOMES.iter().find(|(_, _, done)| *done == self).map_or("", |(_, word, _)| word)
    }
}

/// The continuation after an outcome. `Ask` is an interrupt: the run waits for a person and continues at the
/// given node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversationEdge {
    Go(ConversationNode),
    Ask(ConversationNode),
    /// The run waits for agents that it has called, and continues at the given node.
    Await(ConversationNode),
    /// The run waits without a question for the person or a task.
    Rest(ConversationNode),
    End(Status),
}

/// The transition table, one arrow per line.
#[rustfmt::skip]
pub fn route(done: ConversationOutcome) -> ConversationEdge {
    use {ConversationEdge::*, ConversationNode::*};
    match done {
        ConversationOutcome::Ingest(ingest_user_input::Heard)         => Go(MaybeObserve),

        ConversationOutcome::Observe(maybe_observe::Seen)             => Go(PlanAction),
        ConversationOutcome::Observe(maybe_observe::Fresh)            => Go(PlanAction),
        ConversationOutcome::Observe(maybe_observe::Unseen)           => Go(PlanAction),
        ConversationOutcome::Observe(maybe_observe::Stands)           => Go(ValidateAction),

        ConversationOutcome::MakePlan(make_plan::Made)                => Go(PlanAction),
        ConversationOutcome::MakePlan(make_plan::NotNeeded)           => Go(PlanAction),
        ConversationOutcome::MakePlan(make_plan::Unmade)              => Go(PlanAction),
        ConversationOutcome::MakePlan(make_plan::NeedsApproval)       => Ask(ApprovePlan),
        ConversationOutcome::MakePlan(make_plan::OutOfIterations)     => Go(FinalizeLimit),

        ConversationOutcome::ApprovePlan(approve_plan::Approved)      => Go(MaybeObserve),
        ConversationOutcome::ApprovePlan(approve_plan::Redirected)    => Go(MakePlan),
        ConversationOutcome::ApprovePlan(approve_plan::Declined)      => Go(FinalizeCancelled),

        ConversationOutcome::Plan(plan_action::NeedsPlan)             => Go(MakePlan),
        ConversationOutcome::Plan(plan_action::NeedsPremoves)         => Go(RunPremoves),
        ConversationOutcome::Plan(plan_action::Thought)               => Go(PlanAction),
        ConversationOutcome::Plan(plan_action::MovedOn)               => Go(CheckAcceptance),
        ConversationOutcome::Plan(plan_action::Claimed)               => Go(CheckAcceptance),
        ConversationOutcome::Plan(plan_action::NothingActionable)     => Go(FinalizeBlocked),
        ConversationOutcome::Plan(plan_action::NeedsBudget)           => Ask(Budget),
        ConversationOutcome::Plan(plan_action::Planned)               => Go(ValidateAction),
        ConversationOutcome::Plan(plan_action::Unreadable)            => Go(ValidateAction),
        ConversationOutcome::Plan(plan_action::OutOfIterations)       => Go(FinalizeLimit),

        ConversationOutcome::Premoves(run_premoves::Begun)            => Await(RunPremoves),
        ConversationOutcome::Premoves(run_premoves::AtWork)           => Await(RunPremoves),
        ConversationOutcome::Premoves(run_premoves::Looked)           => Go(PlanAction),

        ConversationOutcome::Validate(validate_action::Valid)         => Go(PolicyGate),
        ConversationOutcome::Validate(validate_action::Invalid)       => Go(PlanAction),
        ConversationOutcome::Validate(validate_action::TooManyInvalid) => Go(FinalizeBlocked),
        ConversationOutcome::Validate(validate_action::NotYet)        => Await(AwaitCalls),
        ConversationOutcome::Validate(validate_action::Never)         => Go(MaybeStopOrContinue),

        ConversationOutcome::Gate(policy_gate::Allowed)               => Go(ExecuteAction),
        ConversationOutcome::Gate(policy_gate::NeedsConfirmation)     => Ask(Confirm),
        ConversationOutcome::Gate(policy_gate::NeedsHands)            => Ask(Manual),
        ConversationOutcome::Gate(policy_gate::NeedsAnswer)           => Ask(Question),
        ConversationOutcome::Gate(policy_gate::Gone)                  => Go(MaybeObserve),
        ConversationOutcome::Gate(policy_gate::Denied)                => Go(FinalizeDenied),

        ConversationOutcome::Confirm(confirm::Approved)               => Go(ExecuteAction),
        ConversationOutcome::Confirm(confirm::Redirected)             => Go(MaybeObserve),
        ConversationOutcome::Confirm(confirm::Declined)               => Go(FinalizeCancelled),

        ConversationOutcome::Manual(manual::HandedBack)               => Go(MaybeObserve),
        ConversationOutcome::Question(question::Answered)             => Go(MaybeObserve),
        ConversationOutcome::Question(question::Ended)                => Go(FinalizePartial),

        ConversationOutcome::Execute(execute_action::Executed)        => Go(MaybeStopOrContinue),
        ConversationOutcome::Execute(execute_action::Failed)          => Go(MaybeStopOrContinue),
        ConversationOutcome::Execute(execute_action::Void)            => Go(MaybeObserve),
        ConversationOutcome::Execute(execute_action::Called)          => Await(AwaitCalls),

        ConversationOutcome::Calls(await_calls::AtWork)               => Await(AwaitCalls),
        ConversationOutcome::Calls(await_calls::Ended)                => Go(MaybeStopOrContinue),
        ConversationOutcome::Calls(await_calls::Due)                  => Go(ValidateAction),

        ConversationOutcome::Continue(maybe_stop_or_continue::Stop)     => Go(FinalizeDone),
        ConversationOutcome::Continue(maybe_stop_or_continue::GaveUp)   => Go(FinalizeBlocked),
        ConversationOutcome::Continue(maybe_stop_or_continue::Limit)    => Go(FinalizeLimit),
        ConversationOutcome::Continue(maybe_stop_or_continue::Claims)   => Go(CheckAcceptance),
        ConversationOutcome::Continue(maybe_stop_or_continue::Stuck)    => Ask(Question),
        ConversationOutcome::Continue(maybe_stop_or_continue::Continue) => Go(MaybeObserve),
        ConversationOutcome::Continue(maybe_stop_or_continue::TasksGoOn) => Rest(Resting),

        ConversationOutcome::Rest(resting::Spoken)                    => Go(IngestUserInput),
        ConversationOutcome::Rest(resting::Quiet)                     => Rest(Resting),

        ConversationOutcome::Check(check_acceptance::Accepted)        => Go(MaybeObserve),
        ConversationOutcome::Check(check_acceptance::AcceptedOn)      => Go(ValidateAction),
        ConversationOutcome::Check(check_acceptance::AcceptedNext)    => Go(CheckAcceptance),
        ConversationOutcome::Check(check_acceptance::Finished)        => Go(FinalizeDone),
        ConversationOutcome::Check(check_acceptance::Rejected)        => Go(MaybeObserve),
        ConversationOutcome::Check(check_acceptance::NotYet)          => Go(MaybeObserve),
        ConversationOutcome::Check(check_acceptance::NeedsPlan)       => Go(MakePlan),
        ConversationOutcome::Check(check_acceptance::NeedsAnswer)     => Ask(Question),
        ConversationOutcome::Check(check_acceptance::Partly)          => Go(FinalizePartial),

        ConversationOutcome::Budget(budget::Extended)                 => Go(PlanAction),
        ConversationOutcome::Budget(budget::Declined)                 => Go(FinalizeLimit),

        ConversationOutcome::Finalize(finalize::Done)                 => End(Status::Succeeded),
        ConversationOutcome::Finalize(finalize::Partial)              => End(Status::Partial),
        ConversationOutcome::Finalize(finalize::Denied)               => End(Status::Denied),
        ConversationOutcome::Finalize(finalize::Cancelled)            => End(Status::Cancelled),
        ConversationOutcome::Finalize(finalize::Blocked)              => End(Status::Blocked),
        ConversationOutcome::Finalize(finalize::Limit)                => End(Status::Exhausted),
    }
}

/// Sends a run with too many visits to its end, whatever the table says (S1.10, S1.36).
pub fn limit_visits(edge: ConversationEdge, visits: u32, limit: u32) -> ConversationEdge {
    match edge {
        ConversationEdge::Go(node) | ConversationEdge::Ask(node) | ConversationEdge::Await(node)
            if visits >= limit && !node.is_final() =>
        {
            ConversationEdge::Go(ConversationNode::FinalizeLimit)
        }
        ConversationEdge::Go(_)
        | ConversationEdge::Ask(_)
        | ConversationEdge::Await(_)
        | ConversationEdge::Rest(_)
        | ConversationEdge::End(_) => edge,
    }
}

/// All outcomes, so that the drawing and a test can visit every arrow.
#[rustfmt::skip]
pub const OUTCOMES: &[(ConversationNode, &str, ConversationOutcome)] = &[
    (ConversationNode::IngestUserInput, "Heard", ConversationOutcome::Ingest(ingest_user_input::Heard)),
    (ConversationNode::MaybeObserve, "Seen", ConversationOutcome::Observe(maybe_observe::Seen)),
    (ConversationNode::MaybeObserve, "Fresh", ConversationOutcome::Observe(maybe_observe::Fresh)),
    (ConversationNode::MaybeObserve, "Unseen", ConversationOutcome::Observe(maybe_observe::Unseen)),
    (ConversationNode::MaybeObserve, "Stands", ConversationOutcome::Observe(maybe_observe::Stands)),
    (ConversationNode::MakePlan, "Made", ConversationOutcome::MakePlan(make_plan::Made)),
    (ConversationNode::MakePlan, "NotNeeded", ConversationOutcome::MakePlan(make_plan::NotNeeded)),
    (ConversationNode::MakePlan, "Unmade", ConversationOutcome::MakePlan(make_plan::Unmade)),
    (ConversationNode::MakePlan, "NeedsApproval", ConversationOutcome::MakePlan(make_plan::NeedsApproval)),
    (ConversationNode::MakePlan, "OutOfIterations", ConversationOutcome::MakePlan(make_plan::OutOfIterations)),
    (ConversationNode::ApprovePlan, "Approved", ConversationOutcome::ApprovePlan(approve_plan::Approved)),
    (ConversationNode::ApprovePlan, "Redirected", ConversationOutcome::ApprovePlan(approve_plan::Redirected)),
    (ConversationNode::ApprovePlan, "Declined", ConversationOutcome::ApprovePlan(approve_plan::Declined)),
    (ConversationNode::PlanAction, "NeedsPlan", ConversationOutcome::Plan(plan_action::NeedsPlan)),
    (ConversationNode::PlanAction, "NeedsPremoves", ConversationOutcome::Plan(plan_action::NeedsPremoves)),
    (ConversationNode::PlanAction, "Thought", ConversationOutcome::Plan(plan_action::Thought)),
    (ConversationNode::RunPremoves, "Begun", ConversationOutcome::Premoves(run_premoves::Begun)),
    (ConversationNode::RunPremoves, "AtWork", ConversationOutcome::Premoves(run_premoves::AtWork)),
    (ConversationNode::RunPremoves, "Looked", ConversationOutcome::Premoves(run_premoves::Looked)),
    (ConversationNode::PlanAction, "Claimed", ConversationOutcome::Plan(plan_action::Claimed)),
    (ConversationNode::PlanAction, "MovedOn", ConversationOutcome::Plan(plan_action::MovedOn)),
    (ConversationNode::PlanAction, "NothingActionable", ConversationOutcome::Plan(plan_action::NothingActionable)),
    (ConversationNode::PlanAction, "NeedsBudget", ConversationOutcome::Plan(plan_action::NeedsBudget)),
    (ConversationNode::PlanAction, "Planned", ConversationOutcome::Plan(plan_action::Planned)),
    (ConversationNode::PlanAction, "Unreadable", ConversationOutcome::Plan(plan_action::Unreadable)),
    (ConversationNode::PlanAction, "OutOfIterations", ConversationOutcome::Plan(plan_action::OutOfIterations)),
    (ConversationNode::ValidateAction, "Valid", ConversationOutcome::Validate(validate_action::Valid)),
    (ConversationNode::ValidateAction, "Invalid", ConversationOutcome::Validate(validate_action::Invalid)),
    (ConversationNode::ValidateAction, "TooManyInvalid", ConversationOutcome::Validate(validate_action::TooManyInvalid)),
    (ConversationNode::PolicyGate, "Allowed", ConversationOutcome::Gate(policy_gate::Allowed)),
    (ConversationNode::PolicyGate, "NeedsConfirmation", ConversationOutcome::Gate(policy_gate::NeedsConfirmation)),
    (ConversationNode::PolicyGate, "NeedsHands", ConversationOutcome::Gate(policy_gate::NeedsHands)),
    (ConversationNode::PolicyGate, "NeedsAnswer", ConversationOutcome::Gate(policy_gate::NeedsAnswer)),
    (ConversationNode::PolicyGate, "Gone", ConversationOutcome::Gate(policy_gate::Gone)),
    (ConversationNode::PolicyGate, "Denied", ConversationOutcome::Gate(policy_gate::Denied)),
    (ConversationNode::ValidateAction, "NotYet", ConversationOutcome::Validate(validate_action::NotYet)),
    (ConversationNode::ValidateAction, "Never", ConversationOutcome::Validate(validate_action::Never)),
    (ConversationNode::Confirm, "Approved", ConversationOutcome::Confirm(confirm::Approved)),
    (ConversationNode::Confirm, "Redirected", ConversationOutcome::Confirm(confirm::Redirected)),
    (ConversationNode::Confirm, "Declined", ConversationOutcome::Confirm(confirm::Declined)),
    (ConversationNode::Manual, "HandedBack", ConversationOutcome::Manual(manual::HandedBack)),
    (ConversationNode::Question, "Answered", ConversationOutcome::Question(question::Answered)),
    (ConversationNode::Question, "Ended", ConversationOutcome::Question(question::Ended)),
    (ConversationNode::ExecuteAction, "Executed", ConversationOutcome::Execute(execute_action::Executed)),
    (ConversationNode::ExecuteAction, "Failed", ConversationOutcome::Execute(execute_action::Failed)),
    (ConversationNode::ExecuteAction, "Void", ConversationOutcome::Execute(execute_action::Void)),
    (ConversationNode::ExecuteAction, "Called", ConversationOutcome::Execute(execute_action::Called)),
    (ConversationNode::AwaitCalls, "AtWork", ConversationOutcome::Calls(await_calls::AtWork)),
    (ConversationNode::AwaitCalls, "Ended", ConversationOutcome::Calls(await_calls::Ended)),
    (ConversationNode::AwaitCalls, "Due", ConversationOutcome::Calls(await_calls::Due)),
    (ConversationNode::MaybeStopOrContinue, "Stop", ConversationOutcome::Continue(maybe_stop_or_continue::Stop)),
    (ConversationNode::MaybeStopOrContinue, "GaveUp", ConversationOutcome::Continue(maybe_stop_or_continue::GaveUp)),
    (ConversationNode::MaybeStopOrContinue, "Limit", ConversationOutcome::Continue(maybe_stop_or_continue::Limit)),
    (ConversationNode::MaybeStopOrContinue, "Claims", ConversationOutcome::Continue(maybe_stop_or_continue::Claims)),
    (ConversationNode::MaybeStopOrContinue, "Stuck", ConversationOutcome::Continue(maybe_stop_or_continue::Stuck)),
    (ConversationNode::MaybeStopOrContinue, "Continue", ConversationOutcome::Continue(maybe_stop_or_continue::Continue)),
    (ConversationNode::CheckAcceptance, "Accepted", ConversationOutcome::Check(check_acceptance::Accepted)),
    (ConversationNode::CheckAcceptance, "AcceptedOn", ConversationOutcome::Check(check_acceptance::AcceptedOn)),
    (ConversationNode::CheckAcceptance, "AcceptedNext", ConversationOutcome::Check(check_acceptance::AcceptedNext)),
    (ConversationNode::CheckAcceptance, "Finished", ConversationOutcome::Check(check_acceptance::Finished)),
    (ConversationNode::CheckAcceptance, "Rejected", ConversationOutcome::Check(check_acceptance::Rejected)),
    (ConversationNode::CheckAcceptance, "NotYet", ConversationOutcome::Check(check_acceptance::NotYet)),
    (ConversationNode::CheckAcceptance, "NeedsPlan", ConversationOutcome::Check(check_acceptance::NeedsPlan)),
    (ConversationNode::CheckAcceptance, "NeedsAnswer", ConversationOutcome::Check(check_acceptance::NeedsAnswer)),
    (ConversationNode::CheckAcceptance, "Partly", ConversationOutcome::Check(check_acceptance::Partly)),
    (ConversationNode::Budget, "Extended", ConversationOutcome::Budget(budget::Extended)),
    (ConversationNode::Budget, "Declined", ConversationOutcome::Budget(budget::Declined)),
    (ConversationNode::MaybeStopOrContinue, "TasksGoOn", ConversationOutcome::Continue(maybe_stop_or_continue::TasksGoOn)),
    (ConversationNode::Resting, "Spoken", ConversationOutcome::Rest(resting::Spoken)),
    (ConversationNode::Resting, "Quiet", ConversationOutcome::Rest(resting::Quiet)),
    (ConversationNode::FinalizeDone, "Done", ConversationOutcome::Finalize(finalize::Done)),
    (ConversationNode::FinalizePartial, "Partial", ConversationOutcome::Finalize(finalize::Partial)),
    (ConversationNode::FinalizeDenied, "Denied", ConversationOutcome::Finalize(finalize::Denied)),
    (ConversationNode::FinalizeCancelled, "Cancelled", ConversationOutcome::Finalize(finalize::Cancelled)),
    (ConversationNode::FinalizeBlocked, "Blocked", ConversationOutcome::Finalize(finalize::Blocked)),
    (ConversationNode::FinalizeLimit, "Limit", ConversationOutcome::Finalize(finalize::Limit)),
];
