//! `POST /upload/unsigned/:spaceHandle/:configName`: store a file, sent as a form by anyone whom the config lets.

use axum::extract::{Request, State};
use web::{Created, Failure, Stranger, UnsignedStranger};

use crate::{
    Uploads,
    accept::accept,
    form::{self, Form, Shape},
    particulars::{FOLDER_TEXTS, Particulars},
    store::{Uploaded, store},
};

const SHAPE: Shape = Shape { texts: &["ref", FOLDER_TEXTS[0], FOLDER_TEXTS[1]], files: 1 };

pub(crate) async fn unsigned(
    UnsignedStranger(stranger): UnsignedStranger,
    State(uploads): State<Uploads>,
    request: Request,
) -> Result<Created<Uploaded>, Failure> {
    let Stranger { entry, sources, .. } = &stranger;
    let Form { mut fields, files, payload, .. } = form::read(request, SHAPE, sources.now()).await?;
    let particulars = Particulars::read(&mut fields);
    let claim = stranger.claim(&payload).await?;
    let judged = accept(files, &entry.config.config, None, &mut fields).await?;
    fields.finish(Some(()))?;
    let destination = particulars.destination(&stranger);
    store(&uploads, &entry.space, &destination, &judged, false, &claim).await
}
