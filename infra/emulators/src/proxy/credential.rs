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

#[cfg(test)]
mod tests {
    use http::{Request, request::Builder};

    use super::*;

    fn access_key_of(request: Builder) -> Option<String> {
        let (head, ()) = request.body(()).unwrap().into_parts();
        access_key(&head)
    }

    #[test]
    fn access_key_is_read_from_authorization_header() {
        let header = "AWS4-HMAC-SHA256 Credential=KEY/20260101/us-east-1/s3/aws4_request, SignedHeaders=host";
        let signed = Request::builder().header("authorization", header);
        assert_eq!(access_key_of(signed).as_deref(), Some("KEY"));
    }

    #[test]
    fn access_key_is_read_from_presigned_url() {
        let uri = "/b/k?X-Amz-Credential=KEY%2F20260101%2Fus-east-1";
        let presigned = Request::builder().uri(uri);
        assert_eq!(access_key_of(presigned).as_deref(), Some("KEY"));
    }

    #[test]
    fn unsigned_request_has_no_access_key() {
        let unsigned = Request::builder().uri("/b/k?a=b");
        assert_eq!(access_key_of(unsigned), None);
    }
}
