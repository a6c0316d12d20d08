//! Confirms a file whose bytes a client sent to a presigned URL: validates them as those of every other, and makes the
//! file active once.
//!
//! Invariants:
//! - What becomes active is what was validated, whatever is sent to the same URL meanwhile. Either the staged object is
//!   copied first, to a key that no client can write, and the copy is validated; or it is read once and whole into the
//!   spool, and the spool is validated, transformed and stored. ETags decide nothing: they are MD5s, which collide.
//! - However large a file is, at most 50 MB of it are read.

use bytes::Bytes;
use domain::{Awaited, Fault, File, MediaType, ResourceType, Sources, UploadRules, Violation, stored_name};
use mime::Mime;
use tenant::{Activated, Assets, ObjectHead, ObjectReader, StagedCopied, StagedCopy};

use crate::{
    FILE_BYTES, Judging, Refused, Spool, Spooled,
    dimensions::{self, BEGINNING_BYTES, MEASURED_BYTES},
    judging,
    spool::HEAD_BYTES,
    text::Utf8Validator,
    transform,
};

/// The violation of bytes whose size is not the declared one.
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

impl From<Activated> for Confirmed {
    fn from(activated: Activated) -> Confirmed {
        match activated {
            Activated::Active(file) => Confirmed::Active(file),
            Activated::Gone => Confirmed::Gone,
        }
    }
}

/// Makes a pending file active, if what the client has sent is there and obeys the rules that it was announced under.
pub async fn confirm(assets: &Assets<'_>, file: &File, sources: &Sources) -> Result<Confirmed, Fault> {
    let awaited = file.awaited.as_ref().ok_or_else(|| Fault::internal("a pending file that nobody waits for"))?;
    let declared = awaited.content_type.parse().ok();
    let confirmation = Confirmation { assets, file, awaited, declared, sources };

    let confirmed = if file.size <= FILE_BYTES && has_image_rules(&awaited.rules) {
        confirmation.confirm_spooled().await
    } else {
        confirmation.confirm_copy().await
    };
    match confirmed {
        Ok(confirmed) => Ok(confirmed),
        Err(Refused::Violation(violation)) => Ok(Confirmed::Refused(violation)),
        Err(Refused::Fault(fault)) => Err(fault),
    }
}

/// Returns whether a config restricts or transforms images, for which all their bytes are needed.
fn has_image_rules(rules: &UploadRules) -> bool {
    dimensions::has_rules(&rules.validation) || media::changes_images(&rules.transformations)
}

struct Confirmation<'a> {
    assets: &'a Assets<'a>,
    file: &'a File,
    awaited: &'a Awaited,
    declared: Option<Mime>,
    sources: &'a Sources,
}

