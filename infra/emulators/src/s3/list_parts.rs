//! `ListParts`.

use std::sync::Arc;

use s3s::{
    S3Request, S3Response, S3Result,
    dto::{self, ListPartsInput, ListPartsOutput},
};

use super::{
    checksum_plan::ChecksumPlan,
    error::no_such_upload,
    location::ObjectLocation,
    object_rows::timestamp,
    page_size::page_size,
    store::ObjectStore,
    upload_rows::{self, StoredPart, UploadId},
};

/// An upload's checksum plan and a page of its parts.
struct PartsPage {
    plan: ChecksumPlan,
    parts: Vec<StoredPart>,
    is_truncated: bool,
}

/// Returns one page of the parts of an upload.
pub(super) async fn list_parts(
    store: &Arc<ObjectStore>,
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
    store.bucket(&bucket)?;
    let id = UploadId::parse(&upload_id)?;
    let limit = page_size(max_parts)?;
    let after = part_number_marker.unwrap_or_default();
    let location = ObjectLocation {
        bucket: bucket.clone(),
        key: key.clone(),
    };

    let page = store
        .blocking(move |store| {
            let database = store.database();
            let upload =
                upload_rows::upload(&database, id, &location)?.ok_or_else(no_such_upload)?;
            // One more than the limit, to see whether there is a next page.
            let mut parts = upload_rows::parts(&database, id, after, limit + 1)?;
            let limit = usize::try_from(limit).unwrap_or_default();
            let is_truncated = parts.len() > limit;
            parts.truncate(limit);
            Ok(PartsPage {
                plan: upload.plan,
                parts,
                is_truncated,
            })
        })
        .await?;

    let output = ListPartsOutput {
        bucket: Some(bucket),
        key: Some(key),
        upload_id: Some(upload_id),
        max_parts: Some(limit),
        is_truncated: Some(page.is_truncated),
        next_part_number_marker: page.parts.last().map(|part| part.number),
        part_number_marker,
        parts: Some(page.parts.iter().map(listed_part).collect()),
        checksum_algorithm: page.plan.algorithm_dto(),
        checksum_type: page.plan.coverage_dto(),
        ..ListPartsOutput::default()
    };

    Ok(S3Response::new(output))
}

fn listed_part(part: &StoredPart) -> dto::Part {
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
