//! Files, by id and by where they are delivered.

use domain::{File, FileId, Handle, Sources, Space, SpaceId};

use crate::{Error, Key, Table, write::NotWritten};

/// Why a file was not created.
#[derive(Debug)]
pub enum FileRefused {
    /// Another file has its stored name. Nothing was written.
    NameTaken,
    /// The table failed. Whether the file was written is not known.
    Failed(Error),
}

impl Table {
    /// Writes a new file's record.
    pub async fn create_file(&self, file: &File, sources: &Sources) -> Result<(), FileRefused> {
        let members = [self.put_new(Key::file(file.id), file), self.put_new(Key::path(&file.storage_path), file)];
        let members = members.into_iter().collect::<Result<_, _>>().map_err(FileRefused::Failed)?;
        match self.transact(sources, members).await {
            Ok(()) => Ok(()),
            Err(NotWritten::Refused(_)) => Err(FileRefused::NameTaken),
            Err(NotWritten::Failed(error)) => Err(FileRefused::Failed(error)),
        }
    }

    /// A file, whichever space it belongs to.
    pub async fn file(&self, id: FileId) -> Result<Option<File>, Error> {
        self.get(Key::file(id)).await
    }

    /// A file and a space, which need not belong together.
    pub async fn file_and_space(&self, file: FileId, space: SpaceId) -> Result<(Option<File>, Option<Space>), Error> {
        let (file, space) = (Key::file(file), Key::space(space));
        let mut found = self.get_together([file.clone(), space.clone()]).await?;
        Ok((found.take(&file)?, found.take(&space)?))
    }

    /// A file by where it is delivered, and the space of its handle.
    pub async fn delivered(&self, handle: &Handle, storage_path: &str) -> Result<(Option<File>, Option<Space>), Error> {
        let (file, space) = (Key::path(storage_path), Key::handle(handle));
        let mut found = self.get_together([file.clone(), space.clone()]).await?;
        Ok((found.take(&file)?, found.take(&space)?))
    }
}
