//! `POST /upload`: store files, sent as a form: all of them or none.

use axum::extract::{Request, State};
use domain::{Fault, Handle, UploadConfig, UploadConfigReference, Violation};
use intake::FILES;
use web::{Authenticated, Can, Created, Failure, Fields, Upload};

use crate::{
    Uploads,
    accept::accept,
    form::{self, Form, Shape},
    particulars::{Particulars, TEXTS},
    store::{Uploaded, store},
};

const SHAPE: Shape = Shape { texts: &["space", "upload_config", TEXTS[0], TEXTS[1], TEXTS[2]], files: FILES };

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
    let placed = match &place {
        Some((can, config)) => particulars.placed(&can.space, config, &mut fields).await?,
        None => None,
    };
    let judged = accept(files, &rules, by.caller.principal(), None, &mut fields).await?;
    let ((can, config), placed) = fields.finish(place.zip(placed))?;
    if config.is_signed {
        return Err(Fault::forbidden("This upload config takes signed and presigned uploads only.").into());
    }
    let destination = placed.destination(&can.space, &config, can.caller.principal(), &can.sources).await?;
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
    can.space.demand_uploads()?;
    let Some(config) = can.space.upload_config(config.as_ref()).await? else {
        fields.violate("upload_config", &Violation::Unknown);
        return Ok(None);
    };
    Ok(Some((can, config)))
}
