//! Multipart uploads until their completion: begun, filled with parts, given up.

use std::sync::Arc;

use http::HeaderMap;
use s3s::{
    S3Request, S3Response, S3Result,
    dto::{
        AbortMultipartUploadInput, AbortMultipartUploadOutput, ChecksumAlgorithm, ChecksumType,
        CreateMultipartUploadInput, CreateMultipartUploadOutput, UploadPartInput, UploadPartOutput,
    },
    s3_error,
};

use super::{
    attributes::Attributes,
    checksum::{Algorithm, Coverage},
    declared::Declared,
    fault::{Fault, no_such_upload},
    put::target,
    receive::{Received, receive},
    shared::{Address, Shared},
    uploads::{self, Part, Plan, Upload, UploadId},
};

/// The largest number that a part may have.
pub(super) const PART_NUMBER_MAX: i32 = 10_000;

/// Begins an upload.
pub(super) async fn create(
    shared: &Arc<Shared>,
    request: S3Request<CreateMultipartUploadInput>,
) -> S3Result<S3Response<CreateMultipartUploadOutput>> {
    let S3Request { headers, input, .. } = request;
    let CreateMultipartUploadInput {
        bucket,
        key,
        checksum_algorithm,
        checksum_type,
        ..
    } = input;
    let address = target(shared, bucket.clone(), key.clone())?;
    let attributes = Attributes::from_headers(&headers)?;
    let plan = Plan::new(checksum_algorithm.as_ref(), checksum_type.as_ref())?;
    let begun = shared.blocking(move |shared| {
        Ok(uploads::begin(
            &shared.database(),
            &address,
            &attributes,
            plan,
            shared.clock.now_ms(),
        )?)
    });
    let upload = begun.await?;
    let output = CreateMultipartUploadOutput {
        bucket: Some(bucket),
        key: Some(key),
        upload_id: Some(upload.text()),
        checksum_algorithm: plan
            .chosen
            .then(|| ChecksumAlgorithm::from_static(plan.algorithm.name())),
        checksum_type: plan
            .chosen
            .then(|| ChecksumType::from_static(plan.coverage.name())),
        ..CreateMultipartUploadOutput::default()
    };
    Ok(S3Response::new(output))
}

impl Plan {
    fn new(
        algorithm: Option<&ChecksumAlgorithm>,
        coverage: Option<&ChecksumType>,
    ) -> S3Result<Plan> {
        let rejection = |message: &'static str| s3_error!(InvalidRequest, "{message}");
        let Some(algorithm) = algorithm else {
            if coverage.is_some() {
                return Err(rejection(
                    "The x-amz-checksum-type header can only be used with x-amz-checksum-algorithm.",
                ));
            }
            return Ok(Plan {
                algorithm: Algorithm::DEFAULT,
                coverage: Coverage::FullObject,
                chosen: false,
            });
        };
        let algorithm = Algorithm::named(algorithm.as_str())
            .ok_or_else(|| rejection("Checksum algorithm provided is unsupported."))?;
        let asked = match coverage.map(ChecksumType::as_str) {
            None => None,
            Some(ChecksumType::FULL_OBJECT) => Some(Coverage::FullObject),
            Some(ChecksumType::COMPOSITE) => Some(Coverage::Composite),
            Some(_) => {
                return Err(rejection(
                    "Value for x-amz-checksum-type header is invalid.",
                ));
            }
        };
        let coverage = match (algorithm, asked) {
            (Algorithm::Crc64Nvme, Some(Coverage::Composite))
            | (Algorithm::Sha1 | Algorithm::Sha256, Some(Coverage::FullObject)) => {
                return Err(rejection(
                    "The checksum type cannot be used with this checksum algorithm.",
                ));
            }
            (Algorithm::Crc64Nvme, _) => Coverage::FullObject,
            (_, asked) => asked.unwrap_or(Coverage::Composite),
        };
        Ok(Plan {
            algorithm,
            coverage,
            chosen: true,
        })
    }
}

/// Takes one part, in place of one that has its number.
pub(super) async fn upload_part(
    shared: &Arc<Shared>,
    request: S3Request<UploadPartInput>,
) -> S3Result<S3Response<UploadPartOutput>> {
    let S3Request {
        headers,
        input,
        trailing_headers,
        ..
    } = request;
    let UploadPartInput {
        bucket,
        key,
        part_number,
        upload_id,
        body,
        ..
    } = input;
    shared.bucket(&bucket)?;
    check_number(part_number)?;
    let declared = Declared::from_headers(&headers)?;
    let target = Target {
        id: UploadId::parse(&upload_id)?,
        address: Address { bucket, key },
        number: part_number,
    };
    let (target, plan) = shared
        .blocking(move |shared| {
            let plan = target.upload(shared)?.plan;
            Ok((target, plan))
        })
        .await?;
    if plan.chosen && declared.algorithm() != Some(plan.algorithm) {
        let actual = declared.algorithm().map_or("null", Algorithm::name);
        return Err(s3_error!(
            InvalidRequest,
            "Checksum Type mismatch occurred, expected checksum Type: {}, actual checksum Type: {actual}",
            plan.algorithm.name()
        ));
    }
    let received = receive(shared, body, &declared, trailing_headers.as_ref()).await?;
    let part = shared
        .blocking(move |shared| target.keep(shared, received))
        .await?;
    let mut headers = HeaderMap::new();
    part.checksum.write_value(&mut headers);
    let output = UploadPartOutput {
        e_tag: Some(part.tag()),
        ..UploadPartOutput::default()
    };
    Ok(S3Response::with_headers(output, headers))
}