impl Confirmation<'_> {
    /// Copies what was sent, validates the copy, then makes it active or removes it.
    async fn confirm_copy(&self) -> Result<Confirmed, Refused> {
        let copy = match self.assets.copy_staged(self.file).await? {
            StagedCopied::Copied(copy) => copy,
            StagedCopied::Absent => return Ok(Confirmed::Absent),
            StagedCopied::OtherSize => return Err(OTHER_SIZE.into()),
        };

        match self.validate_copy(&copy).await {
            Ok((media_type, is_utf8)) => {
                let file = self.detected(&media_type, is_utf8);
                let activated = self.assets.activate_copy(file, copy).await?;
                Ok(activated.into())
            }
            Err(refused) => {
                self.assets.remove_copy(copy).await;
                Err(refused)
            }
        }
    }

    /// Returns the type of a copy that obeys all rules, and whether the bytes that were read are UTF-8.
    async fn validate_copy(&self, copy: &StagedCopy) -> Result<(MediaType, bool), Refused> {
        let head = self.assets.copy_head(copy, BEGINNING_BYTES).await?;
        let media_type = self.validate(head.size_bytes, &head.prefix)?;

        let prefix = |bytes| self.prefix(copy, &head, bytes);
        dimensions::demand_dimensions(&media_type, &self.awaited.rules.validation, prefix).await?;
        Ok((media_type, begins_with_utf8(&head)))
    }

    /// Returns a copy's first bytes, so many or all if there are fewer.
    async fn prefix(&self, copy: &StagedCopy, head: &ObjectHead, bytes: u64) -> Result<Bytes, Fault> {
        if bytes <= BEGINNING_BYTES || head.size_bytes <= head.prefix.len() as u64 {
            return Ok(head.prefix.clone());
        }
        Ok(self.assets.copy_head(copy, bytes.min(MEASURED_BYTES)).await?.prefix)
    }

    /// Reads what was sent into the spool, validates, transforms and stores it from there, then makes it active.
    async fn confirm_spooled(&self) -> Result<Confirmed, Refused> {
        let Some(object) = self.assets.staged_object(self.file).await? else { return Ok(Confirmed::Absent) };
        if object.size_bytes() != self.file.size {
            return Err(OTHER_SIZE.into());
        }

        let rules = &self.awaited.rules;
        let spooled = spool(object).await?;
        let media_type = self.validate(spooled.size(), spooled.head())?;
        dimensions::measure(&spooled, &media_type, &rules.validation).await?;
        let (spooled, media_type) = transform::transformed(spooled, media_type, &rules.transformations).await?;

        let mut file = self.detected(&media_type, spooled.is_utf8());
        file.size = spooled.size();
        file.checksum_sha256 = Some(spooled.checksum_sha256().to_owned());
        Ok(self.assets.activate_content(file, spooled.content()).await?.into())
    }

    /// Returns the type of bytes of the declared size that obey all rules but those for images.
    fn validate(&self, size: u64, prefix: &[u8]) -> Result<MediaType, Violation> {
        if size != self.file.size {
            return Err(OTHER_SIZE);
        }

        let judging = Judging {
            original_name: &self.file.original_name,
            declared: self.declared.as_ref(),
            size,
            head: &prefix[..prefix.len().min(HEAD_BYTES)],
            uploaded_by: self.file.uploaded_by,
        };
        let media_type = judging.media_type(&self.awaited.rules.validation)?;

        let expected = self.awaited.expected_type.as_deref().and_then(|expected| expected.parse().ok());
        if let Some(expected) = expected {
            judging::demand_type(&expected, &media_type, self.declared.as_ref())?;
        }
        Ok(media_type)
    }

    /// Returns the file's record with the type that its bytes have.
    fn detected(&self, media_type: &MediaType, is_utf8: bool) -> File {
        let file = self.file;
        // Its name may have characters that were drawn: where they fit still, they stay.
        let is_as_declared = (&file.extension, file.resource_type) == (&media_type.extension, media_type.resource_type);
        let name = if is_as_declared {
            file.name.clone()
        } else {
            stored_name(&self.awaited.rules.storage, file.id, media_type, &file.original_name, self.sources)
        };
        File {
            storage_path: file.path_of(&name),
            name,
            mime_type: media_type.mime_type.clone(),
            extension: media_type.extension.clone(),
            resource_type: media_type.resource_type,
            is_utf8: media_type.resource_type == ResourceType::Text && is_utf8,
            ..file.clone()
        }
    }
}

async fn spool(mut object: ObjectReader) -> Result<Spooled, Fault> {
    let mut spool = Spool::default();
    while let Some(chunk) = object.next().await? {
        spool.write(&chunk).await?;
    }
    spool.finish().await
}

/// Returns whether the first bytes of a file are UTF-8. Those of a longer file may end within a character.
fn begins_with_utf8(head: &ObjectHead) -> bool {
    let mut validator = Utf8Validator::default();
    validator.update(&head.prefix);
    let is_whole = head.size_bytes <= head.prefix.len() as u64;
    if is_whole { validator.is_valid() } else { validator.is_valid_so_far() }
}
