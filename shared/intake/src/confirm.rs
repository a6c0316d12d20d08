//! A file whose bytes a client sent to storage itself is taken in: judged as every other, and made active once.
//!
//! Invariant: what becomes active is what was judged, whatever is sent meanwhile (ETags tell it, which storage makes of MD5),
//! and however large a file is, no more of it is read into memory than 50 MB.

use bytes::Bytes;
use domain::{Awaited, Fault, File, MediaType, Sources, Violation, stored_name};
use futures::TryStreamExt;
use mime::Mime;
use tenant::{Activated, Assets, Staged};

use crate::{
    FILE_BYTES, Judging, Refused, Spool, Spooled,
    dimensions::{self, BEGINNING_BYTES, MEASURED_BYTES},
    judging,
    spool::HEAD_BYTES,
    transform,
};

/// Times that a file is looked at again since something else was sent meanwhile.
const LOOKS: u32 = 3;
/// What is said of bytes that break their promise.
const OTHER_SIZE: Violation = Violation::Must("must be as large as it was said to be");

/// What became of a pending file.
#[derive(Debug)]
pub enum Confirmed {
    /// It is active.
    Active(Box<File>),
    /// Nothing has been sent yet.
    Absent,
    /// What was sent breaks the rules.
    Refused(Violation),
    /// It was removed.
    Gone,
}

/// Makes a pending file active, if what the client has sent is there and obeys the rules that it was announced under.
pub async fn confirm(assets: &Assets<'_>, file: &File, sources: &Sources) -> Result<Confirmed, Fault> {
    let awaited = file.awaited.as_ref().ok_or_else(|| Fault::internal("a pending file that nobody waits for"))?;
    for _ in 0..LOOKS {
        let Some(staged) = assets.staged(file, BEGINNING_BYTES).await? else { return Ok(Confirmed::Absent) };
        let pending = Pending { assets, file, awaited, staged };
        match pending.activate(sources).await {
            Ok(Activated::Active(file)) => return Ok(Confirmed::Active(file)),
            Ok(Activated::Gone) => return Ok(Confirmed::Gone),
            Ok(Activated::Changed) => {}
            Err(Refused::Violation(violation)) => return Ok(Confirmed::Refused(violation)),
            Err(Refused::Fault(fault)) => return Err(fault),
        }
    }
    Err(Fault::unavailable("something else was sent again and again"))
}

/// A pending file, and what was sent for it.
struct Pending<'a> {
    assets: &'a Assets<'a>,
    file: &'a File,
    awaited: &'a Awaited,
    staged: Staged,
}

impl Pending<'_> {
    async fn activate(&self, sources: &Sources) -> Result<Activated, Refused> {
        let (file, rules) = (self.file, &self.awaited.rules);
        let size = self.staged.size();
        if size != file.size {
            return Err(OTHER_SIZE.into());
        }
        let beginning = self.staged.beginning();
        let declared: Option<Mime> = self.awaited.content_type.parse().ok();
        let judging = Judging {
            original_name: &file.original_name,
            declared: declared.as_ref(),
            size,
            head: &beginning[..beginning.len().min(HEAD_BYTES)],
        };
        let media_type = judging.media_type(&rules.validation)?;
        if let Some(expected) = self.awaited.expected_type.as_deref().and_then(|expected| expected.parse().ok()) {
            judging::demand_type(&expected, &media_type, declared.as_ref())?;
        }
        if size <= FILE_BYTES {
            transform::demand_possible(&media_type, judging.head, &rules.transformations)?;
        }
        let is_measured = dimensions::is_measured(&media_type, &rules.validation);
        let is_transformed = transform::is_asked(&media_type, judging.head, &rules.transformations);
        if size > FILE_BYTES || !(is_measured || is_transformed) {
            dimensions::demand_dimensions(&media_type, &rules.validation, |bytes| self.beginning(bytes)).await?;
            return Ok(self.assets.activate(self.told(&media_type, sources), &self.staged, None, sources).await?);
        }
        let Some(spooled) = self.spooled().await? else { return Ok(Activated::Changed) };
        dimensions::measure(&spooled, &media_type, &rules.validation).await?;
        let (spooled, media_type) = transform::transformed(spooled, media_type, &rules.transformations).await?;
        let mut active = self.told(&media_type, sources);
        active.size = spooled.size();
        active.checksum_sha256 = Some(spooled.checksum_sha256().to_owned());
        Ok(self.assets.activate(active, &self.staged, Some(spooled.content()), sources).await?)
    }

    /// The file's record with what its bytes tell.
    fn told(&self, media_type: &MediaType, sources: &Sources) -> File {
        let file = self.file;
        // Its name may have characters that were drawn: where they fit still, they stay.
        let is_as_said = (&file.extension, file.resource_type) == (&media_type.extension, media_type.resource_type);
        let name = if is_as_said {
            file.name.clone()
        } else {
            stored_name(&self.awaited.rules.storage, file.id, media_type, &file.original_name, sources)
        };
        File {
            storage_path: file.path_of(&name),
            name,
            mime_type: media_type.mime_type.clone(),
            extension: media_type.extension.clone(),
            resource_type: media_type.resource_type,
            ..file.clone()
        }
    }

    /// So many bytes from the beginning, or all where there are fewer.
    async fn beginning(&self, bytes: u64) -> Result<Bytes, Fault> {
        let known = self.staged.beginning();
        if bytes <= BEGINNING_BYTES || self.staged.size() <= known.len() as u64 {
            return Ok(known.clone());
        }
        let more = self.assets.staged(self.file, bytes.min(MEASURED_BYTES)).await?;
        let same = more.filter(|more| more.is_same(&self.staged));
        same.map(|more| more.beginning().clone()).ok_or_else(|| Fault::unavailable("something else was sent meanwhile"))
    }

    /// All bytes, where they are as they were seen.
    async fn spooled(&self) -> Result<Option<Spooled>, Fault> {
        let Some(bytes) = self.assets.staged_bytes(self.file, &self.staged).await? else { return Ok(None) };
        let mut bytes = std::pin::pin!(bytes);
        let mut spool = Spool::default();
        while let Some(chunk) = bytes.try_next().await? {
            spool.write(&chunk).await?;
        }
        Ok(Some(spool.finish().await?))
    }
}
