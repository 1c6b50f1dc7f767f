//! Hints between nodes, over one connection of each (`listen`, `notify`): that events of a tree were stored, that its owner
//! has something to do, that questions have changed. The rows are the truth; a hint only tells of them early, and looks at the
//! rows each second replace those that are lost. A hint is never part of a write: `notify` in a transaction takes a lock that
//! all commits of the database share.

use crate::ids::RunId;
use crate::store::error::StoreError;
use crate::store::postgres::connection::address::PostgresAddress;
use crate::store::postgres::connection::errors::Fault;
use crate::store::postgres::connection::sql::{Sql, run_id, unsigned};
use crate::store::postgres::connection::store::Shared;
use crate::store::postgres::connection::tls::PostgresTls;
use crate::store::postgres::connection::writes::read_all;
use crate::store::postgres::statements::log::event_row;
use crate::store::rows::LogAdditions;
use crate::store::tree_leases::LeaseNotice;
use crate::store::tree_leases::node_parts::HintOrder;
use futures_util::StreamExt;
use futures_util::stream::{BoxStream, poll_fn};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_postgres::{AsyncMessage, Client};

const CHANNEL: &str = "askfirst_hints";
/// Time for which hints are collected before they are sent.
const BATCH_TIME: Duration = Duration::from_millis(15);
/// Time between two looks at the trees that are followed here.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// Pause before a lost connection is made again.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Longest text of a notification; the server refuses 8,000 bytes.
const LONGEST_TEXT: usize = 7_000;
/// Most events read at once.
const EVENTS_AT_ONCE: usize = 256;

/// Exchanges hints for as long as the node lives. Without a connection for them, as behind a pooler, the looks remain.
pub async fn exchange(
    shared: &Shared,
    address: &PostgresAddress,
    orders: Option<UnboundedReceiver<HintOrder>>,
) {
    let Some(orders) = orders else { return std::future::pending().await };
    let mut exchange = Exchange { shared, orders, followed: HashMap::new(), batch: BTreeSet::new() };
    loop {
        let mut line = match connect(address).await {
            Ok(line) => Some(line),
            Err(fault) => {
                tracing::warn!(?fault, "no connection for hints; rows are looked at each second");
                None
            }
        };
        exchange.run(&mut line).await;
    }
}

/// A connection on which other nodes' hints arrive.
struct HintLine {
    client: Client,
    /// Texts of notifications; drives the connection while it is read.
    texts: BoxStream<'static, String>,
}

async fn connect(address: &PostgresAddress) -> Result<HintLine, Fault> {
    let tls = PostgresTls::new(&address.tls)?;
    let (client, mut connection) = address.config.connect(tls).await?;
    let messages = poll_fn(move |context| connection.poll_message(context));
    let mut texts = messages
        .take_while(|message| std::future::ready(message.is_ok()))
        .filter_map(|message| {
            std::future::ready(match message {
                Ok(AsyncMessage::Notification(notification)) => Some(notification.payload().to_owned()),
                Ok(_) | Err(_) => None,
            })
        })
        .boxed();
    let listen = format!("listen {CHANNEL}");
    tokio::select! {
        listening = client.batch_execute(&listen) => listening?,
        _ = texts.next() => return Err(Fault::Lost(String::from("the connection for hints was closed"))),
    }
    Ok(HintLine { client, texts })
}

struct Exchange<'s> {
    shared: &'s Shared,
    orders: UnboundedReceiver<HintOrder>,
    /// Trees whose events are wanted here, with the number of the last one that was delivered, if it is known.
    followed: HashMap<RunId, Option<u64>>,
    /// Lines to send.
    batch: BTreeSet<String>,
}

