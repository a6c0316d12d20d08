//! `POST /upload/unsigned/:spaceHandle/:configName`: store a file, sent as a form by anyone whom the config lets.

use axum::extract::{Request, State};
use web::{Created, Failure, Stranger, UnsignedStranger};

use crate::{
    Uploads,
    accept::accept,
    form::{self, Form, Shape},
    particulars::{Particulars, TEXTS},
    store::{Uploaded, store},
};

const SHAPE: Shape = Shape { texts: &TEXTS, files: 1 };

pub(crate) async fn unsigned(
    UnsignedStranger(stranger): UnsignedStranger,
    State(uploads): State<Uploads>,
    request: Request,
) -> Result<Created<Uploaded>, Failure> {
    let Stranger { entry, sources, .. } = &stranger;
    let Form { mut fields, files, payload, .. } = form::read(request, SHAPE, sources.now()).await?;
    let particulars = Particulars::of_stranger(&mut fields);
    let claim = stranger.claim(&payload).await?;
    let placed = particulars.placed(&entry.space, &entry.config, &mut fields).await?;
    let judged = accept(files, &entry.config.config, stranger.uploaded_by, None, &mut fields).await?;
    let destination = fields.finish(placed)?.of_stranger(&stranger).await?;
    store(&uploads, &entry.space, &destination, &judged, false, &claim).await
}
