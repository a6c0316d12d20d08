//! `POST /files/:id/signed-url`: an address by which its holder sees a file, or a rendering of it, without a key.

use axum::extract::{Request, State};
use domain::{File, SigningSecret, TRANSFORMATION_PARAMETERS, Timestamp, Transformation, Violation, signed_query};
use serde::Serialize;
use serde_json::Value;
use web::{Can, Failure, Fields, Ok, ReadFiles, expires_seconds, file_url, read_fields};

use crate::Files;

/// Minutes for which an address is good, where the request does not say.
const DEFAULT_MINUTES: i64 = 60;
/// The field, and the parameter, by which a file is saved, not shown.
const DOWNLOAD: &str = "download";

/// An address that is asked for.
struct Asked {
    expires_seconds: i64,
    /// The parameters of the address, by name.
    parameters: Vec<(&'static str, String)>,
}

impl Asked {
    fn read(fields: &mut Fields, body: &Value) -> Asked {
        let expires_seconds = expires_seconds(fields, DEFAULT_MINUTES);
        let mut parameters = Vec::new();
        for name in TRANSFORMATION_PARAMETERS {
            match &body[name] {
                Value::Null => {}
                Value::String(text) => parameters.push((name, text.clone())),
                Value::Number(number) => parameters.push((name, number.to_string())),
                _ => fields.violate(name, &Violation::NotAString),
            }
        }
        if let Err(violations) = Transformation::read(parameters.iter().map(|(name, value)| (*name, value.as_str()))) {
            fields.note(violations);
        }
        if fields.boolean(DOWNLOAD) == Some(true) {
            parameters.push((DOWNLOAD, "1".to_owned()));
        }
        Asked { expires_seconds, parameters }
    }
}

/// A signed URL and its expiry; there is no URL while the file is pending.
#[derive(Serialize)]
pub(crate) struct SignedUrlView {
    url: Option<String>,
    expires_at: String,
}

pub(crate) async fn signed_url(
    can: Can<ReadFiles, File>,
    State(files): State<Files>,
    request: Request,
) -> Result<Ok<SignedUrlView>, Failure> {
    let (mut fields, body) = read_fields(request, can.sources.now()).await?;
    let asked = Asked::read(&mut fields, &body);
    let Asked { expires_seconds, parameters } = fields.finish(Some(asked))?;
    let (space, file) = (can.space.record(), &can.subject);
    let secret = SigningSecret::of(space.id, space.signing.generation, &files.master);
    let parameters: Vec<(&str, &str)> = parameters.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let path = format!("/{}", file.storage_path);
    let query = signed_query(&path, &parameters, expires_seconds, space.signing, &secret);
    Result::Ok(Ok(SignedUrlView {
        url: file_url(file, space, &files.cdn_url).map(|url| format!("{url}?{query}")),
        expires_at: Timestamp::from_seconds(expires_seconds).rfc3339(),
    }))
}
