//! Parts of statements that walk run trees.

/// Table `tree`: the run `$1` and its descendants.
pub const WITH_TREE: &str = r#"with recursive tree (id) as (
    select $1 collate "C" union all select runs.id from runs join tree on runs.parent_id = tree.id)"#;

/// Table `above`: the run `$1` and its ancestors.
pub const WITH_ANCESTORS: &str = r#"with recursive above (id) as (
    select $1 collate "C" union all select parent_id from runs join above using (id) where parent_id is not null)"#;
