//! The contract of a store: every engine passes the same cases. A case is generic over [`Engine`], which opens an empty
//! store, and opens it again for a second handle.

mod commits;
mod engines;
mod events;
mod faults;
pub mod fixtures;
mod inboxes;
mod lists;
mod pages;
mod questions;
mod records;
mod run_rows;
mod tasks;

use askfirst::store::{Store, StoreObserver};
use futures_util::future::LocalBoxFuture;
use std::path::Path;
use std::sync::Arc;

/// An empty store that a case fills. Handles that are opened one after the other share its rows.
pub trait Engine {
    /// Opens a handle of the store.
    fn open(&self, observer: StoreObserver) -> Arc<dyn Store>;
    /// Folder of the files beside the rows.
    fn folder(&self) -> &Path;
    /// Counts the rows of a table, past the store.
    fn count(&self, table: &str) -> LocalBoxFuture<'_, i64>;
}

/// Declares a test for each case and engine.
macro_rules! contract {
    ($($topic:ident { $($case:ident),* $(,)? })*) => {
        mod sqlite {
            $($(
                #[actix_web::test]
                async fn $case() {
                    super::$topic::$case(&super::engines::SqliteEngine::new().await).await;
                }
            )*)*
        }

        mod postgres {
            $($(
                #[actix_web::test]
                #[ignore = "needs PostgreSQL; make test runs it"]
                async fn $case() {
                    super::$topic::$case(&super::engines::PostgresEngine::new().await).await;
                }
            )*)*
        }
    };
}

contract! {
    run_rows {
        a_created_run_is_read_back,
        a_key_names_one_run_of_an_agent,
        children_are_counted_and_numbered,
        a_child_takes_the_model_and_the_command_of_its_parent,
        lists_of_ids_follow_the_rows,
        usage_adds_up_over_the_tree,
        limits_of_ancestors_are_found_and_raised,
    }
    commits {
        a_commit_stores_all_its_parts,
        a_run_ends_and_reopens,
        a_run_is_restored_from_its_newest_snapshot,
        an_effect_has_an_intent_and_then_a_receipt,
        a_commit_begins_and_stops_children,
        a_lease_and_a_snapshot_of_a_page_are_replaced,
    }
    events {
        numbers_have_no_gaps_and_no_repeats,
        commits_keep_the_order_in_which_they_begin,
        the_observer_sees_events_in_the_order_of_storing,
        two_handles_write_one_tree_at_once,
        two_handles_create_a_run_with_one_key_at_once,
        events_are_read_in_pages,
    }
    questions {
        a_question_is_asked_and_resolved_once,
        many_answer_at_once_and_one_counts,
        an_expired_question_is_told_apart,
        waiting_questions_are_listed_in_pages,
    }
    inboxes {
        messages_are_kept_until_they_are_read,
        numbers_of_messages_never_come_again,
        a_message_is_delivered_on_a_condition,
        a_repeated_request_finds_its_record,
        the_last_command_counts_and_a_stop_is_final,
        a_command_is_carried_out_once,
        commands_to_one_run_at_once_are_numbered,
    }
    tasks {
        a_task_belongs_to_the_run_that_began_it,
        progress_ends_with_the_task,
        the_id_of_a_task_is_reserved_for_one_run,
        ids_are_reserved_by_many_runs_at_once,
    }
    records {
        calls_are_recorded_with_their_texts,
        requests_with_equal_texts_are_recorded_at_once,
        inputs_and_exported_steps_are_kept,
        the_timeline_has_the_parts_of_a_tree,
        grants_hold_until_they_end,
        the_audit_is_read_newest_first,
        sign_ins_end,
    }
    pages {
        pictures_are_numbered_and_stored_once,
        a_picture_is_waited_for_while_it_is_taken,
        a_picture_of_a_deleted_run_leaves_no_file,
    }
    lists {
        messages_are_found_by_full_text_search,
        queries_are_words_and_nothing_else,
        two_thousand_tasks_are_searched_by_an_index,
        pinned_tasks_come_first_on_the_first_page_of_a_list,
        lists_are_filtered,
        a_deleted_tree_leaves_nothing_but_the_audit,
    }
    faults {
        a_failed_commit_leaves_nothing_behind,
        a_commit_to_a_deleted_run_is_refused,
        what_follows_a_failed_step_is_refused,
        a_step_is_stored_once,
        a_dropped_call_is_carried_out,
        texts_of_any_kind_are_stored,
        the_store_accepts_writes,
        a_store_is_opened_again,
    }
}
