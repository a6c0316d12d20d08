//! Errors of requests, independent of HTTP.
//!
//! Invariant: `message` and `field_errors` are for the caller and contain nothing internal. The
//! internal cause is the `source`, which is logged and never part of a response.

use std::{borrow::Cow, error::Error, fmt};

use crate::errors::{FieldError, FieldErrors, RateLimitStatus};

/// Seconds after which a request can be retried that failed because of load.
const BUSY_SECONDS: u32 = 1;

/// Kind of an error. The `http-api` crate maps it to an HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request cannot be parsed.
    Malformed,
    /// The credentials are missing or invalid.
    Unauthenticated,
    /// The caller lacks the permission.
    Forbidden,
    /// The resource does not exist, or the caller cannot see it.
    NotFound,
    /// The path exists only with other methods.
    MethodNotAllowed,
    /// The current state of the resource does not allow the operation.
    Conflict,
    /// The body exceeds the size limit.
    TooLarge,
    /// The body has an unsupported content type.
    UnsupportedMediaType,
    /// A precondition of the request does not hold.
    PreconditionFailed,
    /// The requested byte range is outside the file.
    RangeNotSatisfiable,
    /// Fields of the request are invalid.
    Invalid,
    /// The caller exceeded a rate limit.
    RateLimited,
    Internal,
    /// The request lost a race against concurrent ones.
    Contended,
    /// The service or a dependency is overloaded.
    Unavailable,
}

/// Error of a request.
#[derive(Debug)]
pub struct ServiceError {
    /// Kind of the error.
    pub kind: ErrorKind,
    /// Message for the caller.
    pub message: Cow<'static, str>,
    /// Errors of single fields, for the caller.
    pub field_errors: FieldErrors,
    /// Seconds after which a retry may succeed.
    pub retry_after_seconds: Option<u32>,
    /// Rate limit that rejected the request.
    pub rate_limit: Option<Box<RateLimitStatus>>,
    /// Internal cause, for the log.
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl ServiceError {
    /// Creates an error with a message for the caller.
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> ServiceError {
        ServiceError {
            kind,
            message: message.into(),
            field_errors: FieldErrors::default(),
            retry_after_seconds: None,
            rate_limit: None,
            source: None,
        }
    }

    /// Creates an error for a request that cannot be parsed.
    pub fn malformed(message: impl Into<Cow<'static, str>>) -> ServiceError {
        ServiceError::new(ErrorKind::Malformed, message)
    }

    /// Creates an error for missing or invalid credentials.
    pub fn unauthenticated() -> ServiceError {
        ServiceError::new(ErrorKind::Unauthenticated, "Unauthenticated.")
    }

    /// Creates an error for a missing permission.
    pub fn forbidden(message: impl Into<Cow<'static, str>>) -> ServiceError {
        ServiceError::new(ErrorKind::Forbidden, message)
    }

    /// Creates the same error for a missing resource and for one that the caller cannot see.
    pub fn not_found() -> ServiceError {
        ServiceError::new(ErrorKind::NotFound, "Not found.")
    }

    /// Creates an error for an operation that the current state does not allow, with the reason as
    /// an error of `field`.
    pub fn conflict(
        message: impl Into<Cow<'static, str>>,
        field: &str,
        field_error: FieldError,
    ) -> ServiceError {
        ServiceError {
            field_errors: (field, field_error).into(),
            ..ServiceError::new(ErrorKind::Conflict, message)
        }
    }

    /// Creates an error for an exceeded rate limit.
    pub fn rate_limited(rate_limit: RateLimitStatus) -> ServiceError {
        ServiceError {
            retry_after_seconds: Some(rate_limit.resets_in_seconds),
            rate_limit: Some(Box::new(rate_limit)),
            ..ServiceError::new(ErrorKind::RateLimited, "Too Many Attempts.")
        }
    }

    /// Creates an error for a failure of the service.
    pub fn internal(source: impl Into<Box<dyn Error + Send + Sync>>) -> ServiceError {
        ServiceError {
            source: Some(source.into()),
            ..ServiceError::new(ErrorKind::Internal, "Server error.")
        }
    }

    /// Creates an error for a lost race. A retry is likely to succeed.
    pub fn contended(source: impl Into<Box<dyn Error + Send + Sync>>) -> ServiceError {
        ServiceError {
            kind: ErrorKind::Contended,
            ..ServiceError::unavailable(source)
        }
    }

    /// Creates an error for an overloaded service or dependency.
    pub fn unavailable(source: impl Into<Box<dyn Error + Send + Sync>>) -> ServiceError {
        ServiceError {
            source: Some(source.into()),
            retry_after_seconds: Some(BUSY_SECONDS),
            ..ServiceError::new(
                ErrorKind::Unavailable,
                "The service is busy. Retry after the number of seconds in Retry-After.",
            )
        }
    }
}

/// Formats an error with its causes, outermost first, joined with `: `. A cause is omitted if the
/// text before it already ends with it.
pub fn error_chain(error: &dyn Error) -> String {
    let mut chain = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        if !chain.ends_with(&text) {
            chain.truncate(chain.trim_end_matches('.').len());
            chain.push_str(": ");
            chain.push_str(&text);
        }
        source = cause.source();
    }
    chain
}

impl From<FieldErrors> for ServiceError {
    fn from(field_errors: FieldErrors) -> ServiceError {
        ServiceError {
            field_errors,
            ..ServiceError::new(ErrorKind::Invalid, "The given data was invalid.")
        }
    }
}

impl fmt::Display for ServiceError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl Error for ServiceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Outer(ServiceError);

    impl fmt::Display for Outer {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(formatter, "retry: {}", self.0)
        }
    }

    impl Error for Outer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn error_chain_contains_each_cause_once() {
        let error = ServiceError::internal(ServiceError {
            source: Some("disk full".into()),
            ..ServiceError::forbidden("Rejected.")
        });
        assert_eq!(
            error_chain(&Outer(error)),
            "retry: Server error: Rejected: disk full"
        );
        assert_eq!(error_chain(&ServiceError::not_found()), "Not found.");
    }
}
