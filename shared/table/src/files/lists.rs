//! Filtered lists of files.
//!
//! A list is read from one range of keys: that of trashed files, else of the search prefix, else of
//! the tag, else of the folder, else of all files. The rest of the filter is applied to each file.
//! A page reads a bounded number of files, so it may be short or empty although more files follow.

use std::collections::{BTreeSet, HashMap};

use domain::{
    files::{CreationRange, File, FileFilter, FileList, ListOrder},
    id::{FileId, SpaceId, UserId},
    naming::Reference,
    requests::{Cursor, Page, PageRequest},
    settings::FileStatus,
    spaces::Space,
};
use tracing::instrument;

use crate::{
    connection::FileRecords,
    errors::TableError,
    files::{
        FileLookup,
        index::{FileEntry, NAME_PREFIX_CHARACTERS, name_prefix},
    },
    filtered_page::{FILTERED_BATCH, FilteredPage},
    key::Key,
    key::{
        FILES, TRASHED_FILES, files_in_folder, files_with_name_prefix, files_with_reference,
        files_with_tag, space_partition,
    },
    query::{Range, Slice},
};

/// Spaces of a user that are read at once, each with its membership.
const SPACES_BATCH: usize = 50;
/// Files of one reference that are read first to find the newest active one.
const REFERENCE_BATCH: u16 = 10;

/// The range of keys that a list is read from.
enum Source {
    /// The files' own records.
    Records,
    /// Index entries whose sort keys are this prefix and the file's id.
    Entries(String),
    /// Index entries by name, whose sort keys have this prefix.
    Names(String),
}

impl Source {
    fn of(filter: &FileFilter) -> Source {
        if filter.status == Some(FileStatus::Trashed) {
            Source::Entries(TRASHED_FILES.to_owned())
        } else if let Some(search) = &filter.search {
            let prefix: String = search
                .as_str()
                .chars()
                .take(NAME_PREFIX_CHARACTERS)
                .collect();
            Source::Names(files_with_name_prefix(&prefix))
        } else if let Some(tag) = &filter.tag {
            Source::Entries(files_with_tag(tag))
        } else if let Some(folder) = filter.folder {
            Source::Entries(files_in_folder(folder))
        } else {
            Source::Records
        }
    }

    /// Returns the range of a list. That of a search is in the order of names, and contains all
    /// times.
    fn range(&self, space: SpaceId, list: &FileList) -> Range {
        let prefix = match self {
            Source::Records => FILES,
            Source::Entries(prefix) | Source::Names(prefix) => prefix,
        };
        let range = Range::newest_first(space_partition(space), prefix);
        if matches!(self, Source::Names(_)) {
            return Range {
                is_ascending: true,
                ..range
            };
        }

        let CreationRange { first, last } = list.filter.created;
        Range {
            first: first.to_string(),
            last: last.to_string(),
            is_ascending: list.order == ListOrder::OldestFirst,
            ..range
        }
    }

    /// Returns whether every file of the range passes the filter, except trashed ones among all
    /// records.
    fn covers(&self, filter: &FileFilter) -> bool {
        let mut rest = filter.clone();
        match self {
            Source::Records => {}
            Source::Names(_) => rest.search = None,
            Source::Entries(_) if rest.status == Some(FileStatus::Trashed) => rest.status = None,
            Source::Entries(_) if rest.tag.is_some() => rest.tag = None,
            Source::Entries(_) => rest.folder = None,
        }
        if !matches!(self, Source::Names(_)) {
            rest.created = CreationRange::default();
        }
        rest == FileFilter::default()
    }
}

/// A file and its space.
#[derive(Clone, Debug)]
pub struct FileInSpace {
    pub space: Space,
    pub file: File,
}

/// The id of a file and of its space.
struct FileLocation {
    space: SpaceId,
    file: FileId,
}

