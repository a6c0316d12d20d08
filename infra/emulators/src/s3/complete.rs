//! `CompleteMultipartUpload`: parts become one object.
//!
//! Invariant: the object holds the bytes of the parts that the request names, as they were when it
//! became visible; a completion that fails leaves the upload as it was.

use std::{
    collections::HashMap,
    io::{ErrorKind, Read},
    sync::Arc,
};

use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use md5::{Digest, Md5};
use s3s::{
    S3Error, S3Request, S3Response, S3Result,
    dto::{self, CompleteMultipartUploadInput, CompleteMultipartUploadOutput, CompletedPart},
    s3_error,
};

use super::{
    blobs::Incoming,
    checksum::{Algorithm, Checksum, Coverage, Hasher, Sums, field},
    condition::WriteCondition,
    fault::{Fault, no_such_upload},
    multipart::PART_NUMBER_MAX,
    rows::Object,
    shared::{Address, Shared},
    uploads::{self, Part, Plan, Upload, UploadId},
};

/// Bytes of the smallest part that is not the last.
const PART_BYTES_MIN: u64 = 5 * 1024 * 1024;

/// Bytes that are copied at once.
const STEP_BYTES: u64 = 1024 * 1024;

/// Makes the named parts one object.
pub(super) async fn complete(
    shared: &Arc<Shared>,
    request: S3Request<CompleteMultipartUploadInput>,
) -> S3Result<S3Response<CompleteMultipartUploadOutput>> {
    let CompleteMultipartUploadInput {
        bucket,
        key,
        upload_id,
        multipart_upload,
        mpu_object_size,
        ..
    } = request.input;
    shared.bucket(&bucket)?;
    let named = multipart_upload
        .and_then(|upload| upload.parts)
        .unwrap_or_default();
    if named.is_empty() {
        return Err(s3_error!(
            MalformedXML,
            "The XML you provided was not well-formed or names no part"
        ));
    }
    let completion = Completion {
        id: UploadId::parse(&upload_id)?,
        address: Address {
            bucket: bucket.clone(),
            key: key.clone(),
        },
        named,
        condition: WriteCondition::from_headers(&request.headers)?,
        promised: promised(&request.headers),
        size_bytes: mpu_object_size
            .map(u64::try_from)
            .transpose()
            .unwrap_or_default(),
    };
    let object = shared
        .blocking(move |shared| completion.run(shared))
        .await?;
    let dto::Checksum {
        checksum_crc32,
        checksum_crc32c,
        checksum_crc64nvme,
        checksum_sha1,
        checksum_sha256,
        checksum_type,
        ..
    } = object.checksum.to_dto();
    let output = CompleteMultipartUploadOutput {
        location: Some(format!("/{bucket}/{key}")),
        bucket: Some(bucket),
        key: Some(key),
        e_tag: Some(object.tag()),
        checksum_crc32,
        checksum_crc32c,
        checksum_crc64nvme,
        checksum_sha1,
        checksum_sha256,
        checksum_type,
        ..CompleteMultipartUploadOutput::default()
    };
    Ok(S3Response::new(output))
}

/// The checksum that the object should have, where the request says it.
fn promised(headers: &http::HeaderMap) -> Option<(Algorithm, String)> {
    Algorithm::ALL.into_iter().find_map(|algorithm| {
        let value = headers.get(algorithm.header())?.to_str().ok()?;
        Some((algorithm, value.to_owned()))
    })
}

/// A completion as it was asked for.
struct Completion {
    id: UploadId,
    address: Address,
    named: Vec<CompletedPart>,
    condition: WriteCondition,
    promised: Option<(Algorithm, String)>,
    size_bytes: Option<u64>,
}

impl Completion {
    fn run(&self, shared: &Shared) -> Result<Object, Fault> {
        let (upload, parts) = self.choose(shared)?;
        // Without the lock: this takes as long as the object is large.
        let (incoming, sums) = join(shared, &parts, upload.plan)?;
        let checksum = self.checked(&upload, &parts, &sums)?;
        let mut taken_apart = Vec::new();
        let object = shared.replace(&self.address, &self.condition, |transaction| {
            let current = uploads::parts(transaction, self.id, 0, PART_NUMBER_MAX)?;
            if !parts.iter().all(|part| current.contains(part)) {
                return Err(no_such_upload().into());
            }
            taken_apart = uploads::remove(transaction, self.id)?;
            Ok(Object {
                size_bytes: parts.iter().map(|part| part.size_bytes).sum(),
                etag: etag(&parts),
                md5: hex::encode(sums.md5),
                modified_ms: shared.clock.now_ms(),
                attributes: upload.attributes,
                checksum,
                blob: shared.blobs.finish(incoming)?,
            })
        })?;
        shared.blobs.remove(taken_apart);
        Ok(object)
    }

