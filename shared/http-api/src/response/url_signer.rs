//! Signs delivery URLs in responses.

use domain::{
    signing::{MasterSecret, QueryParameter, SigningSecret, signed_query},
    spaces::Space,
};

/// Signs URLs of the files of one space, until one time.
pub struct UrlSigner {
    secret: SigningSecret,
    expires_seconds: i64,
}

impl UrlSigner {
    /// Returns the signer of a space. Its URLs expire at this time, in seconds since 1970.
    pub fn new(space: &Space, master: &MasterSecret, expires_seconds: i64) -> UrlSigner {
        UrlSigner {
            secret: SigningSecret::of(space.id, space.signing.generation, master),
            expires_seconds,
        }
    }

    /// Returns the signed form of the delivery URL of a file, with these parameters.
    pub fn sign(
        &self,
        file_url: &str,
        storage_path: &str,
        parameters: &[QueryParameter<'_>],
    ) -> String {
        let path = format!("/{storage_path}");
        let query = signed_query(&path, parameters, self.expires_seconds, &self.secret);
        format!("{file_url}?{query}")
    }
}
