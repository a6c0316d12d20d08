//! What the sweep asks of records, and how far it has come.

use std::collections::HashMap;

use domain::{FileId, Revision, SpaceId, Timestamp};
use serde::{Deserialize, Serialize};
use tracing::instrument;

use crate::{Table, TableError, key::Key};

/// Records of one batch read.
const BATCH: usize = 100;

/// How far the sweep has come.
#[derive(Serialize, Deserialize)]
struct Swept {
    until: Timestamp,
}

/// A file, as far as it says where its bytes are.
#[derive(Deserialize)]
struct Kept {
    revision: Option<Revision>,
}

impl Table {
    /// Until when what was stored has been judged; 1970, where nothing was.
    #[instrument(skip_all)]
    pub async fn swept_until(&self) -> Result<Timestamp, TableError> {
        let swept: Option<Swept> = self.get(Key::sweep()).await?;
        Ok(swept.map_or(Timestamp::from_ms(0), |swept| swept.until))
    }

    /// Says until when what was stored has been judged; safe to repeat. An earlier moment than
    /// before has more judged again, and nothing left out.
    #[instrument(skip_all)]
    pub async fn set_swept_until(&self, until: Timestamp) -> Result<(), TableError> {
        self.overwrite(Key::sweep(), &Swept { until }).await
    }

    /// Which objects hold the bytes of these files of a space. One that has no bytes yet, or is not
    /// there, is left out.
    #[instrument(skip_all)]
    pub async fn revisions(
        &self,
        space: SpaceId,
        files: &[FileId],
    ) -> Result<HashMap<FileId, Revision>, TableError> {
        let mut revisions = HashMap::new();
        for batch in files.chunks(BATCH) {
            let mut found = self
                .batch_get(batch.iter().map(|file| Key::file(space, *file)))
                .await?;
            for file in batch {
                let kept: Option<Kept> = found.take(&Key::file(space, *file))?;
                revisions.extend(
                    kept.and_then(|kept| kept.revision)
                        .map(|revision| (*file, revision)),
                );
            }
        }
        Ok(revisions)
    }
}
