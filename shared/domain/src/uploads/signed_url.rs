//! Signed upload URLs, with which a client uploads without an API key.
//!
//! The query is
//! `expires&key_id&kid&space_id&upload_config_id[&content_type][&filename][&folder_id][&user_id]&signature`,
//! signed over the [`canonical_form`] of one path, for all endpoints that accept the query.
//! `folder_id` is the id of a folder, or `root`. `key_id`, with `user_id` for an account key, names
//! the API key with whose validity the URL ends.
//!
//! Invariant: the claims of a [`SignedUploadUrl`] only select what it is verified with. Uploads
//! follow the [`UploadPermit`] that [`SignedUploadUrl::verify`] returns.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    env::Timestamp,
    id::{FolderId, InvalidId, SpaceId, UploadConfigId, UserId},
    keys::{KeyId, KeyOwner},
    naming::OriginalName,
    signing::{
        MasterSecret, QueryParameter, SignatureError, Signing, SigningSecret, canonical_form,
        decoded_parameters,
        query_parameter::{optional_parameter, required_parameter},
        signature::{EXPIRES, KID, PresentedSignature},
    },
};

const SPACE: &str = "space_id";
const CONFIG: &str = "upload_config_id";
const FILENAME: &str = "filename";
const CONTENT_TYPE: &str = "content_type";
const FOLDER: &str = "folder_id";
const KEY: &str = "key_id";
const USER: &str = "user_id";
/// Value that selects the root instead of a folder id.
pub const ROOT_FOLDER: &str = "root";

/// Folder that a signed URL uploads into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedFolder {
    /// The root of the space.
    Root,
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

/// API key with whose validity a signed URL ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SigningApiKey {
    /// Id of the key.
    pub id: KeyId,
    /// User of an account key; `None` for a key of the URL's space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserId>,
}

impl SigningApiKey {
    /// Returns the owner of the key of a URL for a space.
    pub fn owner(self, space: SpaceId) -> KeyOwner {
        self.user_id.map_or(KeyOwner::Space(space), KeyOwner::User)
    }
}

/// Uploads that a signed URL permits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadPermit {
    /// Space of the files.
    pub space_id: SpaceId,
    /// Upload config of the files.
    pub config_id: UploadConfigId,
    /// Expiration time, in seconds since 1970.
    pub expires_seconds: i64,
    /// Original name of the files, instead of the one that the client sends.
    pub filename: Option<String>,
    /// The only permitted MIME type.
    pub content_type: Option<String>,
    /// Folder of the files; `None` uses the upload config's folder.
    pub folder: Option<SignedFolder>,
    /// Key with whose validity the URL ends.
    pub key: SigningApiKey,
}

/// Signed upload URL of a request, not verified yet. Has no `Debug`, since a signature grants
/// access.
#[derive(Clone)]
pub struct SignedUploadUrl {
    /// Uploads that the URL claims to permit.
    pub claims: UploadPermit,
    signature: PresentedSignature,
    /// The URL with spaces in place of pluses, if it has any: `URLSearchParams` and form encoders
    /// write spaces so.
    with_spaces: Option<Box<SignedUploadUrl>>,
}

impl UploadPermit {
    /// Returns the signed query of a URL with this path, with `signature` as its last parameter.
    pub fn query(&self, path: &str, secret: &SigningSecret) -> String {
        let mut parameters = vec![
            QueryParameter::new(EXPIRES, self.expires_seconds.to_string()),
            QueryParameter::new(KID, secret.kid()),
            QueryParameter::new(SPACE, self.space_id.to_string()),
            QueryParameter::new(CONFIG, self.config_id.to_string()),
            QueryParameter::new(KEY, self.key.id.to_string()),
        ];
        if let Some(user_id) = self.key.user_id {
            parameters.push(QueryParameter::new(USER, user_id.to_string()));
        }
        if let Some(filename) = &self.filename {
            parameters.push(QueryParameter::new(FILENAME, filename));
        }
        if let Some(content_type) = &self.content_type {
            parameters.push(QueryParameter::new(CONTENT_TYPE, content_type));
        }
        if let Some(folder) = self.folder {
            parameters.push(QueryParameter::new(FOLDER, folder.to_string()));
        }

        secret.signed_query(&canonical_form(path, &parameters))
    }

    /// Returns the sanitized original name.
    pub fn original_name(&self) -> Option<OriginalName> {
        self.filename.as_deref().map(OriginalName::clean)
    }
}

impl SignedUploadUrl {
    /// Parses the query of a URL that is signed for a path. Names and values are percent-encoded
    /// UTF-8. A plus is a plus, or a space if the signature is that of a space.
    pub fn parse(path: &str, query: &str) -> Result<SignedUploadUrl, SignatureError> {
        let parameters = decoded_parameters(query).map_err(|_| SignatureError::Incomplete)?;
        let mut url = SignedUploadUrl::from_parameters(path, &parameters)?;
        if query.contains('+') {
            let with_spaces = SignedUploadUrl::parse(path, &query.replace('+', "%20"))?;
            url.with_spaces = Some(Box::new(with_spaces));
        }
        Ok(url)
    }

