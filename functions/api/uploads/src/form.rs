//! A multipart form, read part by part as it comes: texts into fields, files into spools.

use axum::extract::Request;
use domain::{Fault, FaultKind, OriginalName, Violation};
use intake::{Incoming, Spool};
use multer::{Field, Multipart};
use serde_json::{Map, Value};
use web::{Fields, content_type, drain};

use crate::{
    disposition::Disposition,
    pieces::{Allowance, Pieces, Unread},
};

/// The field that holds a file.
const FILE: &str = "file";
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

/// Reads a form to its end: its file, and the texts of these names. Other parts are read over.
pub(crate) async fn read(request: Request, texts: &'static [&'static str]) -> Result<Form, Fault> {
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
    let allowance = Allowance::of_lead();
    let mut pieces = Pieces::of(request.into_body(), &allowance);
    let mut form = Building::of(texts);
    let read = form.take_all(Multipart::new(&mut pieces, boundary), &allowance).await;
    if read.is_err() {
        pieces.drain().await;
    }
    read.map(|()| form.finish())
}

struct Building {
    known: &'static [&'static str],
    texts: Map<String, Value>,
    repeated: Vec<String>,
    file: Option<Incoming>,
    not_a_file: bool,
    parts: usize,
}

impl Building {
    fn of(known: &'static [&'static str]) -> Building {
        Building { known, texts: Map::new(), repeated: Vec::new(), file: None, not_a_file: false, parts: 0 }
    }

    async fn take_all(&mut self, mut parts: Multipart<'_>, allowance: &Allowance) -> Result<(), Fault> {
        while let Some(part) = parts.next_field().await.map_err(malformed)? {
            allowance.lift();
            self.take(part).await?;
            allowance.bound();
        }
        Ok(())
    }

    async fn take(&mut self, part: Field<'_>) -> Result<(), Fault> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return Err(Fault::malformed(format!("The form has more than {MOST_PARTS} parts.")));
        }
        let Disposition { name, file_name } = Disposition::of(part.headers());
        let Some(name) = name else {
            return Err(Fault::malformed(format!("Part {} of the form has no name.", self.parts)));
        };
        match file_name {
            Some(file_name) if name == FILE => return self.take_file(part, &file_name).await,
            None if name == FILE => self.not_a_file = true,
            _ if self.known.contains(&name.as_str()) => {
                let text = text(part, &name).await?;
                if self.texts.insert(name.clone(), Value::String(text)).is_some() {
                    self.repeat(&name);
                }
                return Ok(());
            }
            _ => {}
        }
        read_over(part).await
    }

    async fn take_file(&mut self, mut part: Field<'_>, name: &str) -> Result<(), Fault> {
        let declared = part.content_type().cloned();
        let mut spool = Spool::default();
        while let Some(chunk) = part.chunk().await.map_err(malformed)? {
            spool.write(&chunk).await?;
        }
        let spooled = spool.finish().await?;
        // What a browser sends where no file was chosen.
        if name.is_empty() && spooled.size() == 0 {
            return Ok(());
        }
        let incoming = Incoming { original_name: OriginalName::clean(name), declared, spooled };
        if self.file.replace(incoming).is_some() {
            self.repeat(FILE);
        }
        Ok(())
    }

    fn repeat(&mut self, name: &str) {
        if !self.repeated.iter().any(|known| known == name) {
            self.repeated.push(name.to_owned());
        }
    }

    fn finish(self) -> Form {
        let mut fields = Fields::of(self.texts);
        for name in &self.repeated {
            fields.violations().add(name, &Violation::Repeated);
        }
        if self.not_a_file {
            fields.violations().add(FILE, &Violation::NotAFile);
        } else if self.file.is_none() {
            fields.violations().add(FILE, &Violation::RequiredWithout("files"));
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

async fn read_over(mut part: Field<'_>) -> Result<(), Fault> {
    while part.chunk().await.map_err(malformed)?.is_some() {}
    Ok(())
}

fn malformed(error: multer::Error) -> Fault {
    match error {
        multer::Error::StreamReadFailed(error) => match error.downcast::<Unread>().as_deref() {
            Ok(too_large @ Unread::TooLarge) => Fault::new(FaultKind::TooLarge, too_large.to_string()),
            Ok(unread @ Unread::NoContent) => Fault::malformed(unread.to_string()),
            Err(_) => Fault::malformed("The form ended early."),
        },
        error => Fault::malformed(format!("The form cannot be read: {error}.")),
    }
}
