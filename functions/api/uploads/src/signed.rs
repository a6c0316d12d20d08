//! `POST /upload/signed`: store a file, sent as a form by whoever holds a signed address.

use axum::extract::{Request, State};
use domain::Fault;
use web::{Created, Failure, SignedStranger, Stranger};

use crate::{
    Uploads,
    accept::accept,
    form::{self, Form, Shape},
    particulars::{FOLDER_TEXTS, Particulars},
    store::{Uploaded, store},
};

const SHAPE: Shape =
    Shape { texts: &["space_id", "upload_config_id", "ref", FOLDER_TEXTS[0], FOLDER_TEXTS[1]], files: 1 };

pub(crate) async fn signed(
    SignedStranger { signed, expected, stranger }: SignedStranger,
    State(uploads): State<Uploads>,
    request: Request,
) -> Result<Created<Uploaded>, Failure> {
    let Stranger { entry, sources, .. } = &stranger;
    let Form { mut fields, mut files, payload, .. } = form::read(request, SHAPE, sources.now()).await?;
    let particulars = Particulars::read(&mut fields);
    // The fields repeat what is signed; an id that is none is another one.
    let space_id = fields.required("space_id", |id| Ok(id.parse().ok()));
    let config_id = fields.required("upload_config_id", |id| Ok(id.parse().ok()));
    let is_other = space_id.is_some_and(|id| id != Some(signed.space_id))
        || config_id.is_some_and(|id| id != Some(signed.config_id));
    if is_other {
        return Err(Fault::forbidden("The URL is signed for another space or upload config.").into());
    }
    let claim = stranger.claim(&payload).await?;
    if let Some(name) = signed.original_name() {
        for (_, file) in &mut files {
            file.original_name = name.clone();
        }
    }
    let judged = accept(files, &entry.config.config, expected.as_ref(), &mut fields).await?;
    fields.finish(Some(()))?;
    let destination = particulars.destination(&stranger);
    store(&uploads, &entry.space, &destination, &judged, false, &claim).await
}
