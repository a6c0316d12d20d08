//! Lists of files, narrowed down.
//!
//! What is searched for, a tag and a folder have ranges of their own, of which the first that is asked for is read; all else
//! is looked at file by file. However few fit, no page reads more than so many files: it ends there, short or empty, and
//! says that there are more.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    str::FromStr,
};

use domain::{File, FileFilter, FileId, FileStatus, NotAnId, Reference, Space, SpaceId, UserId};

use crate::{
    Error, Key, Listing, Page, Start, Table,
    file_index::{Entry, NAME_CHARACTERS, name_beginning, named_sort},
    files::FileOwner,
    key::{FILES, files_in, files_named, files_of_reference, files_of_tag, space_partition},
    read::Range,
};

/// Most files that one page looks at.
const READ_FILES: usize = 1_000;
/// Files that are looked at together.
const TOGETHER: u16 = 100;
/// Most spaces of a user that are looked at together.
const SPACES_TOGETHER: usize = 50;
/// Files of one reference that are looked at first for the newest that is there.
const REFERENCED: u16 = 10;

/// Where a file stands in a list: those that are searched for by name run by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlace {
    id: FileId,
    name: Option<String>,
}

impl fmt::Display for FilePlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}", self.id, self.name.as_deref().unwrap_or_default())
    }
}

impl FromStr for FilePlace {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<FilePlace, NotAnId> {
        let (id, name) = text.split_at_checked(FileId::LENGTH).ok_or(NotAnId)?;
        Ok(FilePlace { id: id.parse()?, name: Some(name.to_owned()).filter(|name| !name.is_empty()) })
    }
}

/// The range of the table that a list is read from.
enum Source {
    /// The files' own records.
    Records,
    /// Entries whose sort keys begin so and end in the file's id.
    Entries(String),
    /// Entries by name, whose sort keys begin so.
    Names(String),
}

impl Source {
    fn of(filter: &FileFilter) -> Source {
        if let Some(prefix) = &filter.search {
            let beginning: String = prefix.as_str().chars().take(NAME_CHARACTERS).collect();
            Source::Names(files_named(&beginning))
        } else if let Some(tag) = &filter.tag {
            Source::Entries(files_of_tag(tag))
        } else if let Some(folder) = filter.folder {
            Source::Entries(files_in(folder))
        } else {
            Source::Records
        }
    }

    /// Whether a filter asks for nothing beyond what the range holds.
    fn is_all_of(&self, filter: &FileFilter) -> bool {
        let mut rest = filter.clone();
        match self {
            Source::Records => {}
            Source::Names(_) => rest.search = None,
            Source::Entries(_) if rest.tag.is_some() => rest.tag = None,
            Source::Entries(_) => rest.folder = None,
        }
        rest == FileFilter::default()
    }
}

impl Table {
    /// A page of the files of a space that a filter admits, newest first, or by name where a name is searched for. Gaps stand
    /// for those that it does not admit.
    pub async fn list_files(
        &self,
        space: SpaceId,
        filter: &FileFilter,
        listing: Listing<FilePlace>,
    ) -> Result<Page<(FilePlace, Option<File>)>, Error> {
        let (source, limit) = (Source::of(filter), usize::from(listing.limit));
        let is_newer = matches!(listing.start, Start::NewerThan(_) | Start::NewerFrom(_));
        let mut together = if source.is_all_of(filter) { listing.limit } else { TOGETHER };
        let (mut start, mut found, mut admitted) = (listing.start, Vec::new(), 0);
        let more = loop {
            let page = self.files_of(space, &source, Listing { start: start.clone(), limit: together }).await?;
            let mut records = page.records;
            if is_newer {
                records.reverse();
            }
            let mut left = records.len();
            for (place, file) in records {
                let file = file.filter(|file| filter.admits(file));
                admitted += usize::from(file.is_some());
                found.push((place, file));
                left -= 1;
                if admitted == limit {
                    break;
                }
            }
            if admitted == limit || !page.more || found.len() >= READ_FILES {
                break page.more || left > 0;
            }
            let Some((last, _)) = found.last() else { break false };
            together = TOGETHER;
            start = if is_newer { Start::NewerThan(last.clone()) } else { Start::OlderThan(last.clone()) };
        };
        if is_newer {
            found.reverse();
        }
        Ok(Page { records: found, more })
    }

