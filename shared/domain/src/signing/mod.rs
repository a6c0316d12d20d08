//! Signing: derived secrets, encryption and the signatures of signed URLs.

pub(crate) mod query_parameter;
mod secret;
pub(crate) mod signature;
mod signed_delivery;

pub use query_parameter::{QueryParameter, decoded_parameters};
pub use secret::{MasterSecret, Secret};
pub use signature::{
    PreviousSecret, SIGNATURE_PARAMETER, SignatureError, Signing, SigningSecret, canonical_form,
};
pub use signed_delivery::{SignedDelivery, signed_query};