/// Gives an upload up, with its parts.
pub(super) async fn abort(
    shared: &Arc<Shared>,
    request: S3Request<AbortMultipartUploadInput>,
) -> S3Result<S3Response<AbortMultipartUploadOutput>> {
    let AbortMultipartUploadInput {
        bucket,
        key,
        upload_id,
        ..
    } = request.input;
    shared.bucket(&bucket)?;
    let id = UploadId::parse(&upload_id)?;
    let aborted = shared.blocking(move |shared| {
        let mut database = shared.database();
        let transaction = database.transaction()?;
        let upload = uploads::upload(&transaction, id, &Address { bucket, key })?
            .ok_or_else(no_such_upload)?;
        let blobs = uploads::remove(&transaction, upload.id)?;
        transaction.commit()?;
        shared.blobs.remove(blobs);
        Ok(())
    });
    aborted.await?;
    Ok(S3Response::new(AbortMultipartUploadOutput::default()))
}

/// Refuses numbers that no part may have.
pub(super) fn check_number(number: i32) -> S3Result<()> {
    if (1..=PART_NUMBER_MAX).contains(&number) {
        return Ok(());
    }
    Err(s3_error!(
        InvalidArgument,
        "Part number must be an integer between 1 and {PART_NUMBER_MAX}, inclusive"
    ))
}

/// The part of an upload that is to be made.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) id: UploadId,
    pub(super) address: Address,
    pub(super) number: i32,
}

impl Target {
    /// The upload, if it is there.
    pub(super) fn upload(&self, shared: &Shared) -> Result<Upload, Fault> {
        Ok(uploads::upload(&shared.database(), self.id, &self.address)?
            .ok_or_else(no_such_upload)?)
    }

    /// Makes what has arrived the part, if the upload is still there.
    pub(super) fn keep(&self, shared: &Shared, received: Received) -> Result<Part, Fault> {
        let mut database = shared.database();
        let transaction = database.transaction()?;
        uploads::upload(&transaction, self.id, &self.address)?.ok_or_else(no_such_upload)?;
        let part = Part {
            number: self.number,
            size_bytes: received.size_bytes,
            etag: hex::encode(received.sums.md5),
            modified_ms: shared.clock.now_ms(),
            checksum: received.sums.checksum,
            blob: shared.blobs.finish(received.incoming)?,
        };
        let kept = uploads::put_part(&transaction, self.id, &part);
        match kept.and_then(|replaced| transaction.commit().map(|()| replaced)) {
            Ok(replaced) => {
                shared.blobs.remove(replaced);
                Ok(part)
            }
            Err(error) => {
                shared.blobs.remove([part.blob]);
                Err(error.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upload_has_the_checksum_that_its_algorithm_allows() {
        let plan = |algorithm: Option<&'static str>, coverage: Option<&'static str>| {
            let plan = Plan::new(
                algorithm.map(ChecksumAlgorithm::from_static).as_ref(),
                coverage.map(ChecksumType::from_static).as_ref(),
            );
            plan.ok()
                .map(|plan| (plan.algorithm, plan.coverage, plan.chosen))
        };
        let (crc32, sha256, nvme) = (Algorithm::Crc32, Algorithm::Sha256, Algorithm::Crc64Nvme);
        for (algorithm, coverage, expected) in [
            (None, None, Some((nvme, Coverage::FullObject, false))),
            (None, Some("COMPOSITE"), None),
            (
                Some("CRC32"),
                None,
                Some((crc32, Coverage::Composite, true)),
            ),
            (
                Some("CRC32"),
                Some("FULL_OBJECT"),
                Some((crc32, Coverage::FullObject, true)),
            ),
            (Some("SHA256"), Some("FULL_OBJECT"), None),
            (
                Some("SHA256"),
                None,
                Some((sha256, Coverage::Composite, true)),
            ),
            (Some("CRC64NVME"), Some("COMPOSITE"), None),
            (Some("MD5"), None, None),
        ] {
            assert_eq!(
                plan(algorithm, coverage),
                expected,
                "{algorithm:?} {coverage:?}"
            );
        }
    }
}
