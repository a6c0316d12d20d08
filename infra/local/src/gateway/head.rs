//! The head of a request: what a front does not hand on, and how it hands the rest on.
//!
//! Invariant: a function sees what an event can hold: a path, one host, and each header once, as
//! text.

use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, header, uri::Authority};

use super::refusal::Refusal;

/// What a front takes, in bytes.
pub(super) struct Limits {
    /// Path and query.
    address_bytes: usize,
    /// Request line and headers together.
    head_bytes: usize,
}

/// An HTTP API's quota.
pub(super) const API_LIMITS: Limits = Limits {
    address_bytes: 10_240,
    head_bytes: 10_240,
};
/// CloudFront's quotas.
pub(super) const CDN_LIMITS: Limits = Limits {
    address_bytes: 8_192,
    head_bytes: 32_768,
};

/// Bytes of a request line beside method and address: two spaces, the version, the line's end.
const REQUEST_LINE_BYTES: usize = 12;
/// Bytes of a header's line beside name and value: a colon, a space, the line's end.
const HEADER_LINE_BYTES: usize = 4;

/// Refuses what no front hands on.
pub(super) fn check<B>(request: &Request<B>, limits: &Limits) -> Result<(), Refusal> {
    let (uri, headers) = (request.uri(), request.headers());
    let address_bytes = uri
        .path_and_query()
        .map_or(0, |address| address.as_str().len());
    if address_bytes > limits.address_bytes {
        return Err(Refusal(
            StatusCode::URI_TOO_LONG,
            "The address is too long.",
        ));
    }
    let header_bytes: usize = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + HEADER_LINE_BYTES)
        .sum();
    if request.method().as_str().len() + address_bytes + REQUEST_LINE_BYTES + header_bytes
        > limits.head_bytes
    {
        return Err(Refusal(
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            "The headers are too large.",
        ));
    }
    if !uri.path().starts_with('/') {
        return Err(Refusal(
            StatusCode::BAD_REQUEST,
            "The request is not for a path.",
        ));
    }
    if !has_one_host(headers) {
        return Err(Refusal(
            StatusCode::BAD_REQUEST,
            "The request needs one Host header, with a host.",
        ));
    }
    if headers
        .values()
        .any(|value| str::from_utf8(value.as_bytes()).is_err())
    {
        return Err(Refusal(StatusCode::BAD_REQUEST, "A header is not UTF-8."));
    }
    Ok(())
}

fn has_one_host(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return false;
    };
    let Ok(authority) = Authority::try_from(host.as_bytes()) else {
        return false;
    };
    !authority.as_str().contains('@')
        && (authority.host() == authority.as_str() || authority.port_u16().is_some())
}

/// Headers that stand more than once are joined, cookies by semicolons and others by commas, as an
/// event has them.
pub(super) fn join_repeated(headers: &mut HeaderMap) {
    let repeated: Vec<HeaderName> = headers
        .keys()
        .filter(|name| headers.get_all(*name).iter().count() > 1)
        .cloned()
        .collect();
    for name in repeated {
        let values: Vec<&[u8]> = headers
            .get_all(&name)
            .iter()
            .map(HeaderValue::as_bytes)
            .collect();
        let separator = if name == header::COOKIE {
            &b"; "[..]
        } else {
            b","
        };
        if let Ok(joined) = HeaderValue::from_bytes(&values.join(separator)) {
            headers.insert(name, joined);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(request: http::request::Builder, limits: &Limits) -> Option<u16> {
        check(&request.body(()).expect("a request"), limits)
            .err()
            .map(|refusal| refusal.0.as_u16())
    }

    #[test]
    fn a_head_may_be_as_long_as_its_limit_and_no_longer() {
        // `GET / HTTP/1.1`, `host: localhost` and what `x: ` takes are 16, 17 and 5 bytes with the
        // ends of their lines.
        let head = |bytes: usize| {
            Request::get("/")
                .header("host", "localhost")
                .header("x", "x".repeat(bytes - 38))
        };
        let address = |bytes: usize| {
            Request::get(format!("/{}", "x".repeat(bytes - 1))).header("host", "localhost")
        };
        for (limits, address_bytes) in [(&API_LIMITS, 10_240 - 32), (&CDN_LIMITS, 8_192)] {
            assert_eq!(status(head(limits.head_bytes), limits), None);
            assert_eq!(status(head(limits.head_bytes + 1), limits), Some(431));
            assert_eq!(status(address(address_bytes), limits), None);
            assert_eq!(status(address(limits.address_bytes + 1), limits), Some(414));
        }
    }

    #[test]
    fn repeated_headers_are_joined() {
        let pairs = [
            ("accept", "a"),
            ("cookie", "x=1"),
            ("accept", "b, c"),
            ("cookie", "y=2"),
            ("host", "h"),
        ];
        let pair = |(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        };
        let mut headers: HeaderMap = pairs.map(pair).into_iter().collect();
        join_repeated(&mut headers);
        assert_eq!(
            (headers.len(), &headers["accept"], &headers["cookie"]),
            (3, &"a,b, c".parse().unwrap(), &"x=1; y=2".parse().unwrap())
        );
    }
}
