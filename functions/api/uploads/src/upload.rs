//! `POST /upload`: store files, sent as a form: all of them or none.

use axum::extract::{Request, State};
use domain::{Fault, Handle, UploadConfig, UploadConfigReference, Violation};
use intake::{Destination, FILES};
use web::{Authenticated, Can, Created, Failure, Fields, Upload};

use crate::{
    Uploads,
    accept::accept,
    form::{self, Form, Shape},
    particulars::{FOLDER_TEXTS, Particulars},
    store::{Uploaded, store},
};

const SHAPE: Shape =
    Shape { texts: &["space", "upload_config", "ref", FOLDER_TEXTS[0], FOLDER_TEXTS[1]], files: FILES };

pub(crate) async fn upload(
    by: Authenticated,
    State(uploads): State<Uploads>,
    request: Request,
) -> Result<Created<Uploaded>, Failure> {
    by.might::<Upload>()?;
    let Form { mut fields, files, is_list, payload } = form::read(request, SHAPE, by.sources().now()).await?;
    let particulars = Particulars::read(&mut fields);
    let place = place(&by, &mut fields).await?;
    // Before they are judged: what was done once is answered again though it would be refused by now.
    let claim = by.claim(&payload).await?;
    let rules = place.as_ref().map(|(_, config)| config.config.clone()).unwrap_or_default();
    let judged = accept(files, &rules, None, &mut fields).await?;
    let (can, config) = fields.finish(place)?;
    if config.is_signed {
        return Err(Fault::forbidden("This upload config takes signed and presigned uploads only.").into());
    }
    let destination = Destination {
        space: can.space.record(),
        config: &config,
        reference: particulars.reference,
        uploaded_by: can.caller.principal(),
        sources: &can.sources,
    };
    store(&uploads, &can.space, &destination, &judged, is_list, &claim).await
}

/// Where files go, and by which config, as fields name them; violations are noted where there is no such place.
pub(crate) async fn place(
    by: &Authenticated,
    fields: &mut Fields,
) -> Result<Option<(Can<Upload>, UploadConfig)>, Fault> {
    let handle = fields.required("space", Handle::parse);
    let config = fields.optional("upload_config", UploadConfigReference::parse);
    let Some(handle) = handle else { return Ok(None) };
    let Some(can) = by.can_in::<Upload>(&handle).await? else {
        fields.violate("space", &Violation::Unknown);
        return Ok(None);
    };
    can.space.demand_uploads(&can.sources)?;
    let Some(config) = can.space.upload_config(config.as_ref()).await? else {
        fields.violate("upload_config", &Violation::Unknown);
        return Ok(None);
    };
    Ok(Some((can, config)))
}
