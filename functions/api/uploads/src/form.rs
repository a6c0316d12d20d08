//! A multipart form, read part by part as it comes: texts into fields, files into spools.

use axum::{body::Body, extract::Request};
use bytes::Bytes;
use domain::{Fault, FaultKind, OriginalName, Violation};
use futures::{Stream, StreamExt, stream};
use intake::{FILE_BYTES, Incoming, Spool};
use multer::{Field, Multipart};
use serde_json::{Map, Value};
use web::{Fields, content_type, drain};

/// Bytes that a form has beside its file: texts, headers and boundaries.
const REST_BYTES: u64 = 1 << 20;
/// Largest body, in bytes. A file that is too large by itself is refused as a field; it is read so far to tell.
const BODY_BYTES: u64 = FILE_BYTES + REST_BYTES + FILE_SLACK_BYTES;
/// Bytes of a file above its limit that are still read as part of the form.
const FILE_SLACK_BYTES: u64 = 8 << 20;
/// Largest text of a form, in bytes.
const TEXT_BYTES: usize = 64 << 10;
/// Most parts of a form.
const MOST_PARTS: usize = 64;

/// What a form holds.
pub(crate) struct Form {
    /// The texts, by name.
    pub(crate) fields: Fields,
    /// The file.
    pub(crate) file: Option<Incoming>,
}

/// Reads a form to its end.
pub(crate) async fn read(request: Request) -> Result<Form, Fault> {
    let mime = content_type(request.headers());
    if !mime.as_ref().is_some_and(|mime| mime.type_() == mime::MULTIPART && mime.subtype() == mime::FORM_DATA) {
        drain(request.into_body()).await;
        let message = "The content type must be multipart/form-data.";
        return Err(Fault::new(FaultKind::UnsupportedMediaType, message));
    }
    let boundary = mime.and_then(|mime| mime.get_param(mime::BOUNDARY).map(|boundary| boundary.to_string()));
    let Some(boundary) = boundary.filter(|boundary| !boundary.is_empty()) else {
        drain(request.into_body()).await;
        return Err(Fault::malformed("The content type of the form has no boundary."));
    };
    let mut parts = Multipart::new(bounded(request.into_body()), boundary);
    let mut form = Building::default();
    while let Some(part) = parts.next_field().await.map_err(malformed)? {
        form.take(part).await?;
    }
    Ok(form.finish())
}

#[derive(Default)]
struct Building {
    texts: Map<String, Value>,
    repeated: Vec<String>,
    file: Option<Incoming>,
    not_a_file: bool,
    parts: usize,
}

impl Building {
    async fn take(&mut self, part: Field<'_>) -> Result<(), Fault> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return Err(Fault::malformed(format!("The form has more than {MOST_PARTS} parts.")));
        }
        let Some(name) = part.name().map(str::to_owned) else {
            return Err(Fault::malformed(format!("Part {} of the form has no name.", self.parts)));
        };
        if name == "file" {
            return self.take_file(part).await;
        }
        let text = text(part, &name).await?;
        if self.texts.insert(name.clone(), Value::String(text)).is_some() && !self.repeated.contains(&name) {
            self.repeated.push(name);
        }
        Ok(())
    }

    async fn take_file(&mut self, mut part: Field<'_>) -> Result<(), Fault> {
        let name = part.file_name().map(str::to_owned);
        let declared = part.content_type().cloned();
        let mut spool = Spool::default();
        while let Some(chunk) = part.chunk().await.map_err(malformed)? {
            spool.write(&chunk).await?;
        }
        let Some(name) = name else {
            self.not_a_file = true;
            return Ok(());
        };
        let spooled = spool.finish().await?;
        // What a browser sends where no file was chosen.
        if name.is_empty() && spooled.size() == 0 {
            return Ok(());
        }
        let incoming = Incoming { original_name: OriginalName::clean(&name), declared, spooled };
        if self.file.replace(incoming).is_some() && !self.repeated.iter().any(|name| name == "file") {
            self.repeated.push("file".to_owned());
        }
        Ok(())
    }

    fn finish(self) -> Form {
        let mut fields = Fields::of(self.texts);
        for name in &self.repeated {
            fields.violations().add(name, &Violation::Repeated);
        }
        if self.not_a_file {
            fields.violations().add("file", &Violation::NotAFile);
        } else if self.file.is_none() {
            fields.violations().add("file", &Violation::RequiredWithout("files"));
        }
        Form { fields, file: self.file }
    }
}

async fn text(mut part: Field<'_>, name: &str) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    while let Some(chunk) = part.chunk().await.map_err(malformed)? {
        if bytes.len() + chunk.len() > TEXT_BYTES {
            let message = format!("A text of the form is greater than {} kilobytes.", TEXT_BYTES >> 10);
            return Err(Fault::new(FaultKind::TooLarge, message));
        }
        bytes.extend_from_slice(&chunk);
    }
    String::from_utf8(bytes).map_err(|_| Fault::malformed(format!("The text {name:?} of the form is not UTF-8.")))
}

/// The body's bytes, up to the largest body; what is beyond is thrown away before the refusal, up to a bound.
fn bounded(body: Body) -> impl Stream<Item = Result<Bytes, TooLarge>> + Send + 'static {
    stream::try_unfold((body.into_data_stream(), 0_u64), |(mut body, read)| async move {
        // A body that breaks off is a form that ends early.
        let Some(Ok(chunk)) = body.next().await else { return Ok(None) };
        let read = read + chunk.len() as u64;
        if read <= BODY_BYTES {
            return Ok(Some((chunk, (body, read))));
        }
        drain(Body::from_stream(body)).await;
        Err(TooLarge)
    })
}

#[derive(Debug)]
struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "The body must not be greater than {} kilobytes. Send larger files by way of POST /api/v1/upload/presign.",
            BODY_BYTES >> 10
        )
    }
}

impl std::error::Error for TooLarge {}

fn malformed(error: multer::Error) -> Fault {
    match error {
        multer::Error::StreamReadFailed(error) if error.is::<TooLarge>() => {
            Fault::new(FaultKind::TooLarge, error.to_string())
        }
        multer::Error::StreamReadFailed(_) => Fault::malformed("The form ended early."),
        error => Fault::malformed(format!("The form cannot be read: {error}.")),
    }
}
