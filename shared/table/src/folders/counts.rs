//! Descendant counts: each folder stores the number of folders below it, per level.
//!
//! Invariants:
//! - A transaction that creates, moves or deletes a folder updates the counts of all its ancestors.
//! - It requires that each ancestor still has the parent that it was read with. So of two
//!   concurrent moves that would create a cycle together, the second fails.
//! - It requires that no ancestor was deleted with its contents.

use domain::{
    env::Timestamp,
    folders::{Folder, FolderChain},
};

use crate::{
    condition::{Condition, number, text},
    errors::{Reason, WriteError},
    folders::{existing_folder, unlocked_folder},
    key::Key,
    transaction::Transaction,
};

/// The ancestors that a folder gains and loses.
#[derive(Clone, Copy)]
pub(crate) struct AncestorChange<'a> {
    pub(crate) joined: &'a FolderChain,
    pub(crate) left: &'a FolderChain,
}

/// An ancestor and the change of its counts.
struct AncestorUpdate<'a> {
    folder: &'a Folder,
    /// Number added to each count, from the level directly below.
    added: Vec<i64>,
    /// Whether the ancestor must not be locked for deletion.
    must_be_unlocked: bool,
}

/// Returns the count changes of all ancestors of a folder that comes (`sign` 1) or goes (`sign` -1)
/// with its descendants.
fn ancestor_updates<'a>(
    folder: &Folder,
    ancestors: &'a FolderChain,
    sign: i64,
) -> Vec<AncestorUpdate<'a>> {
    // The folder itself, then its own descendants per level.
    let mut moved = vec![1];
    moved.extend(
        folder
            .descendant_counts
            .iter()
            .map(|count| count.cast_signed()),
    );

    let depth = ancestors.depth();
    let update = |(index, ancestor): (usize, &'a Folder)| {
        let added = (0..ancestor.descendant_counts.len()).map(|level| {
            let moved_level = (level + index + 1).checked_sub(depth);
            let count = moved_level.and_then(|level| moved.get(level));
            sign * count.copied().unwrap_or_default()
        });
        AncestorUpdate {
            folder: ancestor,
            added: added.collect(),
            must_be_unlocked: sign > 0 && index + 1 == depth,
        }
    };
    ancestors.folders().iter().enumerate().map(update).collect()
}

impl Transaction<'_> {
    /// Updates the counts of all ancestors that a folder gains and loses. Fails with
    /// [`Reason::VersionConflict`] if the two chains contradict each other.
    pub(crate) fn update_ancestors(
        &mut self,
        folder: &Folder,
        change: AncestorChange<'_>,
        now: Timestamp,
    ) -> Result<(), WriteError> {
        let mut updates = ancestor_updates(folder, change.joined, 1);
        for left in ancestor_updates(folder, change.left, -1) {
            // A transaction can have only one operation per item.
            let joined = updates
                .iter_mut()
                .find(|update| update.folder.id == left.folder.id);
            match joined {
                // The chains were read at different times, and one of them is outdated.
                Some(joined) if joined.folder.parent_id() != left.folder.parent_id() => {
                    return Err(WriteError::ConditionFailed(Reason::VersionConflict));
                }
                Some(joined) => {
                    for (sum, added) in joined.added.iter_mut().zip(left.added) {
                        *sum += added;
                    }
                }
                None => updates.push(left),
            }
        }

        for update in &updates {
            self.update_ancestor(update, now);
        }
        Ok(())
    }

    fn update_ancestor(&mut self, update: &AncestorUpdate<'_>, now: Timestamp) {
        let folder = update.folder;
        let key = Key::folder(folder.space_id, folder.id);
        let mut condition = parent_unchanged(update, now);

        let mut assignments = Vec::new();
        for (level, added) in update.added.iter().enumerate() {
            if *added == 0 {
                continue;
            }
            assignments.push(format!(
                "#counts[{level}] = #counts[{level}] + :added{level}"
            ));
            condition = condition
                .name("counts", "descendant_counts")
                .value(&format!("added{level}"), number(added));
            if *added < 0 {
                condition = condition
                    .and(&format!("#counts[{level}] >= :removed{level}"))
                    .value(&format!("removed{level}"), number(added.unsigned_abs()));
            }
        }

        if assignments.is_empty() {
            self.check(key, &condition, Reason::VersionConflict);
            return;
        }
        let expression = format!("SET {} ADD #version :one", assignments.join(", "));
        let condition = condition.name("version", "version").value("one", number(1));
        self.update(key, &expression, &condition, Reason::VersionConflict);
    }
}

