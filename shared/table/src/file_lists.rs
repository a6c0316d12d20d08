//! Lists of files, narrowed down.
//!
//! What is searched for, a tag and a folder have ranges of their own, of which the first that is
//! asked for is read; all else is looked at file by file. However few fit, no page reads more than
//! so many files: it ends there, short or empty, and says that there are more.

use std::collections::{BTreeSet, HashMap};

use domain::{
    Cursor, Direction, File, FileFilter, FileId, FileStatus, Page, PageRequest, Reference, Space,
    SpaceId, UserId,
};
use tracing::instrument;

use crate::{
    Key, Table, TableError,
    file_index::{Entry, NAME_CHARACTERS, name_beginning},
    files::FileOwner,
    key::{FILES, files_in, files_named, files_of_reference, files_of_tag, space_partition},
    read::{Range, Slice},
};

/// Most files that one page looks at.
const READ_FILES: usize = 1_000;
/// Files that are looked at together.
const TOGETHER: u16 = 100;
/// Most spaces of a user that are looked at together.
const SPACES_TOGETHER: usize = 50;
/// Files of one reference that are looked at first for the newest that is there.
const REFERENCED: u16 = 10;

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

    fn range(&self, space: SpaceId) -> Range {
        let partition = space_partition(space);
        match self {
            Source::Records => Range::newest_first(partition, FILES),
            Source::Entries(prefix) => Range::newest_first(partition, prefix),
            Source::Names(prefix) => Range {
                partition,
                prefix: prefix.clone(),
                is_ascending: true,
            },
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
    /// Returns a page of the files of a space that a filter admits, newest first, or by name where
    /// a name is searched for.
    #[instrument(skip_all)]
    pub async fn list_files(
        &self,
        space: SpaceId,
        filter: &FileFilter,
        page_request: &PageRequest,
    ) -> Result<Page<File>, TableError> {
        let source = Source::of(filter);
        let limit = usize::from(page_request.limit);
        let is_backward = page_request.direction() == Direction::Backward;
        let mut batch = PageRequest {
            limit: TOGETHER,
            ..page_request.clone()
        };
        if source.is_all_of(filter) {
            batch.limit = page_request.limit;
        }

        let mut read = Slice {
            records: Vec::new(),
            has_more: false,
        };
        let mut admitted = 0;
        loop {
            let Slice {
                mut records,
                has_more,
            } = self.files_of(space, &source, &batch).await?;
            if is_backward {
                records.reverse();
            }
            let mut records = records.into_iter();
            while admitted < limit
                && let Some((place, file)) = records.next()
            {
                let file = file.filter(|file| filter.matches(file));
                admitted += usize::from(file.is_some());
                read.records.push((place, file));
            }
            read.has_more = has_more || records.len() > 0;
            if admitted == limit || !has_more || read.records.len() >= READ_FILES {
                break;
            }
            let Some((last, _)) = read.records.last() else {
                break;
            };
            let cursor = Cursor {
                direction: page_request.direction(),
                is_inclusive: false,
                position: last.clone(),
            };
            batch = PageRequest {
                cursor: Some(cursor),
                limit: TOGETHER,
            };
        }
        if is_backward {
            read.records.reverse();
        }
        Ok(read.into_page(page_request, |file| file))
    }

    /// Returns the newest active file of a space with this reference.
    #[instrument(skip_all)]
    pub async fn file_by_reference(
        &self,
        space: SpaceId,
        reference: &Reference,
    ) -> Result<Option<File>, TableError> {
        let source = Source::Entries(files_of_reference(reference));
        let mut page_request = PageRequest::first(REFERENCED);
        loop {
            let slice = self.files_of(space, &source, &page_request).await?;
            let last = slice.records.last().map(|(place, _)| place.clone());
            let mut files = slice.records.into_iter().filter_map(|(_, file)| file);
            let is_found = |file: &File| {
                file.status == FileStatus::Active && file.reference.as_ref() == Some(reference)
            };
            let found = files.find(is_found);
            let Some(last) = last.filter(|_| found.is_none() && slice.has_more) else {
                return Ok(found);
            };
            // Entries without a file are rare: only active files have one.
            page_request = PageRequest {
                cursor: Some(Cursor::after(last)),
                limit: TOGETHER,
            };
        }
    }

    /// The files of a space with these ids, at most a hundred: those that are there.
    #[instrument(skip_all)]
    pub async fn files(
        &self,
        space: SpaceId,
        ids: &[FileId],
    ) -> Result<HashMap<FileId, File>, TableError> {
        let mut found = self
            .batch_get(ids.iter().map(|id| Key::file(space, *id)))
            .await?;
        let mut files = HashMap::new();
        for id in ids {
            files.extend(found.take(&Key::file(space, *id))?.map(|file| (*id, file)));
        }
        Ok(files)
    }

    /// Those of these files, at most a hundred, that are in a space of a user, each with its space.
    #[instrument(skip_all)]
    pub async fn files_of_user(
        &self,
        user: UserId,
        ids: &[FileId],
    ) -> Result<HashMap<FileId, (Space, File)>, TableError> {
        let mut owners = self
            .batch_get(ids.iter().map(|id| Key::file_owner(*id)))
            .await?;
        let mut places = Vec::new();
        for id in ids {
            let owner: Option<FileOwner> = owners.take(&Key::file_owner(*id))?;
            places.extend(
                owner
                    .and_then(|owner| owner.space_id)
                    .map(|space| (space, *id)),
            );
        }
        let spaces: BTreeSet<SpaceId> = places.iter().map(|(space, _)| *space).collect();
        let mut known = HashMap::new();
        for spaces in spaces
            .into_iter()
            .collect::<Vec<_>>()
            .chunks(SPACES_TOGETHER)
        {
            known.extend(self.spaces_of(user, spaces).await?);
        }
        places.retain(|(space, _)| known.contains_key(space));
        let key = |(space, id): &(SpaceId, FileId)| Key::file(*space, *id);
        let mut files = self.batch_get(places.iter().map(key)).await?;
        let mut found = HashMap::new();
        for place in &places {
            let file: Option<File> = files.take(&key(place))?;
            found.extend(
                known
                    .get(&place.0)
                    .cloned()
                    .zip(file)
                    .map(|found| (place.1, found)),
            );
        }
        Ok(found)
    }

    /// Reads records of a source, each file where it is there and is rightly found there.
    async fn files_of(
        &self,
        space: SpaceId,
        source: &Source,
        page_request: &PageRequest,
    ) -> Result<Slice<Option<File>>, TableError> {
        let range = source.range(space);
        if matches!(source, Source::Records) {
            let Slice { records, has_more } = self.slice(range, page_request).await?;
            let records = records
                .into_iter()
                .map(|(place, file)| (place, Some(file)))
                .collect();
            return Ok(Slice { records, has_more });
        }

        let Slice { records, has_more } = self.slice::<Entry>(range, page_request).await?;
        let ids: Vec<FileId> = records.iter().map(|(_, entry)| entry.id).collect();
        let mut files = self.files(space, &ids).await?;
        let record = |(place, Entry { id, name })| {
            let is_meant = |file: &File| {
                name.as_ref()
                    .is_none_or(|name| *name == name_beginning(file))
            };
            (place, files.remove(&id).filter(is_meant))
        };
        Ok(Slice {
            records: records.into_iter().map(record).collect(),
            has_more,
        })
    }
}
