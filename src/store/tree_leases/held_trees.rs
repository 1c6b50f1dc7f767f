//! Trees whose leases this process holds, and the fences by which its writes prove that.

use crate::ids::RunId;
use crate::store::error::StoreError;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use uuid::Uuid;

/// Trees that a node holds. Without a node all writes are let through: the process is a tool, or a test.
#[derive(Debug, Default)]
pub struct HeldTrees(Mutex<Held>);

#[derive(Debug, Default)]
struct Held {
    /// True once the process has joined the nodes of the store.
    is_node: bool,
    /// Id of the node while it is registered.
    node: Option<Uuid>,
    /// Epoch of each tree.
    epochs: HashMap<RunId, i64>,
}

/// The tree that a write of its owner is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeasedTree<'t> {
    Root(&'t RunId),
    /// The tree of this run, which may have been deleted.
    OfRun(&'t RunId),
}

/// Proof of a lease. A write whose proof is outdated is not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fence {
    Tree { root: RunId, node: Uuid, epoch: i64 },
    TreeOfRun { run: RunId, node: Uuid },
}

impl HeldTrees {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the work as this node, which holds no tree yet.
    pub fn join(&self, node: Uuid) {
        *self.held() = Held { is_node: true, node: Some(node), epochs: HashMap::new() };
    }

    /// Loses all trees: none of their writes is sent any more.
    pub fn lose_all(&self) {
        let mut held = self.held();
        (held.node, held.epochs) = (None, HashMap::new());
    }

    /// Gives all trees up, and stays the node that it is.
    pub fn give_up_all(&self) {
        self.held().epochs.clear();
    }

    /// True once the process has joined the nodes of the store.
    pub fn is_node(&self) -> bool {
        self.held().is_node
    }

    /// Returns the id of the node while it is registered.
    pub fn node(&self) -> Option<Uuid> {
        self.held().node
    }

    /// Adds the lease of a tree that `node` was given, unless the process is another node by now.
    pub fn add(&self, node: Uuid, root: RunId, epoch: i64) {
        let mut held = self.held();
        if held.node == Some(node) {
            held.epochs.insert(root, epoch);
        }
    }

    pub fn remove(&self, root: &RunId) {
        self.held().epochs.remove(root);
    }

    /// Returns the roots of all trees.
    pub fn roots(&self) -> Vec<RunId> {
        self.held().epochs.keys().cloned().collect()
    }

    /// True if the process may step the runs of the tree.
    pub fn owns(&self, root: &RunId) -> bool {
        let held = self.held();
        !held.is_node || held.epochs.contains_key(root)
    }

    /// Returns the fence for a write about this tree; `None` if it needs none.
    pub fn fence(&self, tree: Option<LeasedTree<'_>>) -> Result<Option<Fence>, StoreError> {
        let held = self.held();
        let Some(tree) = tree.filter(|_| held.is_node) else { return Ok(None) };
        let node = held.node.ok_or(StoreError::LeaseLost)?;
        Ok(Some(match tree {
            LeasedTree::OfRun(run) => Fence::TreeOfRun { run: run.clone(), node },
            LeasedTree::Root(root) => {
                let epoch = *held.epochs.get(root).ok_or(StoreError::LeaseLost)?;
                Fence::Tree { root: root.clone(), node, epoch }
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trees_of_the_node_pass_its_fence() {
        let (trees, root) = (HeldTrees::default(), RunId::from("root"));
        let tree = Some(LeasedTree::Root(&root));
        assert!(trees.owns(&root) && trees.fence(tree).unwrap().is_none(), "no node");
        let (first, second) = (Uuid::from_u128(1), Uuid::from_u128(2));
        trees.join(first);
        assert!(!trees.owns(&root) && matches!(trees.fence(tree), Err(StoreError::LeaseLost)));
        trees.add(first, root.clone(), 7);
        assert_eq!(
            trees.fence(tree).unwrap(),
            Some(Fence::Tree { root: root.clone(), node: first, epoch: 7 })
        );
        assert!(trees.owns(&root) && trees.fence(None).unwrap().is_none());
        trees.lose_all();
        assert!(trees.is_node() && matches!(trees.fence(tree), Err(StoreError::LeaseLost)));
        trees.join(second);
        // The reply to a claim of the earlier node.
        trees.add(first, root.clone(), 8);
        assert!(!trees.owns(&root));
        trees.add(second, root.clone(), 9);
        trees.remove(&root);
        assert_eq!(trees.roots(), []);
    }
}