    /// Returns the newest active file of a space with this reference.
    pub async fn file_by_reference(&self, space: SpaceId, reference: &Reference) -> Result<Option<File>, Error> {
        let source = Source::Entries(files_of_reference(reference));
        let mut listing = Listing { start: Start::Newest, limit: REFERENCED };
        loop {
            let page = self.files_of(space, &source, listing).await?;
            let last = page.records.last().map(|(place, _)| place.clone());
            let mut files = page.records.into_iter().filter_map(|(_, file)| file);
            let is_found =
                |file: &File| file.status == FileStatus::Active && file.reference.as_ref() == Some(reference);
            let found = files.find(is_found);
            let Some(last) = last.filter(|_| found.is_none() && page.more) else { return Ok(found) };
            // Entries without a file are rare: only active files have one.
            listing = Listing { start: Start::OlderThan(last), limit: TOGETHER };
        }
    }

    /// The files of a space with these ids, at most a hundred: those that are there.
    pub async fn files(&self, space: SpaceId, ids: &[FileId]) -> Result<HashMap<FileId, File>, Error> {
        let mut found = self.get_together(ids.iter().map(|id| Key::file(space, *id))).await?;
        let mut files = HashMap::new();
        for id in ids {
            files.extend(found.take(&Key::file(space, *id))?.map(|file| (*id, file)));
        }
        Ok(files)
    }

    /// Those of these files, at most a hundred, that are in a space of a user, each with its space.
    pub async fn files_of_user(&self, user: UserId, ids: &[FileId]) -> Result<HashMap<FileId, (Space, File)>, Error> {
        let mut owners = self.get_together(ids.iter().map(|id| Key::file_owner(*id))).await?;
        let mut places = Vec::new();
        for id in ids {
            let owner: Option<FileOwner> = owners.take(&Key::file_owner(*id))?;
            places.extend(owner.and_then(|owner| owner.space_id).map(|space| (space, *id)));
        }
        let spaces: BTreeSet<SpaceId> = places.iter().map(|(space, _)| *space).collect();
        let mut known = HashMap::new();
        for spaces in spaces.into_iter().collect::<Vec<_>>().chunks(SPACES_TOGETHER) {
            known.extend(self.spaces_of(user, spaces).await?);
        }
        places.retain(|(space, _)| known.contains_key(space));
        let key = |(space, id): &(SpaceId, FileId)| Key::file(*space, *id);
        let mut files = self.get_together(places.iter().map(key)).await?;
        let mut found = HashMap::new();
        for place in &places {
            let file: Option<File> = files.take(&key(place))?;
            found.extend(known.get(&place.0).cloned().zip(file).map(|found| (place.1, found)));
        }
        Ok(found)
    }

    /// A page of a source, each file where it is there and is rightly found there.
    async fn files_of(
        &self,
        space: SpaceId,
        source: &Source,
        listing: Listing<FilePlace>,
    ) -> Result<Page<(FilePlace, Option<File>)>, Error> {
        let range = |beginning: &str, rises| Range {
            partition: space_partition(space),
            beginning: beginning.to_owned(),
            rises,
        };
        let page: Page<Entry> = match source {
            Source::Records => {
                let sort = |place: FilePlace| format!("{FILES}{}", place.id);
                let page: Page<File> = self.page_of(range(FILES, false), listing, sort).await?;
                let place = |file: File| (FilePlace { id: file.id, name: None }, Some(file));
                return Ok(Page { records: page.records.into_iter().map(place).collect(), more: page.more });
            }
            Source::Entries(beginning) => {
                let sort = |place: FilePlace| format!("{beginning}{}", place.id);
                self.page_of(range(beginning, false), listing, sort).await?
            }
            Source::Names(beginning) => {
                let sort = |place: FilePlace| named_sort(&place.name.unwrap_or_default(), place.id);
                self.page_of(range(beginning, true), listing, sort).await?
            }
        };
        let ids: Vec<FileId> = page.records.iter().map(|entry| entry.id).collect();
        let mut files = self.files(space, &ids).await?;
        let record = |Entry { id, name }: Entry| {
            let is_meant = |file: &File| name.as_ref().is_none_or(|name| *name == name_beginning(file));
            let file = files.remove(&id).filter(is_meant);
            (FilePlace { id, name }, file)
        };
        Ok(Page { records: page.records.into_iter().map(record).collect(), more: page.more })
    }
}