    /// Finds the parts that the request names, and refuses what does not fit them.
    fn choose(&self, shared: &Shared) -> Result<(Upload, Vec<Part>), Fault> {
        let database = shared.database();
        let upload =
            uploads::upload(&database, self.id, &self.address)?.ok_or_else(no_such_upload)?;
        let parts = uploads::parts(&database, self.id, 0, PART_NUMBER_MAX)?;
        drop(database);
        let mut parts: HashMap<i32, Part> =
            parts.into_iter().map(|part| (part.number, part)).collect();
        let mut chosen: Vec<Part> = Vec::new();
        for named in &self.named {
            let number = named.part_number.unwrap_or_default();
            if chosen.last().is_some_and(|before| before.number >= number) {
                return Err(s3_error!(
                    InvalidPartOrder,
                    "The list of parts was not in ascending order."
                )
                .into());
            }
            let part = parts.remove(&number).ok_or_else(invalid_part)?;
            check_named(named, &part, upload.plan)?;
            chosen.push(part);
        }
        let but_last = chosen
            .split_last()
            .map(|(_, before)| before)
            .unwrap_or_default();
        if but_last.iter().any(|part| part.size_bytes < PART_BYTES_MIN) {
            return Err(s3_error!(
                EntityTooSmall,
                "Your proposed upload is smaller than the minimum allowed size"
            )
            .into());
        }
        Ok((upload, chosen))
    }

    /// The object's checksum, if it and the size are what the request says.
    fn checked(&self, upload: &Upload, parts: &[Part], sums: &Sums) -> S3Result<Checksum> {
        let mut checksum = sums.checksum.clone();
        if upload.plan.coverage == Coverage::Composite {
            checksum.composite = Some(composite(upload.plan.algorithm, parts));
        }
        let size_bytes: u64 = parts.iter().map(|part| part.size_bytes).sum();
        if self
            .size_bytes
            .is_some_and(|expected| expected != size_bytes)
        {
            return Err(s3_error!(
                InvalidRequest,
                "The provided 'x-amz-mp-object-size' header does not match what was computed."
            ));
        }
        match &self.promised {
            Some((algorithm, value))
                if *algorithm != checksum.algorithm || value != checksum.told().0 =>
            {
                Err(s3_error!(
                    BadDigest,
                    "The {} you specified did not match the calculated checksum.",
                    algorithm.name()
                ))
            }
            _ => Ok(checksum),
        }
    }
}

/// Refuses a part that is not the one the request means.
fn check_named(named: &CompletedPart, part: &Part, plan: Plan) -> S3Result<()> {
    if named
        .e_tag
        .as_ref()
        .is_some_and(|tag| tag.value() != part.etag)
    {
        return Err(invalid_part());
    }
    let mut sums = dto::Checksum {
        checksum_crc32: named.checksum_crc32.clone(),
        checksum_crc32c: named.checksum_crc32c.clone(),
        checksum_crc64nvme: named.checksum_crc64nvme.clone(),
        checksum_sha1: named.checksum_sha1.clone(),
        checksum_sha256: named.checksum_sha256.clone(),
        ..dto::Checksum::default()
    };
    match field(&mut sums, part.checksum.algorithm) {
        Some(sum) if *sum != part.checksum.value => Err(invalid_part()),
        None if plan.chosen && plan.coverage == Coverage::Composite => Err(s3_error!(
            InvalidRequest,
            "The upload was created using a {} checksum. The complete request must include the checksum for each part. It was missing for part {} in the request.",
            plan.algorithm.name().to_lowercase(),
            part.number
        )),
        _ => Ok(()),
    }
}

/// Writes the parts one after the other into a file.
fn join(shared: &Shared, parts: &[Part], plan: Plan) -> Result<(Incoming, Sums), Fault> {
    let mut incoming = shared.blobs.begin();
    let mut hasher = Hasher::new(plan.algorithm);
    for part in parts {
        let mut file = match shared.blobs.read(part.blob) {
            // Meanwhile it was replaced, or the upload completed or given up.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(no_such_upload().into());
            }
            file => file?,
        };
        loop {
            let mut step = Vec::new();
            if (&mut file).take(STEP_BYTES).read_to_end(&mut step)? == 0 {
                break;
            }
            hasher.update(&step);
            incoming.write(&[Bytes::from(step)])?;
        }
    }
    Ok((incoming, hasher.finish()))
}

/// The MD5 of the parts' MD5s, with their number.
fn etag(parts: &[Part]) -> String {
    let mut md5 = Md5::new();
    for part in parts {
        // It was written from an MD5.
        md5.update(hex::decode(&part.etag).unwrap_or_default());
    }
    format!("{}-{}", hex::encode(md5.finalize()), parts.len())
}

/// The checksum of the parts' checksums, with their number.
fn composite(algorithm: Algorithm, parts: &[Part]) -> String {
    let mut hasher = Hasher::new(algorithm);
    for part in parts {
        // It was written from a checksum.
        hasher.update(
            &BASE64_STANDARD
                .decode(&part.checksum.value)
                .unwrap_or_default(),
        );
    }
    format!("{}-{}", hasher.finish().checksum.value, parts.len())
}

fn invalid_part() -> S3Error {
    s3_error!(
        InvalidPart,
        "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match the part's entity tag."
    )
}
