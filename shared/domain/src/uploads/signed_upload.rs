//! Signed addresses to upload to: who makes one may upload, and lets whoever holds it upload in
//! their place.
//!
//! The query is
//! `expires&kid&space_id&upload_config_id[&content_type][&filename][&folder_id]&signature`, signed
//! as [`canonical_form`] says over one path, wherever the query is used. `folder_id` is a folder's
//! id, or `root`.

use std::{fmt, str::FromStr};

use sha2::{Digest, Sha256};

use crate::{
    FolderId, InvalidId, MasterSecret, OriginalName, SIGNATURE_PARAMETER, ServiceError, Signing,
    SigningSecret, SpaceId, Timestamp, UploadConfigId, canonical_form, decoded_parameters,
    signing::signature::{EXPIRES, KID, needed, optional},
    verify_signature,
};

const SPACE: &str = "space_id";
const CONFIG: &str = "upload_config_id";
const FILENAME: &str = "filename";
const CONTENT_TYPE: &str = "content_type";
const FOLDER: &str = "folder_id";
/// The text that names the root in place of a folder's id.
pub const ROOT_FOLDER: &str = "root";

/// Folder that a signed URL is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedFolder {
    /// No folder.
    Root,
    /// A folder.
    Folder(FolderId),
}

impl SignedFolder {
    /// Returns the folder's id; `None` for the root.
    pub fn id(self) -> Option<FolderId> {
        match self {
            SignedFolder::Root => None,
            SignedFolder::Folder(id) => Some(id),
        }
    }
}

impl From<Option<FolderId>> for SignedFolder {
    fn from(id: Option<FolderId>) -> SignedFolder {
        id.map_or(SignedFolder::Root, SignedFolder::Folder)
    }
}

impl FromStr for SignedFolder {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<SignedFolder, InvalidId> {
        if text == ROOT_FOLDER {
            Ok(SignedFolder::Root)
        } else {
            text.parse().map(SignedFolder::Folder)
        }
    }
}

impl fmt::Display for SignedFolder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SignedFolder::Root => formatter.write_str(ROOT_FOLDER),
            SignedFolder::Folder(id) => id.fmt(formatter),
        }
    }
}

/// What a signed address allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedUpload {
    /// Uploads into this space.
    pub space_id: SpaceId,
    /// By this config.
    pub config_id: UploadConfigId,
    /// Until then, in seconds since 1970.
    pub expires_seconds: i64,
    /// Under this name, whatever the client calls its file.
    pub filename: Option<String>,
    /// Of this MIME type alone.
    pub content_type: Option<String>,
    /// Into this folder; where the config puts them, if the URL names none.
    pub folder: Option<SignedFolder>,
}

/// Why an address allows nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureError {
    /// Something that every signed address says is missing, malformed, or there twice.
    Incomplete,
    /// The signature is not that of this address by a secret that verifies.
    Invalid,
    /// Its time is over.
    Expired,
}

impl From<SignatureError> for ServiceError {
    fn from(why: SignatureError) -> ServiceError {
        ServiceError::forbidden(match why {
            SignatureError::Incomplete => "The signed URL is incomplete.",
            SignatureError::Invalid => "The signature is invalid.",
            SignatureError::Expired => "The signed URL has expired.",
        })
    }
}

/// An address as it came, not yet proven. It is never printed: whoever has its signature may use
/// it.
#[derive(Clone)]
pub struct SignedUploadUrl {
    /// What it claims to allow.
    pub claims: SignedUpload,
    kid: String,
    canonical: String,
    signature: String,
}

impl SignedUpload {
    /// The query of the address with this path, signed by a space's present secret; `signature`
    /// stands last.
    pub fn query(&self, path: &str, signing: Signing, secret: &SigningSecret) -> String {
        let (space, config) = (self.space_id.to_string(), self.config_id.to_string());
        let (expires, kid) = (
            self.expires_seconds.to_string(),
            signing.generation.to_string(),
        );
        let folder = self.folder.map(|folder| folder.to_string());
        let mut parameters: Vec<(&str, &str)> = vec![
            (EXPIRES, &expires),
            (KID, &kid),
            (SPACE, &space),
            (CONFIG, &config),
        ];
        parameters.extend(self.filename.as_deref().map(|name| (FILENAME, name)));
        parameters.extend(
            self.content_type
                .as_deref()
                .map(|content_type| (CONTENT_TYPE, content_type)),
        );
        parameters.extend(folder.as_deref().map(|folder| (FOLDER, folder)));
        let canonical = canonical_form(path, parameters);
        let query = canonical.split_once('?').map_or("", |(_, query)| query);
        format!("{query}&{SIGNATURE_PARAMETER}={}", secret.sign(&canonical))
    }

    /// The name that files are kept under.
    pub fn original_name(&self) -> Option<OriginalName> {
        self.filename.as_deref().map(OriginalName::clean)
    }
}

