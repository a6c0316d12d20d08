//! Folders: in their space's partition, by id, by the folder they are in, by their name there; and whose a bare id is.
//!
//! Invariants: folders never form a circle, and are never deeper than they may be. Whoever puts one into another does so on
//! the condition that each folder around it is where it was read, so that of two moves that would form a circle together
//! one comes second and is refused. Each folder knows how many are in it, and how deep: whoever comes or goes is counted by
//! all that are around it.

use aws_sdk_dynamodb::types::{
    AttributeValue, ConditionCheck, TransactWriteItem, Update,
    builders::{ConditionCheckBuilder, UpdateBuilder},
};
use domain::{Folder, FolderChain, FolderId, FolderName, Space, SpaceId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Completion, Error, Key, Table, key::PARTITION, write::NotWritten};

/// Why a folder was not written.
#[derive(Debug)]
pub enum FolderRefused {
    /// Another folder in the same one has its name.
    NameTaken,
    /// Somebody changed it, a folder around it, or its space in the meantime, or one of them is gone.
    Stale,
    /// The table failed.
    Failed(Error),
}

impl From<Error> for FolderRefused {
    fn from(error: Error) -> FolderRefused {
        FolderRefused::Failed(error)
    }
}

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

/// The place of the new name among the members of what gives a folder one.
const NAME_MEMBER: usize = 0;

/// What becomes of a folder around one that comes or goes: it has to be where it was read.
struct Adjustment<'a> {
    folder: &'a Folder,
    /// How many folders more are in it, by how deep they are.
    within: Vec<i64>,
    /// Whether it has to be open.
    has_to_be_open: bool,
}

/// How many folders come or go with one, as all that are around it count them: `sign` says which.
fn counted<'a>(folder: &Folder, around: &'a FolderChain, sign: i64) -> impl Iterator<Item = (&'a Folder, Vec<i64>)> {
    let own: Vec<i64> = [1].into_iter().chain(folder.within.iter().map(|count| count.cast_signed())).collect();
    let depth = around.depth();
    around.folders().iter().enumerate().map(move |(index, outer)| {
        let levels = (0..outer.within.len()).map(|level| {
            let deeper = (level + index + 1).checked_sub(depth).and_then(|level| own.get(level));
            sign * deeper.copied().unwrap_or_default()
        });
        (outer, levels.collect())
    })
}

impl Table {
    /// Writes a new folder, in the last of some folders or at the top, in a space that is as it was read.
    pub async fn create_folder(
        &self,
        folder: &Folder,
        around: &FolderChain,
        space: &Space,
        completion: Option<&Completion>,
    ) -> Result<(), FolderRefused> {
        let child = Child { id: folder.id };
        let parent = folder.parent_id();
        let mut members = vec![
            self.put_new(Key::folder_name(folder.space_id, parent, &folder.name), &child)?,
            self.put_new(Key::folder(folder.space_id, folder.id), folder)?,
            self.put_new(Key::folder_owner(folder.id), &FolderOwner { space_id: folder.space_id })?,
            self.put_new(Key::child(folder.space_id, parent, folder.id), &child)?,
            self.is_space_version(space)?,
        ];
        members.extend(self.members_around(folder, around, &FolderChain::default(), self.sources.now())?);
        self.write_folder(members, true, completion).await
    }

    /// Writes a changed folder over the one that it was made from, where it is. Gives the version that was written.
    pub async fn change_folder(&self, from: &Folder, to: &Folder) -> Result<u64, FolderRefused> {
        let to = &Folder { version: from.version + 1, ..to.clone() };
        let mut members = self.members_of_name(from, to)?;
        let is_named = !members.is_empty();
        members.push(self.put_over(Key::folder(from.space_id, from.id), to, is_version(from))?);
        self.write_folder(members, is_named, None).await?;
        Ok(to.version)
    }

