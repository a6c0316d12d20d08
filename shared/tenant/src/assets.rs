//! A space's files: their records and their bytes together.

use bucket::{Bucket, Content, ObjectKey};
use domain::{Fault, File, FileStatus, Sources, Violation, Violations};
use futures::{StreamExt, stream};
use runtime::Settings;
use table::{Completion, FileRefused};

use crate::{Space, deletion::closed};

/// Objects that one request stores at once.
const AT_ONCE: usize = 4;

/// Where the bytes of files are kept. It opens only together with a [`Space`], or with a
/// [`Delivered`](crate::Delivered) file that somebody was admitted to.
#[derive(Clone, Debug)]
pub struct Originals(pub(crate) Bucket);

impl Originals {
    /// The bytes in the bucket that `BUCKET_NAME` names.
    pub fn read(settings: &mut Settings) -> Originals {
        Originals(Bucket::new(runtime::s3(settings), settings.text("BUCKET_NAME")))
    }
}

/// The files of one space.
pub struct Assets<'a> {
    space: &'a Space,
    originals: &'a Originals,
}

impl Space {
    /// This space's files.
    pub fn assets<'a>(&'a self, originals: &'a Originals) -> Assets<'a> {
        Assets { space: self, originals }
    }
}

impl Assets<'_> {
    /// Stores files, all or nothing: their bytes first, then their records, so that a record that says `active` has its
    /// bytes. With the records goes what ends the request that they came with.
    ///
    /// A stored name that is taken is a conflict. What fails leaves nothing behind, unless it cannot be told whether the
    /// records were written: then the bytes stay, for they may be in use.
    pub async fn store(
        &self,
        files: &[(File, Content)],
        sources: &Sources,
        completion: Option<&Completion>,
    ) -> Result<(), Fault> {
        if files.iter().any(|(file, _)| file.space_id != self.space.record.id || file.status != FileStatus::Active) {
            return Err(Fault::internal("a file of another space, or none that is there, was to be stored"));
        }
        // All of them end before any is removed: one that was given up on could still arrive.
        let puts: Vec<_> = files.iter().map(|(file, content)| self.put(file, content.clone())).collect();
        let stored: Vec<Result<(), Fault>> = stream::iter(puts).buffer_unordered(AT_ONCE).collect().await;
        if let Err(fault) = stored.into_iter().collect::<Result<(), Fault>>() {
            self.remove_bytes(files).await;
            return Err(fault);
        }
        let records: Vec<File> = files.iter().map(|(file, _)| file.clone()).collect();
        let claim = completion.map(|completion| &completion.claim);
        match self.space.table.create_files(&records, sources, completion).await {
            Ok(()) => {}
            Err(FileRefused::NameTaken) => {
                self.remove_bytes(files).await;
                return Err(Fault::conflict("A file of this name is already stored.", "file", Violation::Taken));
            }
            Err(FileRefused::Failed(error)) => {
                if !self.space.table.settle_files(&records, sources, claim).await? {
                    self.remove_bytes(files).await;
                    return Err(error.into());
                }
            }
        }
        // Only a look after writing tells of a deletion that looked before.
        match self.space.table.space(self.space.record.id).await? {
            Some(space) if !space.is_closed(sources.now()) => Ok(()),
            // The purge removes them with the space.
            None => Err(Violations::from(("space", Violation::Unknown)).into()),
            Some(_) => {
                self.space.table.take_back_files(&records, sources, claim).await?;
                self.remove_bytes(files).await;
                Err(closed())
            }
        }
    }

    async fn put(&self, file: &File, content: Content) -> Result<(), Fault> {
        let key = ObjectKey::original(file.space_id, file.id);
        Ok(self.originals.0.put(&key, content, &file.mime_type, &file.checksum_sha256).await?)
    }

    /// Removes bytes that no record speaks of. Where that fails they are found by their missing record.
    async fn remove_bytes(&self, files: &[(File, Content)]) {
        for (file, _) in files {
            let key = ObjectKey::original(file.space_id, file.id);
            if let Err(error) = self.originals.0.delete(&key).await {
                tracing::warn!(file_id = %file.id, %error, "bytes without a record stay behind");
            }
        }
    }
}
