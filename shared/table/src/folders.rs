//! Folders: in their space's partition, by id, by the folder they are in, by their name there; and
//! whose a bare id is.
//!
//! Invariants: folders never form a circle, and are never deeper than they may be. Whoever puts one
//! into another does so on the condition that each folder around it is where it was read, so that
//! of two moves that would form a circle together one comes second and is refused. Each folder
//! knows how many are in it, and how deep: whoever comes or goes is counted by all that are around
//! it.

use domain::{Completion, Folder, FolderChain, FolderId, FolderName, Space, SpaceId, Timestamp};
use serde::{Deserialize, Serialize};
use tracing::instrument;

use crate::{
    Key, Reason, Table, TableError, WriteError,
    condition::{Condition, number, text},
    transaction::Transaction,
};

/// Whose a folder is.
#[derive(Serialize, Deserialize)]
pub(crate) struct FolderOwner {
    pub(crate) space_id: SpaceId,
}

/// That a folder is right in another one, or has a name there.
#[derive(Serialize, Deserialize)]
pub(crate) struct Child {
    pub(crate) id: FolderId,
}

/// What becomes of a folder around one that comes or goes: it has to be where it was read.
struct Adjustment<'a> {
    folder: &'a Folder,
    /// How many folders more are in it, by how deep they are.
    count_deltas: Vec<i64>,
    /// Whether it has to be open.
    has_to_be_open: bool,
}

/// How many folders come or go with one, as all that are around it count them: `sign` says which.
fn counted<'a>(
    folder: &Folder,
    around: &'a FolderChain,
    sign: i64,
) -> impl Iterator<Item = (&'a Folder, Vec<i64>)> {
    let own: Vec<i64> = [1]
        .into_iter()
        .chain(
            folder
                .descendant_counts
                .iter()
                .map(|count| count.cast_signed()),
        )
        .collect();
    let depth = around.depth();
    around
        .folders()
        .iter()
        .enumerate()
        .map(move |(index, outer)| {
            let levels = (0..outer.descendant_counts.len()).map(|level| {
                let deeper = (level + index + 1)
                    .checked_sub(depth)
                    .and_then(|level| own.get(level));
                sign * deeper.copied().unwrap_or_default()
            });
            (outer, levels.collect())
        })
}

impl Table {
    /// Writes a new folder, in the last of some folders or at the top, in a space that is as it was
    /// read.
    #[instrument(skip_all)]
    pub async fn create_folder(
        &self,
        folder: &Folder,
        around: &FolderChain,
        space: &Space,
        completion: Option<&Completion>,
    ) -> Result<(), WriteError> {
        let child = Child { id: folder.id };
        let parent = folder.parent_id();
        let owner = FolderOwner {
            space_id: folder.space_id,
        };
        let mut transaction = self.transaction();
        transaction.insert(
            Key::folder_name(folder.space_id, parent, &folder.name),
            &child,
            Reason::NameTaken,
        );
        transaction.insert(
            Key::folder(folder.space_id, folder.id),
            folder,
            Reason::IdTaken,
        );
        transaction.insert(Key::folder_owner(folder.id), &owner, Reason::IdTaken);
        transaction.insert(
            Key::child(folder.space_id, parent, folder.id),
            &child,
            Reason::IdTaken,
        );
        let is_as_read = Condition::version(space.version);
        transaction.check(Key::space(space.id), &is_as_read, Reason::VersionConflict);
        transaction.adjust_around(folder, around, &FolderChain::default(), self.env.now())?;
        transaction.commit_with(completion).await
    }

    /// Replaces the version of a folder that a change was made from, where it is. Returns the new
    /// version.
    #[instrument(skip_all)]
    pub async fn change_folder(&self, from: &Folder, to: &Folder) -> Result<u64, WriteError> {
        let to = &Folder {
            version: from.version + 1,
            ..to.clone()
        };
        let mut transaction = self.transaction();
        transaction.replace_folder(from, to);
        transaction.commit().await?;
        Ok(to.version)
    }

