//! `POST /upload/signed`: store a file, sent as a form by whoever holds a signed address.

use axum::extract::{Request, State};
use domain::{Fault, SignedUpload};
use web::{Created, Failure, SignedStranger, Stranger};

use crate::{
    Uploads,
    accept::accept,
    form::{self, Form, Shape},
    particulars::{Particulars, TEXTS},
    store::{Uploaded, store},
};

const SHAPE: Shape = Shape { texts: &["space_id", "upload_config_id", TEXTS[0], TEXTS[1], TEXTS[2]], files: 1 };

pub(crate) async fn signed(
    SignedStranger { signed, expected, stranger }: SignedStranger,
    State(uploads): State<Uploads>,
    request: Request,
) -> Result<Created<Uploaded>, Failure> {
    let Stranger { entry, sources, .. } = &stranger;
    let Form { mut fields, mut files, payload, .. } = form::read(request, SHAPE, sources.now()).await?;
    let named = ["space_id", "upload_config_id"].map(|field| fields.required(field, |id| Ok(id.to_owned())));
    demand_named(&signed, named)?;
    let particulars = Particulars::of_signed(&mut fields, &signed)?;
    let claim = stranger.claim(&payload).await?;
    if let Some(name) = signed.original_name() {
        for (_, file) in &mut files {
            file.original_name = name.clone();
        }
    }
    let placed = particulars.placed(&entry.space, &entry.config, &mut fields).await?;
    let judged = accept(files, &entry.config.config, stranger.uploaded_by, expected.as_ref(), &mut fields).await?;
    let destination = fields.finish(placed)?.of_stranger(&stranger).await?;
    store(&uploads, &entry.space, &destination, &judged, false, &claim).await
}

/// Refuses a space and a config, where they are named, that are others than those that are signed. An id that is none is
/// another one.
pub(crate) fn demand_named(signed: &SignedUpload, [space, config]: [Option<String>; 2]) -> Result<(), Fault> {
    let is_signed = space.is_none_or(|id| id.parse() == Ok(signed.space_id))
        && config.is_none_or(|id| id.parse() == Ok(signed.config_id));
    if is_signed { Ok(()) } else { Err(Fault::forbidden("The URL is signed for another space or upload config.")) }
}
