//! The access key that a request is signed with.

use http::{header::AUTHORIZATION, request::Parts};
use percent_encoding::percent_decode_str;

/// Returns whether a presigned URL, and not the `Authorization` header, has the access key.
pub(super) fn is_presigned(head: &Parts) -> bool {
    !head.headers.contains_key(AUTHORIZATION)
}

/// Returns the access key from the `Authorization` header or from a presigned URL. Does not verify
/// the signature.
pub(super) fn access_key(head: &Parts) -> Option<String> {
    // `KEY/DATE/REGION/SERVICE/aws4_request`.
    let credential = match head.headers.get(AUTHORIZATION) {
        Some(header) => in_header(header.to_str().ok()?)?.to_owned(),
        None => in_query(head.uri.query()?)?,
    };
    let (access_key, _scope) = credential.split_once('/')?;
    Some(access_key.to_owned())
}

fn in_header(header: &str) -> Option<&str> {
    let (_algorithm, credential) = header.split_once("Credential=")?;
    Some(credential)
}

fn in_query(query: &str) -> Option<String> {
    let encoded = query
        .split('&')
        .find_map(|pair| pair.strip_prefix("X-Amz-Credential="))?;
    let credential = percent_decode_str(encoded).decode_utf8().ok()?;
    Some(credential.into_owned())
}