    /// The same of a folder that comes into the last of some others, or to the top, out of those
    /// that it was in.
    #[instrument(skip_all)]
    pub async fn move_folder(
        &self,
        from: &Folder,
        to: &Folder,
        around: &FolderChain,
        left: &FolderChain,
    ) -> Result<u64, WriteError> {
        let to = &Folder {
            version: from.version + 1,
            ..to.clone()
        };
        let mut transaction = self.transaction();
        transaction.replace_folder(from, to);
        transaction.delete(Key::child(from.space_id, from.parent_id(), from.id));
        transaction.put(
            Key::child(to.space_id, to.parent_id(), to.id),
            &Child { id: to.id },
        );
        transaction.adjust_around(to, around, left, self.env.now())?;
        transaction.commit().await?;
        Ok(to.version)
    }

    /// Removes a folder that is closed and as it was read, and has no folders in it, out of those
    /// that it was in.
    #[instrument(skip_all)]
    pub async fn remove_folder(
        &self,
        folder: &Folder,
        left: &FolderChain,
    ) -> Result<(), WriteError> {
        let is_it = Condition::equals("id", text(folder.id));
        let is_ours = Condition::equals("space_id", text(folder.space_id));
        let name = Key::folder_name(folder.space_id, folder.parent_id(), &folder.name);
        let mut transaction = self.transaction();
        transaction.delete_if(name, &is_it, Reason::VersionConflict);
        transaction.delete_version(Key::folder(folder.space_id, folder.id), folder.version);
        transaction.delete_if(
            Key::folder_owner(folder.id),
            &is_ours,
            Reason::VersionConflict,
        );
        transaction.delete(Key::child(folder.space_id, folder.parent_id(), folder.id));
        transaction.adjust_around(folder, &FolderChain::default(), left, self.env.now())?;
        transaction.commit().await
    }

    /// The folder of a name in another one, or at the top.
    #[instrument(skip_all)]
    pub async fn folder_named(
        &self,
        space: SpaceId,
        parent: Option<FolderId>,
        name: &FolderName,
    ) -> Result<Option<FolderId>, TableError> {
        let child: Option<Child> = self.get(Key::folder_name(space, parent, name)).await?;
        Ok(child.map(|child| child.id))
    }
}

impl Transaction<'_> {
    /// Replaces the version of a folder that a change was made from; with another name or place,
    /// frees the name that it had.
    fn replace_folder(&mut self, from: &Folder, to: &Folder) {
        let name =
            |folder: &Folder| Key::folder_name(folder.space_id, folder.parent_id(), &folder.name);
        let old = name(from);
        let new = name(to);
        if old != new {
            self.insert(new, &Child { id: to.id }, Reason::NameTaken);
            self.delete_if(
                old,
                &Condition::equals("id", text(from.id)),
                Reason::VersionConflict,
            );
        }
        self.replace(Key::folder(from.space_id, from.id), to, from.version);
    }

    /// Counts a folder among those of the last of some others, and no more among those of the ones
    /// that it leaves.
    fn adjust_around(
        &mut self,
        folder: &Folder,
        around: &FolderChain,
        left: &FolderChain,
        now: Timestamp,
    ) -> Result<(), WriteError> {
        let mut adjustments: Vec<Adjustment<'_>> = Vec::new();
        for (outer, count_deltas) in counted(folder, around, 1) {
            let has_to_be_open = around
                .leaf()
                .is_some_and(|innermost| innermost.id == outer.id);
            adjustments.push(Adjustment {
                folder: outer,
                count_deltas,
                has_to_be_open,
            });
        }
        for (outer, count_deltas) in counted(folder, left, -1) {
            match adjustments
                .iter_mut()
                .find(|known| known.folder.id == outer.id)
            {
                // The two chains were not read at one moment, and one of them is old.
                Some(known) if known.folder.parent_id() != outer.parent_id() => {
                    return Err(WriteError::ConditionFailed(Reason::VersionConflict));
                }
                // A transaction has one operation for each item.
                Some(known) => known
                    .count_deltas
                    .iter_mut()
                    .zip(count_deltas)
                    .for_each(|(count, more)| *count += more),
                None => adjustments.push(Adjustment {
                    folder: outer,
                    count_deltas,
                    has_to_be_open: false,
                }),
            }
        }
        for adjustment in &adjustments {
            self.adjust(adjustment, now);
        }
        Ok(())
    }

    fn adjust(&mut self, adjustment: &Adjustment<'_>, now: Timestamp) {
        let Adjustment {
            folder,
            count_deltas,
            has_to_be_open,
        } = adjustment;
        let key = Key::folder(folder.space_id, folder.id);
        let mut condition = if *has_to_be_open {
            open_folder(now)
        } else {
            Condition::exists()
        };
        condition = match folder.parent_id() {
            None => condition
                .and("attribute_not_exists(#parent)")
                .name("parent", "parent"),
            Some(parent) => {
                let condition = condition
                    .and("#parent.#id = :parent")
                    .value("parent", text(parent));
                condition.name("parent", "parent").name("id", "id")
            }
        };

        let mut sums = Vec::new();
        for (level, more) in count_deltas
            .iter()
            .enumerate()
            .filter(|(_, more)| **more != 0)
        {
            sums.push(format!(
                "#descendant_counts[{level}] = #descendant_counts[{level}] + :more{level}"
            ));
            condition = condition
                .name("descendant_counts", "descendant_counts")
                .value(&format!("more{level}"), number(more));
            if *more < 0 {
                // Nobody takes out what is not there.
                let least = format!("#descendant_counts[{level}] >= :least{level}");
                condition = condition
                    .and(&least)
                    .value(&format!("least{level}"), number(more.unsigned_abs()));
            }
        }
        if sums.is_empty() {
            return self.check(key, &condition, Reason::VersionConflict);
        }
        let update = format!("SET {} ADD #version :one", sums.join(", "));
        let condition = condition.name("version", "version").value("one", number(1));
        self.update(key, &update, &condition, Reason::VersionConflict);
    }
}

