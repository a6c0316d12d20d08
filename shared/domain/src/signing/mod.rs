//! Signing: derived secrets, encryption and the signatures of signed URLs.

mod secret;
pub(crate) mod signature;

pub use secret::{MasterSecret, Secret};
pub use signature::{
    PreviousSecret, SIGNATURE_PARAMETER, SignatureError, Signing, SigningSecret, canonical_form,
    decoded_parameters,
};
