//! Why a request fails, before it is anything of HTTP.
//!
//! Invariant: `message` and `field_errors` are written for the caller and hold nothing internal;
//! what is internal is the `source`, which is logged and never shown.

use std::{borrow::Cow, error::Error, fmt};

use crate::{FieldError, FieldErrors, RateLimitStatus};

/// Seconds after which what failed because we were busy may be tried again.
const BUSY_SECONDS: u32 = 1;

/// What kind of failure it is. Only the HTTP edge knows which status each one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request cannot be read.
    Malformed,
    /// The caller is nobody we know.
    Unauthenticated,
    /// The caller may not do this.
    Forbidden,
    /// There is no such thing, or none that the caller may know of.
    NotFound,
    /// The path exists, with other methods.
    MethodNotAllowed,
    /// The present state does not allow it.
    Conflict,
    /// The body is larger than is accepted.
    TooLarge,
    /// The body is of a content type that is not accepted.
    UnsupportedMediaType,
    /// What the request takes for granted does not hold.
    PreconditionFailed,
    /// The requested bytes are not in the file.
    RangeNotSatisfiable,
    /// Fields are wrong.
    Invalid,
    /// The caller asks too often.
    RateLimited,
    /// We failed.
    Internal,
    /// The request lost a race against others.
    Contended,
    /// We are overloaded, or what we depend on is.
    Unavailable,
}

/// One failure.
#[derive(Debug)]
pub struct ServiceError {
    /// Its kind.
    pub kind: ErrorKind,
    /// For the caller.
    pub message: Cow<'static, str>,
    /// The fields at error.
    pub field_errors: FieldErrors,
    /// Seconds after which another try may fare better, where that is known.
    pub retry_after_seconds: Option<u32>,
    /// The limit that refused the request.
    pub rate_limit: Option<Box<RateLimitStatus>>,
    /// For the log.
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl ServiceError {
    /// A failure of a kind, said in a sentence.
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

    /// The request cannot be read; the sentence says where.
    pub fn malformed(message: impl Into<Cow<'static, str>>) -> ServiceError {
        ServiceError::new(ErrorKind::Malformed, message)
    }

    /// The caller is nobody we know.
    pub fn unauthenticated() -> ServiceError {
        ServiceError::new(ErrorKind::Unauthenticated, "Unauthenticated.")
    }

    /// The caller may not do this; the sentence says why.
    pub fn forbidden(message: impl Into<Cow<'static, str>>) -> ServiceError {
        ServiceError::new(ErrorKind::Forbidden, message)
    }

    /// There is no such thing, or none that the caller may know of: the same for both.
    pub fn not_found() -> ServiceError {
        ServiceError::new(ErrorKind::NotFound, "Not found.")
    }

    /// The present state does not allow it; the reason stands under the field.
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

    /// The caller has used up a limit.
    pub fn rate_limited(rate_limit: RateLimitStatus) -> ServiceError {
        ServiceError {
            retry_after_seconds: Some(rate_limit.resets_in_seconds),
            rate_limit: Some(Box::new(rate_limit)),
            ..ServiceError::new(ErrorKind::RateLimited, "Too Many Attempts.")
        }
    }

    /// We failed.
    pub fn internal(source: impl Into<Box<dyn Error + Send + Sync>>) -> ServiceError {
        ServiceError {
            source: Some(source.into()),
            ..ServiceError::new(ErrorKind::Internal, "Server error.")
        }
    }

    /// The request lost a race against others: another try is likely to succeed.
    pub fn contended(source: impl Into<Box<dyn Error + Send + Sync>>) -> ServiceError {
        ServiceError {
            kind: ErrorKind::Contended,
            ..ServiceError::unavailable(source)
        }
    }

    /// We, or what we depend on, are overloaded.
    pub fn unavailable(source: impl Into<Box<dyn Error + Send + Sync>>) -> ServiceError {
        ServiceError {
            source: Some(source.into()),
            retry_after_seconds: Some(BUSY_SECONDS),
            ..ServiceError::new(
                ErrorKind::Unavailable,
                "The service is busy. Please try again.",
            )
        }
    }
}

/// Describes an error with its causes, outermost first, joined by ": " in place of a full stop. A
/// cause that the text before it ends with is not repeated.
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
    fn error_chain_names_each_cause_once() {
        let error = ServiceError::internal(ServiceError {
            source: Some("disk full".into()),
            ..ServiceError::forbidden("Refused.")
        });
        assert_eq!(
            error_chain(&Outer(error)),
            "retry: Server error: Refused: disk full"
        );
        assert_eq!(error_chain(&ServiceError::not_found()), "Not found.");
    }
}