/// Holds if a folder exists and is not being deleted.
pub(crate) fn open_folder(now: Timestamp) -> Condition {
    Condition::exists()
        .and("(attribute_not_exists(#delete_lock) OR #delete_lock.#expires_at <= :now)")
        .name("delete_lock", "delete_lock")
        .name("expires_at", "expires_at")
        .value("now", number(now.ms()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::FolderRef;

    /// A folder whose id ends in a digit, in others.
    fn folder(digit: u32, above: &[FolderId]) -> Folder {
        let id = format!("0000000000000000000000000{digit}")
            .parse()
            .expect("a ULID");
        let name = FolderName::parse(&digit.to_string()).expect("a name");
        let parent = above.split_last().map(|(id, above)| FolderRef {
            id: *id,
            ancestor_ids: above.to_vec(),
        });
        Folder::new(id, SpaceId::MIN, name, parent, Timestamp::from_ms(0))
    }

    #[test]
    fn whoever_is_around_counts_what_comes_by_how_deep_it_is_then() {
        let outer = folder(1, &[]);
        let inner = folder(2, &[outer.id]);
        let around = FolderChain::default()
            .with_leaf(outer.clone())
            .with_leaf(inner.clone());
        let mut comes = folder(3, &[outer.id, inner.id]);
        comes.descendant_counts[..2].copy_from_slice(&[4, 7]);
        let counts: Vec<(FolderId, Vec<i64>)> = counted(&comes, &around, -1)
            .map(|(folder, count_deltas)| (folder.id, count_deltas[..5].to_vec()))
            .collect();
        assert_eq!(
            counts,
            [
                (outer.id, vec![0, -1, -4, -7, 0]),
                (inner.id, vec![-1, -4, -7, 0, 0])
            ]
        );
    }

    #[tokio::test]
    async fn chains_that_were_read_at_two_moments_move_nothing() {
        let table = crate::retry::tests::table();
        let (a, b) = (folder(1, &[]), folder(2, &[]));
        let b_before = folder(2, &[a.id]);
        let comes = folder(3, &[b.id]);
        let chain = |folders: &[&Folder]| {
            folders.iter().fold(FolderChain::default(), |chain, one| {
                chain.with_leaf((*one).clone())
            })
        };
        let now = Timestamp::from_ms(0);
        let operations = |left| {
            let mut transaction = table.transaction();
            transaction
                .adjust_around(&comes, &chain(&[&b]), &left, now)
                .map(|()| transaction.len())
        };
        let stale = operations(chain(&[&a, &b_before]));
        assert!(matches!(
            stale,
            Err(WriteError::ConditionFailed(Reason::VersionConflict))
        ));
        assert_eq!(operations(chain(&[&b])).ok(), Some(1));
        assert_eq!(operations(chain(&[&a])).ok(), Some(2));
    }
}
