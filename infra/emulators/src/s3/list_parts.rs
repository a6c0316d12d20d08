//! `ListParts`.

use std::sync::Arc;

use s3s::{
    S3Request, S3Response, S3Result,
    dto::{self, ChecksumAlgorithm, ChecksumType, ListPartsInput, ListPartsOutput},
};

use super::{
    fault::no_such_upload,
    list::page_size,
    rows::timestamp,
    shared::{Address, Shared},
    uploads::{self, Part, UploadId},
};

/// Answers with one page of an upload's parts.
pub(super) async fn list_parts(
    shared: &Arc<Shared>,
    request: S3Request<ListPartsInput>,
) -> S3Result<S3Response<ListPartsOutput>> {
    let ListPartsInput {
        bucket,
        key,
        upload_id,
        max_parts,
        part_number_marker,
        ..
    } = request.input;
    shared.bucket(&bucket)?;
    let id = UploadId::parse(&upload_id)?;
    let most = page_size(max_parts)?;
    let after = part_number_marker.unwrap_or_default();
    let address = Address {
        bucket: bucket.clone(),
        key: key.clone(),
    };
    let found = shared.blocking(move |shared| {
        let database = shared.database();
        let upload = uploads::upload(&database, id, &address)?.ok_or_else(no_such_upload)?;
        // One more than fits tells whether there is a further page.
        Ok((upload.plan, uploads::parts(&database, id, after, most + 1)?))
    });
    let (plan, mut parts) = found.await?;
    let most_parts = usize::try_from(most).unwrap_or_default();
    let more = parts.len() > most_parts;
    parts.truncate(most_parts);
    let output = ListPartsOutput {
        bucket: Some(bucket),
        key: Some(key),
        upload_id: Some(upload_id),
        max_parts: Some(most),
        is_truncated: Some(more),
        next_part_number_marker: parts.last().map(|part| part.number),
        part_number_marker,
        parts: Some(parts.iter().map(listed_part).collect()),
        checksum_algorithm: plan
            .chosen
            .then(|| ChecksumAlgorithm::from_static(plan.algorithm.name())),
        checksum_type: plan
            .chosen
            .then(|| ChecksumType::from_static(plan.coverage.name())),
        ..ListPartsOutput::default()
    };
    Ok(S3Response::new(output))
}

fn listed_part(part: &Part) -> dto::Part {
    let dto::Checksum {
        checksum_crc32,
        checksum_crc32c,
        checksum_crc64nvme,
        checksum_sha1,
        checksum_sha256,
        ..
    } = part.checksum.to_dto();
    dto::Part {
        part_number: Some(part.number),
        size: i64::try_from(part.size_bytes).ok(),
        e_tag: Some(part.tag()),
        last_modified: Some(timestamp(part.modified_ms)),
        checksum_crc32,
        checksum_crc32c,
        checksum_crc64nvme,
        checksum_sha1,
        checksum_sha256,
    }
}
