//! Errors.

use std::{io, time::Duration};

use http::StatusCode;
use thiserror::Error;

/// A request without a response. The messages are meant for the caller who gave the URL: they name
/// no address and nothing of our network. Sources are for logs.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OutboundError {
    /// The policy of this client does not allow the URL, which another policy accepted.
    #[error("The URL is not an https URL of a public host.")]
    UrlNotAllowed,
    /// The resolver failed, or has no such name.
    #[error("The host name cannot be resolved.")]
    Unresolved(#[source] io::Error),
    /// The name exists without addresses.
    #[error("The host has no address.")]
    NoAddress,
    /// At least one address of the host is not public.
    #[error("The host resolves to a private address.")]
    PrivateAddress,
    /// No address accepted a connection in time.
    #[error("The host does not accept a connection within {} ms.", .0.as_millis())]
    ConnectTimeout(Duration),
    /// No address accepted a connection.
    #[error("The host does not accept a connection.")]
    Connect(#[source] io::Error),
    /// The certificate is expired, not trusted, or issued for another name.
    #[error("The host has no valid certificate for its name.")]
    InvalidCertificate(#[source] io::Error),
    /// TLS failed for another reason.
    #[error("The TLS handshake with the host failed.")]
    Handshake(#[source] io::Error),
    /// The machine of this service has no root certificates: a defect of the installation.
    #[error("Hosts cannot be verified at the moment.")]
    NoRootCertificates,
    /// The response was not complete in time.
    #[error("The host does not complete its response within {} ms.", .0.as_millis())]
    DeadlineExceeded(Duration),
    /// A response with status 3xx.
    #[error("The host responds with a redirect ({}). Redirects are not followed.", .0.as_u16())]
    Redirect(StatusCode),
    /// Too many or too large headers.
    #[error("The headers of the response are too large.")]
    HeadersTooLarge,
    /// A body of more than this number of bytes.
    #[error("The response is larger than {0} bytes.")]
    BodyTooLarge(usize),
    #[error("The response is compressed, although the request does not accept that.")]
    Encoded,
    /// Not a response of HTTP/1.1.
    #[error("The response is not valid HTTP.")]
    InvalidResponse(#[source] hyper::Error),
    /// The connection ended before the response did.
    #[error("The host closed the connection before the response was complete.")]
    Incomplete(#[source] hyper::Error),
}

impl OutboundError {
    pub(crate) fn from_hyper(error: hyper::Error) -> OutboundError {
        if error.is_parse_too_large() {
            OutboundError::HeadersTooLarge
        } else if error.is_parse() {
            OutboundError::InvalidResponse(error)
        } else {
            OutboundError::Incomplete(error)
        }
    }
}