    /// The same of a folder that comes into the last of some others, or to the top, out of those that it was in.
    pub async fn move_folder(
        &self,
        from: &Folder,
        to: &Folder,
        around: &FolderChain,
        left: &FolderChain,
    ) -> Result<u64, FolderRefused> {
        let to = &Folder { version: from.version + 1, ..to.clone() };
        let mut members = self.members_of_name(from, to)?;
        let is_named = !members.is_empty();
        members.push(self.put_over(Key::folder(from.space_id, from.id), to, is_version(from))?);
        members.push(self.delete_any(Key::child(from.space_id, from.parent_id(), from.id))?);
        members.push(self.put_any(Key::child(to.space_id, to.parent_id(), to.id), &Child { id: to.id })?);
        members.extend(self.members_around(to, around, left, self.sources.now())?);
        self.write_folder(members, is_named, None).await?;
        Ok(to.version)
    }

    /// Removes a folder that is closed and as it was read, and has no folders in it, out of those that it was in.
    pub async fn remove_folder(&self, folder: &Folder, left: &FolderChain) -> Result<(), FolderRefused> {
        let is_it = ("id", AttributeValue::S(folder.id.to_string()));
        let is_ours = ("space_id", AttributeValue::S(folder.space_id.to_string()));
        let name = Key::folder_name(folder.space_id, folder.parent_id(), &folder.name);
        let mut members = vec![
            self.delete_where(name, is_it)?,
            self.delete_where(Key::folder(folder.space_id, folder.id), is_version(folder))?,
            self.delete_where(Key::folder_owner(folder.id), is_ours)?,
            self.delete_any(Key::child(folder.space_id, folder.parent_id(), folder.id))?,
        ];
        members.extend(self.members_around(folder, &FolderChain::default(), left, self.sources.now())?);
        self.write_folder(members, false, None).await
    }

    /// Writes; where it `is_named`, the first member is the new name.
    async fn write_folder(
        &self,
        members: Vec<TransactWriteItem>,
        is_named: bool,
        completion: Option<&Completion>,
    ) -> Result<(), FolderRefused> {
        match self.transact(members, completion).await {
            Ok(()) => Ok(()),
            Err(NotWritten::Refused(refused)) if is_named && refused == [NAME_MEMBER] => Err(FolderRefused::NameTaken),
            Err(NotWritten::Refused(_)) => Err(FolderRefused::Stale),
            Err(NotWritten::Failed(error)) => Err(error.into()),
        }
    }

    /// The members that give a folder its name where it is, and free the one that it had: first the new name; none, where it
    /// is the same.
    fn members_of_name(&self, from: &Folder, to: &Folder) -> Result<Vec<TransactWriteItem>, Error> {
        let key = |folder: &Folder| Key::folder_name(folder.space_id, folder.parent_id(), &folder.name);
        let (old, new) = (key(from), key(to));
        if old == new {
            return Ok(Vec::new());
        }
        let is_it = ("id", AttributeValue::S(from.id.to_string()));
        Ok(vec![self.put_new(new, &Child { id: to.id })?, self.delete_where(old, is_it)?])
    }

    /// The members that put a folder into the last of some others, and take it out of those that it leaves.
    fn members_around(
        &self,
        folder: &Folder,
        around: &FolderChain,
        left: &FolderChain,
        now: Timestamp,
    ) -> Result<Vec<TransactWriteItem>, FolderRefused> {
        let mut adjustments: Vec<Adjustment<'_>> = Vec::new();
        for (outer, within) in counted(folder, around, 1) {
            let has_to_be_open = around.innermost().is_some_and(|innermost| innermost.id == outer.id);
            adjustments.push(Adjustment { folder: outer, within, has_to_be_open });
        }
        for (outer, within) in counted(folder, left, -1) {
            match adjustments.iter_mut().find(|known| known.folder.id == outer.id) {
                // The two chains were not read at one moment, and one of them is old.
                Some(known) if known.folder.parent_id() != outer.parent_id() => return Err(FolderRefused::Stale),
                // A transaction has one member for each item.
                Some(known) => known.within.iter_mut().zip(within).for_each(|(count, more)| *count += more),
                None => adjustments.push(Adjustment { folder: outer, within, has_to_be_open: false }),
            }
        }
        let members = adjustments.iter().map(|adjustment| self.adjust(adjustment, now));
        Ok(members.collect::<Result<_, Error>>()?)
    }

