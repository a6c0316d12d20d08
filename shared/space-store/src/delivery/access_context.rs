//! The credentials of delivery requests, and why they grant access.

use domain::{
    env::Timestamp,
    signing::{MasterSecret, SignatureError, SignedDelivery},
};

use crate::spaces::Caller;

/// The credentials of a delivery request.
pub struct AccessContext<'a> {
    /// The caller, if the request has a valid key.
    pub caller: Option<&'a Caller>,
    /// The signature of the URL, if it has one; an error if the signature is malformed.
    pub signature: Option<Result<UrlSignature<'a>, SignatureError>>,
    /// Whether the request is for a transformed image.
    pub is_transformed: bool,
    /// Time of the request.
    pub now: Timestamp,
}

/// The signature of a delivery URL, and the secret to verify it with.
pub struct UrlSignature<'a> {
    /// The signature and what it covers.
    pub delivery: SignedDelivery,
    /// The master secret of all signatures.
    pub master: &'a MasterSecret,
}

/// Why access to a file is granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessReason {
    /// The file is public.
    Public,
    /// The URL is signed.
    Signature,
    /// The caller has a role in the space.
    ApiKey,
}
