//! `POST /files/:id/signed-url`: an address by which its holder sees a file, or a rendering of it, without a key.

use axum::extract::{Request, State};
use domain::{File, SigningSecret, TRANSFORMATION_PARAMETERS, Timestamp, Transformation, Violation, signed_query};
use serde::Serialize;
use serde_json::Value;
use web::{Can, Failure, Fields, Ok, ReadFiles, file_url, read_fields};

use crate::Files;

/// Bounds of `expiration_minutes`, and what it is where there is none.
const LEAST_MINUTES: i64 = 1;
const MOST_MINUTES: i64 = 24 * 60;
const DEFAULT_MINUTES: i64 = 60;
/// Seconds of a minute.
const SECONDS: i64 = 60;
/// Milliseconds in a second.
const MS_PER_SECOND: i64 = 1_000;
/// The field, and the parameter, by which a file is saved, not shown.
const DOWNLOAD: &str = "download";

/// An address that is asked for.
struct Asked {
    minutes: i64,
    /// The parameters of the address, by name.
    parameters: Vec<(&'static str, String)>,
}

impl Asked {
    fn read(fields: &mut Fields, body: &Value) -> Asked {
        let minutes = fields.integer("expiration_minutes", LEAST_MINUTES, MOST_MINUTES).unwrap_or(DEFAULT_MINUTES);
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
        Asked { minutes, parameters }
    }
}

/// The address, and until when it is good.
#[derive(Serialize)]
pub(crate) struct SignedUrlView {
    url: String,
    expires_at: String,
}

pub(crate) async fn signed_url(
    can: Can<ReadFiles, File>,
    State(files): State<Files>,
    request: Request,
) -> Result<Ok<SignedUrlView>, Failure> {
    let (mut fields, body) = read_fields(request, can.sources.now()).await?;
    let asked = Asked::read(&mut fields, &body);
    let Asked { minutes, parameters } = fields.finish(Some(asked))?;
    let (space, file) = (can.space.record(), &can.subject);
    let expires_seconds = can.sources.now().seconds() + minutes * SECONDS;
    let secret = SigningSecret::of(space.id, space.signing.generation, &files.master);
    let parameters: Vec<(&str, &str)> = parameters.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let path = format!("/{}", file.storage_path);
    let query = signed_query(&path, &parameters, expires_seconds, space.signing, &secret);
    Result::Ok(Ok(SignedUrlView {
        url: format!("{}?{query}", file_url(file, space, &files.cdn_url)),
        expires_at: Timestamp::from_ms(expires_seconds * MS_PER_SECOND).rfc3339(),
    }))
}
