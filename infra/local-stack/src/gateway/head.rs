//! Validates and normalizes request line and headers.
//!
//! Invariant: a forwarded request fits into an event: it has a path, one host, and each header
//! once, as UTF-8.

use domain::naming::HostPattern;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, header, uri::Authority,
};

use super::error::GatewayError;

/// Size limits of a gateway, in bytes.
pub(super) struct Limits {
    target_bytes: usize,
    /// Request line and headers together.
    head_bytes: usize,
}

/// Quotas of an HTTP API.
pub(super) const API_LIMITS: Limits = Limits {
    target_bytes: 10_240,
    head_bytes: 10_240,
};
pub(super) const CDN_LIMITS: Limits = Limits {
    target_bytes: 8_192,
    head_bytes: 32_768,
};

/// Length of a request line without method and URL: two spaces, the version, the line end.
const REQUEST_LINE_BYTES: usize = 12;
/// Length of a header line without name and value: a colon, a space, the line end.
const HEADER_LINE_BYTES: usize = 4;

/// Hosts of the CDN in place of the domain of the distribution.
const LOOPBACK_HOSTS: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

const REMAPPED_CHALLENGE: HeaderName = HeaderName::from_static("x-amzn-remapped-www-authenticate");
const REMAPPED_LENGTH: HeaderName = HeaderName::from_static("x-amzn-remapped-content-length");

/// Rejects requests that API Gateway or CloudFront would not forward.
pub(super) fn check<B>(request: &Request<B>, limits: &Limits) -> Result<(), GatewayError> {
    let uri = request.uri();
    let headers = request.headers();
    let reject = |status, message| Err(GatewayError::new(status, message));

    let target_bytes = uri
        .path_and_query()
        .map_or(0, |address| address.as_str().len());
    if target_bytes > limits.target_bytes {
        return reject(StatusCode::URI_TOO_LONG, "The URL is too long.");
    }
    let header_bytes: usize = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + HEADER_LINE_BYTES)
        .sum();
    if request.method().as_str().len() + target_bytes + REQUEST_LINE_BYTES + header_bytes
        > limits.head_bytes
    {
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return reject(status, "The headers are too large.");
    }

    let reject = |message| reject(StatusCode::BAD_REQUEST, message);
    if !uri.path().starts_with('/') {
        return reject("The request target must be a path.");
    }
    if !has_one_host(headers) {
        return reject("The request must have exactly one valid Host header.");
    }
    let mut values = headers.values();
    if values.any(|value| str::from_utf8(value.as_bytes()).is_err()) {
        return reject("A header is not valid UTF-8.");
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

/// Rejects hosts that are neither an alternate domain name of the distribution nor a name of the
/// loopback interface, which replaces the domain of the distribution. CloudFront responds in the
/// same way (Amazon CloudFront Developer Guide, "HTTP 403 status code (Permission Denied)").
pub(super) fn require_host(
    headers: &HeaderMap,
    aliases: &[HostPattern],
) -> Result<(), GatewayError> {
    let authority = headers
        .get(header::HOST)
        .and_then(|host| Authority::try_from(host.as_bytes()).ok());
    let host = authority.map(|authority| authority.host().to_ascii_lowercase());
    let host = host.unwrap_or_default();

    if LOOPBACK_HOSTS.contains(&host.as_str()) || aliases.iter().any(|alias| alias.matches(&host)) {
        Ok(())
    } else {
        Err(GatewayError::new(
            StatusCode::FORBIDDEN,
            "The host is not a domain of the CDN.",
        ))
    }
}

/// Joins repeated headers as in an event: cookies by semicolons, others by commas.
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

/// Renames the response headers that Lambda's HTTP front ends do not pass on. Amazon API Gateway
/// Developer Guide, "Amazon API Gateway important notes", lists them for REST APIs; HTTP APIs and
/// function URLs rename `WWW-Authenticate` too. `Content-Length` describes the empty body of an
/// event, so that of `HEAD` cannot arrive.
pub(super) fn rename_reserved(method: &Method, headers: &mut HeaderMap) {
    rename(headers, header::WWW_AUTHENTICATE, REMAPPED_CHALLENGE);
    if method == Method::HEAD {
        rename(headers, header::CONTENT_LENGTH, REMAPPED_LENGTH);
    }
}

fn rename(headers: &mut HeaderMap, from: HeaderName, to: HeaderName) {
    if let Some(value) = headers.remove(from) {
        headers.insert(to, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(request: http::request::Builder, limits: &Limits) -> Option<u16> {
        check(&request.body(()).expect("a request"), limits)
            .err()
            .map(|error| error.status.as_u16())
    }

    #[test]
    fn head_over_limit_is_rejected() {
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

        for (limits, target_bytes) in [(&API_LIMITS, 10_240 - 32), (&CDN_LIMITS, 8_192)] {
            assert_eq!(status(head(limits.head_bytes), limits), None);
            assert_eq!(status(head(limits.head_bytes + 1), limits), Some(431));
            assert_eq!(status(address(target_bytes), limits), None);
            assert_eq!(status(address(limits.target_bytes + 1), limits), Some(414));
        }
    }

    #[test]
    fn repeated_headers_are_joined() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("accept", "a"),
            ("cookie", "x=1"),
            ("accept", "b, c"),
            ("cookie", "y=2"),
            ("host", "h"),
        ] {
            headers.append(name, HeaderValue::from_static(value));
        }

        join_repeated(&mut headers);

        assert_eq!(headers.len(), 3);
        assert_eq!(headers["accept"], "a,b, c");
        assert_eq!(headers["cookie"], "x=1; y=2");
    }
}
