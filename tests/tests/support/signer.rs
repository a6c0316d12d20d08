//! Signs addresses, as it is documented and by nothing of ours, so that what signs and what
//! verifies do not merely agree with each other.

use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tests::{Client, PHOTO, Response, Stack, Tenant, file};

/// The path that every address is signed for, on whichever route it is used.
pub(crate) const PATH: &str = "/api/v1/upload/signed";
/// Bytes of a block of SHA-256.
const BLOCK_BYTES: usize = 64;
/// Seconds for which addresses are signed here: half an hour.
const LIFETIME_SECONDS: i64 = 1_800;

/// The decoded parameters of an address.
pub(crate) type Parameters = Vec<(String, String)>;

/// A text as RFC 3986 encodes it where all but its unreserved characters are.
fn encoded(text: &str) -> String {
    let character = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(character).collect()
}

/// Parameters as a query, in the order in which they stand.
pub(crate) fn query(parameters: &[(String, String)]) -> String {
    let pairs = parameters
        .iter()
        .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// What is signed of an address to upload to.
pub(crate) fn canonical(parameters: &[(String, String)]) -> String {
    canonical_at(PATH, parameters)
}

/// What is signed of an address at a path.
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

/// HMAC-SHA256 (RFC 2104) in hex; the key is no longer than a block.
pub(crate) fn mark(secret: &str, text: &str) -> String {
    let mut key = [0_u8; BLOCK_BYTES];
    key[..secret.len()].copy_from_slice(secret.as_bytes());
    let inner = Sha256::new()
        .chain_update(key.map(|byte| byte ^ 0x36))
        .chain_update(text)
        .finalize();
    hex::encode(
        Sha256::new()
            .chain_update(key.map(|byte| byte ^ 0x5C))
            .chain_update(inner)
            .finalize(),
    )
}

/// Parameters of which one says this.
pub(crate) fn with(mut parameters: Parameters, name: &str, value: &str) -> Parameters {
    parameters.retain(|(known, _)| known != name);
    parameters.push((name.to_owned(), value.to_owned()));
    parameters
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

pub(crate) fn photo() -> Part {
    file("photo.jpg", "image/jpeg", PHOTO)
}

/// A space, one of its upload configs, and the secret that signs for them.
#[derive(Clone)]
pub(crate) struct Signer {
    pub(crate) acme: Tenant,
    /// The config's id.
    pub(crate) config: String,
    pub(crate) kid: String,
    pub(crate) secret: String,
    /// Whoever holds the addresses: nobody with a key.
    pub(crate) holder: Client,
}

impl Signer {
    /// A space with a config, named `by-signature`, that takes signed uploads alone and asks this
    /// of them.
    pub(crate) async fn new(stack: &Stack, space: &str, config: Value) -> Signer {
        let acme = stack.space(space).await;
        let body = json!({"space_id": acme.id, "name": "by-signature", "is_signed": true, "config": config});
        let config = text(
            &acme
                .client
                .post("/upload-configs", body)
                .await
                .expect_created()["id"],
        );
        let shown = acme
            .client
            .get(&format!("/spaces/{}/signing-secret", acme.id))
            .await
            .expect_ok();
        let (kid, secret) = (text(&shown["kid"]), text(&shown["secret"]));
        Signer {
            acme,
            config,
            kid,
            secret,
            holder: stack.anonymous.clone(),
        }
    }

    /// The same for another config of these fields.
    pub(crate) async fn for_config(&self, fields: Value) -> Signer {
        let mut body = json!({"space_id": self.acme.id});
        body.as_object_mut()
            .expect("an object")
            .extend(fields.as_object().expect("an object").clone());
        let config = text(
            &self
                .acme
                .client
                .post("/upload-configs", body)
                .await
                .expect_created()["id"],
        );
        Signer {
            config,
            ..self.clone()
        }
    }

    /// What an address for half an hour says at least.
    pub(crate) fn parameters(&self, stack: &Stack) -> Parameters {
        let expires = stack.admin_environment().env.now().seconds() + LIFETIME_SECONDS;
        let parameters = [
            ("upload_config_id", self.config.clone()),
            ("kid", self.kid.clone()),
            ("space_id", self.acme.id.clone()),
            ("expires", expires.to_string()),
        ];
        parameters
            .map(|(name, value)| (name.to_owned(), value))
            .into()
    }

    /// Parameters with their signature.
    pub(crate) fn signed(&self, parameters: Parameters) -> Parameters {
        let signature = mark(&self.secret, &canonical(&parameters));
        with(parameters, "signature", &signature)
    }

    /// A signed query for half an hour.
    pub(crate) fn query(&self, stack: &Stack) -> String {
        query(&self.signed(self.parameters(stack)))
    }

    /// The form that goes with an address.
    pub(crate) fn form(&self, file: Part) -> Form {
        let form = Form::new().text("space_id", self.acme.id.clone());
        form.text("upload_config_id", self.config.clone())
            .part("file", file)
    }

    /// Uploads by the address with this query.
    pub(crate) async fn send_form(&self, query: &str, form: Form) -> Response {
        self.holder
            .send(
                self.holder
                    .request("POST", &format!("/upload/signed?{query}"))
                    .multipart(form),
            )
            .await
    }

    /// Uploads the photo.
    pub(crate) async fn send(&self, query: &str) -> Response {
        self.send_form(query, self.form(photo())).await
    }

    /// Announces the photo, or what `more` says in its place.
    pub(crate) async fn presign(&self, query: &str, more: Value) -> Response {
        let mut body =
            json!({"filename": "photo.jpg", "content_type": "image/jpeg", "size": PHOTO.len()});
        body.as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        self.holder
            .post(&format!("/upload/signed/presign?{query}"), body)
            .await
    }
}