/// Holds if an ancestor is not deleted, still has the parent that it was read with, and is unlocked
/// if it must be.
fn parent_unchanged(update: &AncestorUpdate<'_>, now: Timestamp) -> Condition {
    let condition = if update.must_be_unlocked {
        unlocked_folder(now)
    } else {
        existing_folder()
    };

    match update.folder.parent_id() {
        None => condition
            .and("attribute_not_exists(#parent)")
            .name("parent", "parent"),
        Some(parent) => condition
            .and("#parent.#id = :parent")
            .name("parent", "parent")
            .name("id", "id")
            .value("parent", text(parent)),
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        folders::{FolderName, FolderRef},
        id::{FolderId, SpaceId},
    };

    use super::*;

    /// Creates a folder whose id ends in a digit, below these ancestors.
    fn folder(digit: u32, ancestors: &[FolderId]) -> Folder {
        let id = format!("0000000000000000000000000{digit}")
            .parse()
            .expect("a ULID");
        let name = FolderName::parse(&digit.to_string()).expect("a valid name");
        let parent = ancestors.split_last().map(|(id, above)| FolderRef {
            id: *id,
            ancestor_ids: above.to_vec(),
        });
        Folder {
            parent,
            ..Folder::at_root(id, SpaceId::MIN, name, Timestamp::from_ms(0))
        }
    }

    fn chain(folders: &[&Folder]) -> FolderChain {
        folders.iter().fold(FolderChain::default(), |chain, one| {
            chain.with_leaf((*one).clone())
        })
    }

    #[test]
    fn ancestors_count_a_subtree_per_level_below_them() {
        let outer = folder(1, &[]);
        let inner = folder(2, &[outer.id]);
        let ancestors = chain(&[&outer, &inner]);
        let mut moved = folder(3, &[outer.id, inner.id]);
        moved.descendant_counts[..2].copy_from_slice(&[4, 7]);

        let updates = ancestor_updates(&moved, &ancestors, -1);

        let counts: Vec<_> = updates
            .iter()
            .map(|update| (update.folder.id, &update.added[..5]))
            .collect();
        assert_eq!(
            counts,
            [
                (outer.id, &[0, -1, -4, -7, 0][..]),
                (inner.id, &[-1, -4, -7, 0, 0][..])
            ]
        );
    }

    #[tokio::test]
    async fn move_between_contradictory_chains_is_a_version_conflict() {
        let table = crate::connection::retry::tests::table();
        let a = folder(1, &[]);
        let b = folder(2, &[]);
        let b_before = folder(2, &[a.id]);
        let moved = folder(3, &[b.id]);
        let operations = |left: &[&Folder]| {
            let mut transaction = table.transaction();
            let change = AncestorChange {
                joined: &chain(&[&b]),
                left: &chain(left),
            };
            transaction
                .update_ancestors(&moved, change, Timestamp::from_ms(0))
                .map(|()| transaction.len())
        };

        let contradictory = operations(&[&a, &b_before]);

        assert!(matches!(
            contradictory,
            Err(WriteError::ConditionFailed(Reason::VersionConflict))
        ));
        assert_eq!(operations(&[&b]).ok(), Some(1));
        assert_eq!(operations(&[&a]).ok(), Some(2));
    }
}
