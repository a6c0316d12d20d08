//! Which access key a request was signed with.

use http::{header::AUTHORIZATION, request::Parts};
use percent_encoding::percent_decode_str;

/// The access key in the `Authorization` header or in a presigned address; the signature is not
/// looked at.
pub(super) fn access_key(head: &Parts) -> Option<String> {
    let header = head
        .headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    let scope = match header {
        Some(header) => header.split_once("Credential=")?.1.to_owned(),
        None => head.uri.query()?.split('&').find_map(|pair| {
            let credential = pair.strip_prefix("X-Amz-Credential=")?;
            Some(
                percent_decode_str(credential)
                    .decode_utf8()
                    .ok()?
                    .into_owned(),
            )
        })?,
    };
    // Followed by the date, the region, the service and `aws4_request`.
    Some(scope.split_once('/')?.0.to_owned())
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[test]
    fn the_key_is_found_in_the_header_and_in_presigned_addresses() {
        let header = "AWS4-HMAC-SHA256 Credential=KEY/20260101/us-east-1/s3/aws4_request, SignedHeaders=host";
        let signed = Request::builder()
            .header("authorization", header)
            .body(())
            .unwrap();
        assert_eq!(access_key(&signed.into_parts().0).as_deref(), Some("KEY"));
        let presigned = Request::builder()
            .uri("/b/k?X-Amz-Credential=KEY%2F20260101%2Fus-east-1")
            .body(())
            .unwrap();
        assert_eq!(
            access_key(&presigned.into_parts().0).as_deref(),
            Some("KEY")
        );
        let anonymous = Request::builder().uri("/b/k?a=b").body(()).unwrap();
        assert_eq!(access_key(&anonymous.into_parts().0), None);
    }
}