impl SignedUploadUrl {
    /// Reads the query of an address that is signed for a path: names and values are
    /// percent-encoded UTF-8, and a plus is a plus.
    pub fn parse(path: &str, query: &str) -> Result<SignedUploadUrl, SignatureError> {
        let parameters = decoded_parameters(query).map_err(|_| SignatureError::Incomplete)?;
        SignedUploadUrl::of(path, &parameters)
    }

    fn of(path: &str, parameters: &[(String, String)]) -> Result<SignedUploadUrl, SignatureError> {
        let claims = SignedUpload {
            space_id: needed(parameters, SPACE)?
                .parse()
                .map_err(|_| SignatureError::Incomplete)?,
            config_id: needed(parameters, CONFIG)?
                .parse()
                .map_err(|_| SignatureError::Incomplete)?,
            expires_seconds: needed(parameters, EXPIRES)?
                .parse()
                .map_err(|_| SignatureError::Incomplete)?,
            filename: optional(parameters, FILENAME)?.map(str::to_owned),
            content_type: optional(parameters, CONTENT_TYPE)?.map(str::to_owned),
            folder: optional(parameters, FOLDER)?
                .map(str::parse)
                .transpose()
                .map_err(|_| SignatureError::Incomplete)?,
        };
        let pairs = parameters
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        Ok(SignedUploadUrl {
            claims,
            kid: needed(parameters, KID)?.to_owned(),
            canonical: canonical_form(path, pairs),
            // It is one address however its signature is spelled.
            signature: needed(parameters, SIGNATURE_PARAMETER)?.to_ascii_lowercase(),
        })
    }

    /// What tells this address from every other, and what only its holders know.
    pub fn signature(&self) -> &str {
        &self.signature
    }

    /// What tells this address from every other, for everyone to know: a SHA-256, in lower-case
    /// hex.
    pub fn digest(&self) -> String {
        hex::encode(Sha256::digest(&self.signature))
    }

    /// What the address allows now, where it is proven by a secret of the space that it names.
    pub fn verify(
        &self,
        signing: Signing,
        master: &MasterSecret,
        now: Timestamp,
    ) -> Result<&SignedUpload, SignatureError> {
        let presented = (
            self.kid.as_str(),
            self.canonical.as_str(),
            self.signature.as_str(),
        );
        if !verify_signature(self.claims.space_id, signing, presented, master, now) {
            return Err(SignatureError::Invalid);
        }
        if now.seconds() >= self.claims.expires_seconds {
            return Err(SignatureError::Expired);
        }
        Ok(&self.claims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "/upload";

    fn upload() -> SignedUpload {
        SignedUpload {
            space_id: SpaceId::MIN,
            config_id: UploadConfigId::MAX,
            expires_seconds: 100,
            filename: Some("a b+é.jpg".to_owned()),
            content_type: Some("image/jpeg".to_owned()),
            folder: Some(SignedFolder::Folder(FolderId::MAX)),
        }
    }

    fn presented(query: &str) -> Vec<(String, String)> {
        url::form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect()
    }

    fn is_read_as(query: &str, filename: &str) -> bool {
        let query = format!(
            "{query}&expires=1&kid=1&space_id={0}&upload_config_id={0}&signature=00",
            SpaceId::MIN
        );
        SignedUploadUrl::parse(PATH, &query)
            .is_ok_and(|presented| presented.claims.filename.as_deref() == Some(filename))
    }

    #[test]
    fn a_query_is_decoded_once_and_strictly() {
        assert!(
            is_read_as("filename=a+b%2Bc%20d", "a+b+c d") && is_read_as("filename=%2541", "%41")
        );
        for wrong in ["filename=%FF", "%FF=1&filename=a", "filename=%C3"] {
            assert!(!is_read_as(wrong, "a"), "{wrong}");
        }
    }

    fn outcome(
        parameters: &[(String, String)],
        seconds: i64,
    ) -> Result<SignedUpload, SignatureError> {
        let now = Timestamp::from_ms(seconds * 1_000);
        SignedUploadUrl::of(PATH, parameters)?
            .verify(Signing::default(), &MasterSecret::new("master"), now)
            .cloned()
    }

    #[test]
    fn an_address_allows_what_it_was_signed_for_until_it_expires() {
        let secret = SigningSecret::of(SpaceId::MIN, 1, &MasterSecret::new("master"));
        let parameters = presented(&upload().query(PATH, Signing::default(), &secret));
        assert_eq!(outcome(&parameters, 99), Ok(upload()));
        assert_eq!(outcome(&parameters, 100), Err(SignatureError::Expired));
        for index in 0..parameters.len() {
            let mut tampered = parameters.clone();
            tampered[index].1.push('0');
            assert!(outcome(&tampered, 99).is_err(), "{:?}", parameters[index]);
            let mut missing = parameters.clone();
            missing.remove(index);
            assert!(outcome(&missing, 99).is_err(), "{:?}", parameters[index]);
            let twice = [&parameters[..], &parameters[index..=index]].concat();
            assert!(outcome(&twice, 99).is_err(), "{:?}", parameters[index]);
        }
        let more = [&parameters[..], &[("extra".to_owned(), "1".to_owned())]].concat();
        assert_eq!(outcome(&more, 99), Err(SignatureError::Invalid));
    }
}