    fn adjust(&self, adjustment: &Adjustment<'_>, now: Timestamp) -> Result<TransactWriteItem, Error> {
        let Adjustment { folder, within, has_to_be_open } = adjustment;
        let mut condition = Condition::default();
        condition.linked(folder);
        if *has_to_be_open {
            condition.open(now);
        }
        let key = Key::folder(folder.space_id, folder.id);
        let changed: Vec<(usize, i64)> = within.iter().copied().enumerate().filter(|(_, more)| *more != 0).collect();
        if changed.is_empty() {
            return self.check(condition.of_check(), key);
        }
        for (level, more) in changed.iter().filter(|(_, more)| *more < 0) {
            condition.at_least(*level, more.unsigned_abs());
        }
        let sums: Vec<String> =
            changed.iter().map(|(level, _)| format!("#within[{level}] = #within[{level}] + :more{level}")).collect();
        let update = condition
            .of_update()
            .update_expression(format!("SET {} ADD #version :one", sums.join(", ")))
            .expression_attribute_names("#version", "version")
            .expression_attribute_names("#within", "within")
            .expression_attribute_values(":one", AttributeValue::N("1".to_owned()));
        let update = changed.iter().fold(update, |update, (level, more)| {
            update.expression_attribute_values(format!(":more{level}"), AttributeValue::N(more.to_string()))
        });
        let update = update.table_name(&self.name).set_key(Some(key.attributes())).build();
        Ok(TransactWriteItem::builder().update(update.map_err(|error| Error::Refused(error.into()))?).build())
    }

    /// The member that holds where a folder is there, and not about to go.
    pub(crate) fn is_open(&self, space: SpaceId, folder: FolderId, now: Timestamp) -> Result<TransactWriteItem, Error> {
        let mut condition = Condition::default();
        condition.open(now);
        self.check(condition.of_check(), Key::folder(space, folder))
    }

    fn is_space_version(&self, space: &Space) -> Result<TransactWriteItem, Error> {
        let mut condition = Condition::default();
        condition.version(space.version);
        self.check(condition.of_check(), Key::space(space.id))
    }

    /// The folder of a name in another one, or at the top.
    pub async fn folder_named(
        &self,
        space: SpaceId,
        parent: Option<FolderId>,
        name: &FolderName,
    ) -> Result<Option<FolderId>, Error> {
        let child: Option<Child> = self.get(Key::folder_name(space, parent, name)).await?;
        Ok(child.map(|child| child.id))
    }
}

/// A condition in the making: all parts have to hold, and first that the record is there.
struct Condition {
    parts: Vec<String>,
    names: Vec<(&'static str, &'static str)>,
    values: Vec<(String, AttributeValue)>,
}

impl Default for Condition {
    fn default() -> Condition {
        let exists = "attribute_exists(#partition)".to_owned();
        Condition { parts: vec![exists], names: vec![("#partition", PARTITION)], values: Vec::new() }
    }
}

impl Condition {
    /// The folder is in the one that it was read in.
    fn linked(&mut self, folder: &Folder) {
        self.names.push(("#parent", "parent"));
        match folder.parent_id() {
            None => self.parts.push("attribute_not_exists(#parent)".to_owned()),
            Some(parent) => {
                self.parts.push("#parent.#id = :parent".to_owned());
                self.names.push(("#id", "id"));
                self.values.push((":parent".to_owned(), AttributeValue::S(parent.to_string())));
            }
        }
    }

