//! Signs URLs by the documentation alone, so that signer and verifier share no code.

use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tests::{Client, PHOTO, Response, Stack, TestSpace, authority, file, merged, text};

use crate::uploads::presign::PendingFile;

/// Path that every URL is signed for, on each of the routes.
pub(crate) const PATH: &str = "/api/v1/upload/signed";
/// Block size of SHA-256, in bytes.
const BLOCK_BYTES: usize = 64;
/// Validity of signed URLs, in seconds.
const LIFETIME_SECONDS: i64 = 1_800;

/// Decoded parameters of a URL.
pub(crate) type Parameters = Vec<(String, String)>;

/// Percent-encodes all but the unreserved characters of RFC 3986.
fn encoded(text: &str) -> String {
    let character = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(character).collect()
}

/// Returns parameters as a query, in the given order.
pub(crate) fn query(parameters: &[(String, String)]) -> String {
    let pairs = parameters
        .iter()
        .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// Returns the canonical form of an upload URL.
pub(crate) fn canonical(parameters: &[(String, String)]) -> String {
    canonical_at(PATH, parameters)
}

/// Returns the canonical form of a URL with a path.
pub(crate) fn canonical_at(path: &str, parameters: &[(String, String)]) -> String {
    let mut pairs: Parameters = parameters
        .iter()
        .map(|(name, value)| (encoded(name), encoded(value)))
        .collect();
    pairs.sort();

    let pairs: Vec<String> = pairs
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!("{path}?{}", pairs.join("&"))
}

/// Returns HMAC-SHA256 (RFC 2104) in hex. The key must not exceed a block.
pub(crate) fn hmac_sha256(secret: &str, text: &str) -> String {
    hex::encode(hmac_sha256_of_bytes(secret.as_bytes(), text))
}

/// Returns HMAC-SHA256 (RFC 2104). The key must not exceed a block.
pub(crate) fn hmac_sha256_of_bytes(secret: &[u8], text: &str) -> Vec<u8> {
    let mut key = [0_u8; BLOCK_BYTES];
    key[..secret.len()].copy_from_slice(secret);

    let inner = Sha256::new()
        .chain_update(key.map(|byte| byte ^ 0x36))
        .chain_update(text)
        .finalize();
    Sha256::new()
        .chain_update(key.map(|byte| byte ^ 0x5C))
        .chain_update(inner)
        .finalize()
        .to_vec()
}

/// Returns parameters with one value replaced.
pub(crate) fn with(mut parameters: Parameters, name: &str, value: &str) -> Parameters {
    parameters.retain(|(existing, _)| existing != name);
    parameters.push((name.to_owned(), value.to_owned()));
    parameters
}

pub(crate) fn photo() -> Part {
    file("photo.jpg", "image/jpeg", PHOTO)
}

/// Returns what a presign request declares about the photo.
pub(crate) fn declared_photo() -> Value {
    json!({"filename": "photo.jpg", "content_type": "image/jpeg", "size": PHOTO.len()})
}

/// A signing secret of a space.
#[derive(Clone)]
pub(crate) struct SigningSecret {
    pub(crate) kid: String,
    pub(crate) secret: String,
}

impl SigningSecret {
    /// Returns the current secret of a space.
    pub(crate) async fn of(tenant: &TestSpace) -> SigningSecret {
        let path = format!("{}/signing-secret", tenant.path());
        let current = tenant.get_ok(&path).await;
        SigningSecret {
            kid: text(&current["kid"]),
            secret: text(&current["secret"]),
        }
    }

    /// Returns the URL of a file, signed with an expiry and more parameters.
    pub(crate) fn sign(&self, url: &str, expires_seconds: i64, more: &[(&str, &str)]) -> String {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let parameters: Parameters = more.iter().map(owned).collect();
        let parameters = with(parameters, "kid", &self.kid);
        let parameters = with(parameters, "expires", &expires_seconds.to_string());
        let (_, path) = url.split_once(authority(url)).expect("a host");

        let canonical = canonical_at(path, &parameters);
        let query = canonical.split_once('?').expect("a query").1;
        let signature = hmac_sha256(&self.secret, &canonical);
        format!("{url}?{query}&signature={signature}")
    }
}

/// A space, one of its upload configs, and the secret that signs its URLs.
#[derive(Clone)]
pub(crate) struct Signer {
    pub(crate) acme: TestSpace,
    /// Id of the config.
    pub(crate) config: String,
    pub(crate) kid: String,
    pub(crate) secret: String,
    /// Client without a key.
    pub(crate) anonymous: Client,
}

impl Signer {
    /// Creates a space with a config named `by-signature` that accepts signed uploads alone and has
    /// these settings.
    pub(crate) async fn new(stack: &Stack, space: &str, settings: Value) -> Signer {
        let acme = stack.space(space).await;
        let config = acme
            .upload_config("by-signature")
            .with(json!({"is_signed": true}))
            .with_settings(settings)
            .await;

        let current = SigningSecret::of(&acme).await;

        Signer {
            acme,
            config: config.id,
            kid: current.kid,
            secret: current.secret,
            anonymous: stack.anonymous.clone(),
        }
    }

    /// Returns a signer for another config with these fields.
    pub(crate) async fn for_config(&self, fields: Value) -> Signer {
        let body = merged(json!({"space_id": self.acme.id}), fields);
        let config = text(&self.acme.create("/upload-configs", body).await["id"]);
        Signer {
            config,
            ..self.clone()
        }
    }

    /// Returns the required parameters of a URL that is valid for half an hour.
    pub(crate) fn parameters(&self, stack: &Stack) -> Parameters {
        let expires = stack.now().seconds() + LIFETIME_SECONDS;
        let parameters = [
            ("upload_config_id", self.config.clone()),
            ("kid", self.kid.clone()),
            ("key_id", self.acme.key_id.to_string()),
            ("space_id", self.acme.id.clone()),
            ("expires", expires.to_string()),
        ];
        parameters
            .map(|(name, value)| (name.to_owned(), value))
            .into()
    }

    /// Adds the signature to parameters.
    pub(crate) fn signed(&self, parameters: Parameters) -> Parameters {
        let signature = hmac_sha256(&self.secret, &canonical(&parameters));
        with(parameters, "signature", &signature)
    }

    /// Returns a signed query that is valid for half an hour.
    pub(crate) fn query(&self, stack: &Stack) -> String {
        query(&self.signed(self.parameters(stack)))
    }

    /// Returns an upload form without a key.
    pub(crate) fn form(&self, file: Part) -> Form {
        let form = Form::new().text("space_id", self.acme.id.clone());
        form.text("upload_config_id", self.config.clone())
            .part("file", file)
    }

    /// Uploads a form with a signed query.
    pub(crate) async fn send_form(&self, query: &str, form: Form) -> Response {
        let path = format!("/upload/signed?{query}");
        let request = self.anonymous.request("POST", &path);
        self.anonymous.send(request.multipart(form)).await
    }

    pub(crate) async fn send(&self, query: &str) -> Response {
        self.send_form(query, self.form(photo())).await
    }

    /// Presigns the photo, with the fields of `more` replaced.
    pub(crate) async fn presign(&self, query: &str, more: Value) -> Response {
        let path = format!("/upload/signed/presign?{query}");
        self.anonymous
            .post(&path, merged(declared_photo(), more))
            .await
    }

    /// Presigns the photo by a signed URL, and returns the pending file.
    pub(crate) async fn pending(&self, stack: &Stack, more: Value) -> PendingFile {
        PendingFile::of(self.presign(&self.query(stack), more).await)
    }

    /// Returns a signed query with another parameter.
    pub(crate) fn query_with(&self, stack: &Stack, name: &str, value: &str) -> String {
        query(&self.signed(with(self.parameters(stack), name, value)))
    }

    /// Requests a signed URL, with these fields, and returns its query.
    pub(crate) async fn generated_query(&self, client: &Client, fields: Value) -> String {
        let generated = self.generate(client, fields).await.expect_ok();
        let url = text(&generated["url"]);
        url.split_once('?').expect("a query").1.to_owned()
    }

    /// Requests a signed URL, with these fields.
    pub(crate) async fn generate(&self, client: &Client, fields: Value) -> Response {
        let body = merged(json!({"upload_config_id": self.config}), fields);
        client.post("/upload/generate-signed-url", body).await
    }
}