impl FileRecords<'_> {
    /// Returns a page of a list of the files of a space.
    #[instrument(name = "list_files", skip_all)]
    pub async fn list(
        self,
        space: SpaceId,
        list: &FileList,
        page_request: &PageRequest,
    ) -> Result<Page<File>, TableError> {
        let FileList { filter, .. } = list;
        let source = Source::of(filter);
        let range = source.range(space, list);
        let mut page = FilteredPage::new(page_request);
        let limit = if source.covers(filter) {
            page_request.limit
        } else {
            FILTERED_BATCH
        };
        let mut batch = PageRequest {
            limit,
            ..page_request.clone()
        };

        loop {
            let files = self.read(space, &source, range.clone(), &batch).await?;
            page.add(files, |file| filter.matches(file));
            match page.next_batch() {
                Some(next) => batch = next,
                None => return Ok(page.into_page()),
            }
        }
    }

    /// Returns the newest active file of a space with this reference that is selected.
    #[instrument(name = "file_by_reference", skip_all)]
    pub async fn by_reference(
        self,
        space: SpaceId,
        reference: &Reference,
        is_selected: impl Fn(&File) -> bool,
    ) -> Result<Option<File>, TableError> {
        let source = Source::Entries(files_with_reference(reference));
        let range = source.range(space, &FileList::default());
        let mut page_request = PageRequest::first(REFERENCE_BATCH);
        loop {
            let slice = self
                .read(space, &source, range.clone(), &page_request)
                .await?;
            let last = slice.records.last().map(|last| last.position.clone());
            let found = slice
                .records
                .into_iter()
                .filter_map(|positioned| positioned.record)
                .filter(|file| file.status == FileStatus::Active)
                .find(|file| file.reference.as_ref() == Some(reference) && is_selected(file));

            let Some(last) = last.filter(|_| found.is_none() && slice.has_more) else {
                return Ok(found);
            };
            page_request = PageRequest {
                cursor: Some(Cursor::after(last)),
                limit: FILTERED_BATCH,
            };
        }
    }

    /// Returns those of these files of a space, at most 100, that exist.
    #[instrument(name = "files", skip_all)]
    pub async fn get(
        self,
        space: SpaceId,
        ids: &[FileId],
    ) -> Result<HashMap<FileId, File>, TableError> {
        let keys = ids.iter().map(|id| Key::file(space, *id));
        let mut found = self.table.batch_get(keys).await?;

        let mut files = HashMap::new();
        for id in ids {
            let file = found.take(&Key::file(space, *id))?;
            files.extend(file.map(|file| (*id, file)));
        }
        Ok(files)
    }

    /// Returns those of these files, at most 100, that are in a space of a user.
    #[instrument(name = "files_of_member", skip_all)]
    pub async fn of_member(
        self,
        user: UserId,
        ids: &[FileId],
    ) -> Result<HashMap<FileId, FileInSpace>, TableError> {
        let mut locations = self.locate(ids).await?;
        let ids: BTreeSet<SpaceId> = locations.iter().map(|location| location.space).collect();
        let ids: Vec<SpaceId> = ids.into_iter().collect();
        let mut spaces = HashMap::new();
        for batch in ids.chunks(SPACES_BATCH) {
            spaces.extend(self.table.members().spaces_of(user, batch).await?);
        }
        locations.retain(|location| spaces.contains_key(&location.space));

        let key = |location: &FileLocation| Key::file(location.space, location.file);
        let mut found = self.table.batch_get(locations.iter().map(key)).await?;
        let mut files = HashMap::new();
        for location in &locations {
            let file: Option<File> = found.take(&key(location))?;
            let space = spaces.get(&location.space);
            if let (Some(space), Some(file)) = (space, file) {
                let space = space.clone();
                files.insert(location.file, FileInSpace { space, file });
            }
        }
        Ok(files)
    }

    /// Returns the spaces of those of these files that exist.
    async fn locate(self, ids: &[FileId]) -> Result<Vec<FileLocation>, TableError> {
        let keys = ids.iter().map(|id| Key::file_lookup(*id));
        let mut lookups = self.table.batch_get(keys).await?;

        let mut locations = Vec::new();
        for id in ids {
            let lookup: Option<FileLookup> = lookups.take(&Key::file_lookup(*id))?;
            let space = lookup.and_then(|lookup| lookup.space_id);
            locations.extend(space.map(|space| FileLocation { space, file: *id }));
        }
        Ok(locations)
    }

    /// Reads files from the range of a source. The record is `None` if the file is absent or does
    /// not match its index entry.
    async fn read(
        self,
        space: SpaceId,
        source: &Source,
        range: Range,
        page_request: &PageRequest,
    ) -> Result<Slice<Option<File>>, TableError> {
        if matches!(source, Source::Records) {
            let slice = self.table.slice(range, page_request).await?;
            return Ok(slice.map(Some));
        }

        let slice: Slice<FileEntry> = self.table.slice(range, page_request).await?;
        let ids: Vec<FileId> = slice
            .records
            .iter()
            .map(|positioned| positioned.record.id)
            .collect();
        let mut files = self.get(space, &ids).await?;
        Ok(slice.map(|entry| {
            let file = files.remove(&entry.id)?;
            let matches = entry.name.is_none_or(|name| name == name_prefix(&file));
            matches.then_some(file)
        }))
    }
}