    /// Nobody is about to delete the folder.
    fn open(&mut self, now: Timestamp) {
        self.parts.push("(attribute_not_exists(#closing) OR #closing.#ends_at <= :now)".to_owned());
        self.names.extend([("#closing", "closing"), ("#ends_at", "ends_at")]);
        self.values.push((":now".to_owned(), AttributeValue::N(now.ms().to_string())));
    }

    /// Nobody has changed the record.
    fn version(&mut self, version: u64) {
        self.parts.push("#version = :version".to_owned());
        self.names.push(("#version", "version"));
        self.values.push((":version".to_owned(), AttributeValue::N(version.to_string())));
    }

    /// So many folders, or more, are in the folder at a level: nobody takes out what is not there.
    fn at_least(&mut self, level: usize, count: u64) {
        self.parts.push(format!("#within[{level}] >= :less{level}"));
        self.names.push(("#within", "within"));
        self.values.push((format!(":less{level}"), AttributeValue::N(count.to_string())));
    }

    fn of_check(self) -> ConditionCheckBuilder {
        let check = ConditionCheck::builder().condition_expression(self.parts.join(" AND "));
        let check = self.names.into_iter().fold(check, |check, (name, of)| check.expression_attribute_names(name, of));
        self.values.into_iter().fold(check, |check, (name, value)| check.expression_attribute_values(name, value))
    }

    fn of_update(self) -> UpdateBuilder {
        let update = Update::builder().condition_expression(self.parts.join(" AND "));
        let update =
            self.names.into_iter().fold(update, |update, (name, of)| update.expression_attribute_names(name, of));
        self.values.into_iter().fold(update, |update, (name, value)| update.expression_attribute_values(name, value))
    }
}

fn is_version(folder: &Folder) -> (&'static str, AttributeValue) {
    ("version", AttributeValue::N(folder.version.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::InFolder;

    /// A folder whose id ends in a digit, in others.
    fn folder(digit: u32, above: &[FolderId]) -> Folder {
        let id = format!("0000000000000000000000000{digit}").parse().expect("a ULID");
        let name = FolderName::parse(&digit.to_string()).expect("a name");
        let parent = above.split_last().map(|(id, above)| InFolder { id: *id, above: above.to_vec() });
        Folder::new(id, SpaceId::FIRST, name, parent, Timestamp::from_ms(0))
    }

    #[test]
    fn whoever_is_around_counts_what_comes_by_how_deep_it_is_then() {
        let outer = folder(1, &[]);
        let inner = folder(2, &[outer.id]);
        let around = FolderChain::default().with(outer.clone()).with(inner.clone());
        let mut comes = folder(3, &[outer.id, inner.id]);
        comes.within[..2].copy_from_slice(&[4, 7]);
        let counts: Vec<(FolderId, Vec<i64>)> =
            counted(&comes, &around, -1).map(|(folder, within)| (folder.id, within[..5].to_vec())).collect();
        assert_eq!(counts, [(outer.id, vec![0, -1, -4, -7, 0]), (inner.id, vec![-1, -4, -7, 0, 0])]);
    }

    #[tokio::test]
    async fn chains_that_were_read_at_two_moments_move_nothing() {
        let config = aws_sdk_dynamodb::Config::builder().behavior_version_latest().build();
        let table =
            Table::new(aws_sdk_dynamodb::Client::from_conf(config), "table".to_owned(), crate::retry::tests::sources());
        let (a, b) = (folder(1, &[]), folder(2, &[]));
        let b_before = folder(2, &[a.id]);
        let comes = folder(3, &[b.id]);
        let chain =
            |folders: &[&Folder]| folders.iter().fold(FolderChain::default(), |chain, one| chain.with((*one).clone()));
        let now = Timestamp::from_ms(0);
        let members = |left| table.members_around(&comes, &chain(&[&b]), &left, now);
        assert!(matches!(members(chain(&[&a, &b_before])), Err(FolderRefused::Stale)));
        assert_eq!(members(chain(&[&b])).map(|members| members.len()).ok(), Some(1));
        assert_eq!(members(chain(&[&a])).map(|members| members.len()).ok(), Some(2));
    }
}
