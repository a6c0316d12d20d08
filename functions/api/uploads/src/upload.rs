//! `POST /upload`: store a file, sent as a form.

use axum::extract::{Request, State};
use domain::{Fault, Handle, Reference, UploadConfig, UploadConfigReference, Violation};
use web::{Authenticated, Can, Created, Failure, Fields, FileView, Upload};

use crate::{
    Uploads,
    form::{self, Form},
};

/// The texts that a form may hold.
const TEXTS: [&str; 5] = ["space", "upload_config", "folder_id", "folder_path", "ref"];

/// What a form says beside its file.
struct Particulars {
    space: Option<Handle>,
    config: Option<UploadConfigReference>,
    reference: Option<Reference>,
}

impl Particulars {
    fn read(fields: &mut Fields) -> Particulars {
        if fields.has("folder_path") && !fields.has("folder_id") {
            fields.violations().add("folder_id", &Violation::RequiredWith("folder_path"));
        }
        // No space has folders, so none is known.
        fields.optional("folder_id", |_| Err::<(), _>(Violation::Unknown));
        Particulars {
            space: fields.required("space", Handle::parse),
            config: fields.optional("upload_config", UploadConfigReference::parse),
            reference: fields.optional("ref", Reference::parse),
        }
    }
}

pub(crate) async fn upload(
    by: Authenticated,
    State(uploads): State<Uploads>,
    request: Request,
) -> Result<Created<FileView>, Failure> {
    by.might::<Upload>()?;
    let Form { mut fields, file } = form::read(request, &TEXTS).await?;
    let particulars = Particulars::read(&mut fields);
    let place = place(&by, &particulars, &mut fields).await?;
    let judged = file.and_then(|file| fields.violations().keep("file", file.judge()));
    let ((can, config), judged) = fields.finish(place.zip(judged))?;

    let principal = can.caller.principal();
    let file =
        judged.store(&can.space, &uploads.originals, &config, particulars.reference, principal, &can.sources).await?;
    Ok(Created(FileView::of(&file, can.space.record(), &uploads.cdn_url)))
}

/// Where the file goes, and by which config; violations are noted where there is no such place.
async fn place(
    by: &Authenticated,
    particulars: &Particulars,
    fields: &mut Fields,
) -> Result<Option<(Can<Upload>, UploadConfig)>, Fault> {
    let Some(handle) = &particulars.space else { return Ok(None) };
    let Some(can) = by.can_in::<Upload>(handle).await? else {
        fields.violations().add("space", &Violation::Unknown);
        return Ok(None);
    };
    if !can.space.record().enabled {
        return Err(Fault::forbidden("This space is disabled and takes no uploads."));
    }
    let Some(config) = can.space.upload_config(particulars.config.as_ref()).await? else {
        fields.violations().add("upload_config", &Violation::Unknown);
        return Ok(None);
    };
    if config.is_signed {
        return Err(Fault::forbidden("This upload config takes signed and presigned uploads only."));
    }
    Ok(Some((can, config)))
}
