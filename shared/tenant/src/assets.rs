//! A space's files: their records and their bytes together.

use bucket::{Bucket, Content, ObjectKey};
use domain::{Fault, File, FileStatus, Sources, Violation};
use runtime::Settings;
use table::FileRefused;

use crate::Space;

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
    /// Stores a file: its bytes first, then its record, so that a record that says `active` has its bytes.
    ///
    /// A stored name that is taken is a conflict, and leaves nothing behind. Where the record's fate is unknown the bytes
    /// stay: they may be in use.
    pub async fn store(&self, file: &File, content: Content, sources: &Sources) -> Result<(), Fault> {
        debug_assert!(file.space_id == self.space.record().id && file.status == FileStatus::Active);
        let key = ObjectKey::original(self.space.record().id, file.id);
        self.originals.0.put(&key, content, &file.mime_type, &file.checksum_sha256).await?;
        match self.space.table.create_file(file, sources).await {
            Ok(()) => Ok(()),
            Err(FileRefused::NameTaken) => {
                self.originals.0.delete(&key).await?;
                Err(Fault::conflict("A file of this name is already stored.", "file", Violation::Taken))
            }
            Err(FileRefused::Failed(error)) => Err(error.into()),
        }
    }
}