    fn from_parameters(
        path: &str,
        parameters: &[QueryParameter<'_>],
    ) -> Result<SignedUploadUrl, SignatureError> {
        let claims = UploadPermit {
            space_id: parsed(required_parameter(parameters, SPACE)?)?,
            config_id: parsed(required_parameter(parameters, CONFIG)?)?,
            expires_seconds: parsed(required_parameter(parameters, EXPIRES)?)?,
            filename: optional_parameter(parameters, FILENAME)?.map(str::to_owned),
            content_type: optional_parameter(parameters, CONTENT_TYPE)?.map(str::to_owned),
            folder: optional_parameter(parameters, FOLDER)?
                .map(parsed)
                .transpose()?,
            key: SigningApiKey {
                id: parsed(required_parameter(parameters, KEY)?)?,
                user_id: optional_parameter(parameters, USER)?
                    .map(parsed)
                    .transpose()?,
            },
        };

        Ok(SignedUploadUrl {
            claims,
            signature: PresentedSignature::parse(path, parameters)?,
            with_spaces: None,
        })
    }

    /// Returns the signature in lower-case hex: unique to the URL and secret to its holders.
    pub fn signature(&self) -> &str {
        self.signature.as_str()
    }

    /// Returns the SHA-256 of the signature in lower-case hex: unique to the URL, but not secret.
    pub fn digest(&self) -> String {
        hex::encode(Sha256::digest(self.signature()))
    }

    /// Verifies signature and expiration, and returns the permitted uploads. `signing` is that of
    /// the space in the claims.
    pub fn verify(
        &self,
        signing: Signing,
        master: &MasterSecret,
        now: Timestamp,
    ) -> Result<&UploadPermit, SignatureError> {
        let space_id = self.claims.space_id;
        let verified = self.signature.verify(space_id, signing, master, now);
        match &self.with_spaces {
            Some(url) if verified.is_err() => return url.verify(signing, master, now),
            _ => verified?,
        }

        if now.seconds() >= self.claims.expires_seconds {
            return Err(SignatureError::Expired);
        }
        Ok(&self.claims)
    }
}

fn parsed<T: FromStr>(text: &str) -> Result<T, SignatureError> {
    text.parse().map_err(|_| SignatureError::Incomplete)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "/upload";

    fn upload() -> UploadPermit {
        UploadPermit {
            space_id: SpaceId::MIN,
            config_id: UploadConfigId::MAX,
            expires_seconds: 100,
            filename: Some("a b+é.jpg".to_owned()),
            content_type: Some("image/jpeg".to_owned()),
            folder: Some(SignedFolder::Folder(FolderId::MAX)),
            key: SigningApiKey {
                id: KeyId(7),
                user_id: Some(UserId::MAX),
            },
        }
    }

    fn presented(query: &str) -> Vec<QueryParameter<'_>> {
        url::form_urlencoded::parse(query.as_bytes())
            .map(|(name, value)| QueryParameter { name, value })
            .collect()
    }

    fn parses_filename(query: &str, filename: &str) -> bool {
        let query = format!(
            "{query}&expires=1&key_id=7&kid=1&space_id={0}&upload_config_id={0}&signature=00",
            SpaceId::MIN
        );
        SignedUploadUrl::parse(PATH, &query)
            .is_ok_and(|url| url.claims.filename.as_deref() == Some(filename))
    }

    #[test]
    fn query_is_decoded_once_and_must_be_utf8() {
        assert!(
            parses_filename("filename=a+b%2Bc%20d", "a+b+c d")
                && parses_filename("filename=%2541", "%41")
        );
        for wrong in ["filename=%FF", "%FF=1&filename=a", "filename=%C3"] {
            assert!(!parses_filename(wrong, "a"), "{wrong}");
        }
    }

    fn verify(
        parameters: &[QueryParameter<'_>],
        seconds: i64,
    ) -> Result<UploadPermit, SignatureError> {
        let now = Timestamp::from_ms(seconds * 1_000);
        SignedUploadUrl::from_parameters(PATH, parameters)?
            .verify(Signing::default(), &MasterSecret::new("master"), now)
            .cloned()
    }

    #[test]
    fn plus_may_stand_for_a_signed_space() {
        let master = MasterSecret::new("master");
        let secret = SigningSecret::of(SpaceId::MIN, 1, &master);
        let now = Timestamp::from_ms(1_000);
        let verify = |query: &str| {
            let url = SignedUploadUrl::parse(PATH, query).expect("a complete query");
            url.verify(Signing::default(), &master, now).cloned()
        };
        let query = upload().query(PATH, &secret);
        let written_again = query.replace("%20", "+");

        assert_ne!(written_again, query);
        assert_eq!(verify(&written_again), Ok(upload()));
        assert_eq!(verify(&query.replace("%2B", "+")), Ok(upload()));
        assert!(verify(&query.replace("%2B", "%20")).is_err());
    }

    #[test]
    fn url_permits_exactly_the_signed_upload_until_it_expires() {
        let secret = SigningSecret::of(SpaceId::MIN, 1, &MasterSecret::new("master"));
        let query = upload().query(PATH, &secret);
        let parameters = presented(&query);
        assert_eq!(verify(&parameters, 99), Ok(upload()));
        assert_eq!(verify(&parameters, 100), Err(SignatureError::Expired));
        for index in 0..parameters.len() {
            let mut tampered = parameters.clone();
            tampered[index].value.to_mut().push('0');
            assert!(verify(&tampered, 99).is_err(), "{:?}", parameters[index]);

            let mut missing = parameters.clone();
            missing.remove(index);
            assert!(verify(&missing, 99).is_err(), "{:?}", parameters[index]);

            let repeated = [&parameters[..], &parameters[index..=index]].concat();
            assert!(verify(&repeated, 99).is_err(), "{:?}", parameters[index]);
        }
        let more = [&parameters[..], &[QueryParameter::new("extra", "1")]].concat();
        assert_eq!(verify(&more, 99), Err(SignatureError::Invalid));
    }
}
