//! The inbox of a conversation: messages, plan edits, task cancellations and hand-back reports, read by the nodes that
//! plan.

use crate::programs::conversation::acting::scripted_turns;
use crate::programs::conversation::agent_message::agent_message;
use crate::programs::conversation::calls::call_effects;
use crate::programs::conversation::planning::plan_edit_effects;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::visit_context::VisitContext;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::store::rows::inbox::InboxItem;

/// Reads the inbox before a turn is planned. A script takes no messages, so the person is told that when some arrive.
pub fn read_before_turn(cx: &mut VisitContext) {
    let before = cx.state.messages.len();
    read_inbox(cx);
    let has_messages = cx.state.messages.len() > before;
    if has_messages && !cx.deps.task.script.is_empty() {
        let text = scripted_turns::player_texts(cx).takes_no_messages();
        cx.push_event(agent_message(text));
    }
}

/// Reads all messages in the inbox.
pub fn read_inbox(cx: &mut VisitContext) {
    for message in cx.take_inbox() {
        match message.item {
            InboxItem::PlanEdit(edit) => {
                plan_edit_effects::apply_plan_edit(&cx.state, &cx.deps, &edit).apply_to(cx)
            }
            InboxItem::TaskCancel(task) => {
                if let Some(effects) = call_effects::cancel_task(&cx.state, &cx.deps, &task) {
                    effects.apply_to(cx);
                }
            }
            // A report of what the person did on the page is not a message from them.
            InboxItem::HandBack(report) => {
                cx.push_event(agent_message(&report));
                cx.change(ConversationChange::HandedBack(report));
                cx.change(ConversationChange::NeedsObserve);
            }
            InboxItem::Words(text) => {
                cx.push_event(Fact::Event(Event::UserMessage { text: text.clone() }));
                cx.change(ConversationChange::MessageReceived(text));
            }
        }
    }
}