impl Exchange<'_> {
    /// Exchanges hints over the line until it is lost; without one, looks at rows until it is time to connect again.
    async fn run(&mut self, line: &mut Option<HintLine>) {
        let mut looks = interval(LOOK_INTERVAL);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut batches = interval(BATCH_TIME);
        batches.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let until = sleep(if line.is_some() { Duration::MAX } else { RETRY_PAUSE });
        tokio::pin!(until);
        loop {
            let is_due = !self.batch.is_empty();
            tokio::select! {
                () = &mut until => return,
                order = self.orders.recv() => match order {
                    Some(order) => self.obey(order).await,
                    None => std::future::pending().await,
                },
                text = next_text(line) => match text {
                    Some(text) => self.receive(&text).await,
                    None => return,
                },
                _ = batches.tick(), if is_due => {
                    if !self.send(line).await {
                        return;
                    }
                }
                _ = looks.tick() => {
                    let roots: Vec<RunId> = self.followed.keys().cloned().collect();
                    self.deliver_new_events(roots).await;
                }
            }
        }
    }

    async fn obey(&mut self, order: HintOrder) {
        match order {
            HintOrder::Stored { root, seq } => {
                if let Some(last) = self.followed.get_mut(&root) {
                    *last = (*last).max(Some(seq));
                }
                self.batch.insert(format!("event {root}"));
            }
            HintOrder::Wake(root) => drop(self.batch.insert(format!("wake {root}"))),
            HintOrder::Questions => drop(self.batch.insert(String::from("questions"))),
            HintOrder::Follow { root, follows: false } => drop(self.followed.remove(&root)),
            HintOrder::Follow { root, follows: true } => {
                if self.followed.insert(root.clone(), None).is_none() {
                    self.deliver_new_events(vec![root]).await;
                }
            }
        }
    }

    /// Sends the batch. Returns false if the line is lost.
    async fn send(&mut self, line: &mut Option<HintLine>) -> bool {
        let lines = std::mem::take(&mut self.batch);
        let Some(HintLine { client, texts }) = line else { return true };
        for text in join_lines(&own_mark(self.shared), lines) {
            let sql = "select pg_notify($1, $2)";
            let parameters: [(&(dyn tokio_postgres::types::ToSql + Sync), tokio_postgres::types::Type); 2] =
                [(&CHANNEL, tokio_postgres::types::Type::TEXT), (&text, tokio_postgres::types::Type::TEXT)];
            let sending = client.query_typed(sql, &parameters);
            tokio::pin!(sending);
            loop {
                // The line is read meanwhile, as that is what drives it.
                tokio::select! {
                    sent = &mut sending => match sent {
                        Ok(_) => break,
                        Err(_) => return false,
                    },
                    received = texts.next() => match received {
                        Some(received) => self.receive(&received).await,
                        None => return false,
                    },
                }
            }
        }
        true
    }

    async fn receive(&mut self, text: &str) {
        let mut lines = text.lines();
        if lines.next() == Some(own_mark(self.shared).as_str()) {
            return;
        }
        let mut changed = Vec::new();
        for line in lines {
            match line.split_once(' ') {
                Some(("event", root)) => changed.push(RunId::from(root.to_owned())),
                Some(("wake", root)) => self.wake(&RunId::from(root.to_owned())),
                _ => {
                    self.shared.observe_elsewhere(LogAdditions { questions: true, ..LogAdditions::default() })
                }
            }
        }
        changed.retain(|root| self.followed.contains_key(root));
        self.deliver_new_events(changed).await;
    }

    fn wake(&self, root: &RunId) {
        if self.shared.connections.trees.owns(root) {
            // The registry may have ended.
            let _ = self.shared.node_parts.notices.send(LeaseNotice::Woken);
        }
    }

    /// Delivers the events of these trees that are new here. An error is left to the next look.
    async fn deliver_new_events(&mut self, roots: Vec<RunId>) {
        if roots.is_empty() {
            return;
        }
        if let Err(fault) = self.try_deliver_new_events(roots).await {
            tracing::warn!(%fault, "events of other nodes were not read");
        }
    }

    async fn try_deliver_new_events(&mut self, roots: Vec<RunId>) -> Result<(), StoreError> {
        let names: Vec<String> = roots.iter().map(RunId::to_string).collect();
        let newest = Sql::new("select root_id, seq from trees where root_id = any ($1)").with(names);
        let rows = read_all(&self.shared.connections, &[newest]).await?;
        for row in rows.iter().flatten() {
            let (root, newest) = (run_id(row, 0)?, unsigned(row, 1)?);
            let Some(last) = self.followed.get(&root).copied() else { continue };
            // A follower reads what came before the first event that it is told of.
            let after = last.unwrap_or_else(|| newest.saturating_sub(1));
            // More than are read at once follow with the next look.
            let last = if newest > after { self.deliver(&root, after).await? } else { after };
            self.followed.insert(root, Some(last));
        }
        Ok(())
    }

    /// Delivers the events of a tree after a number, and returns the number of the last one.
    async fn deliver(&self, root: &RunId, after: u64) -> Result<u64, StoreError> {
        let sql = "select seq, run_id, at, body, root_id from events where root_id = $1 and seq > $2 order by seq limit $3";
        let read = Sql::new(sql).with(root).with(after).with(EVENTS_AT_ONCE);
        let rows = read_all(&self.shared.connections, &[read]).await?;
        let events = rows.iter().flatten().map(event_row).collect::<Result<Vec<_>, _>>()?;
        let last = events.last().map_or(after, |event| event.seq);
        self.shared.observe_elsewhere(LogAdditions { events, ..LogAdditions::default() });
        Ok(last)
    }
}

async fn next_text(line: &mut Option<HintLine>) -> Option<String> {
    match line {
        Some(line) => line.texts.next().await,
        None => std::future::pending().await,
    }
}

/// First line of the texts that this node sends, by which it knows its own.
fn own_mark(shared: &Shared) -> String {
    shared.connections.trees.node().map(|node| node.to_string()).unwrap_or_default()
}

/// Joins lines into texts of notifications, each with the mark as its first line.
fn join_lines(mark: &str, lines: BTreeSet<String>) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for line in lines {
        match texts.last_mut().filter(|text| text.len() + line.len() < LONGEST_TEXT) {
            Some(text) => {
                text.push('\n');
                text.push_str(&line);
            }
            None => texts.push(format!("{mark}\n{line}")),
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_sent_once_each_in_texts_that_the_server_takes() {
        let lines: BTreeSet<String> = (0..2_000).map(|n| format!("event run-{}", n % 1_000)).collect();
        let texts = join_lines("me", lines.clone());
        assert!(texts.len() > 1 && texts.iter().all(|text| text.len() < 8_000 && text.starts_with("me\n")));
        let sent: Vec<&str> = texts.iter().flat_map(|text| text.lines().skip(1)).collect();
        assert_eq!(sent.len(), 1_000);
        assert!(lines.iter().all(|line| sent.contains(&line.as_str())));
        assert!(join_lines("me", BTreeSet::new()).is_empty());
    }
}
