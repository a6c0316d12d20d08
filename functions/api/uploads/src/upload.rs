//! `POST /upload`: store files, sent as a form: all of them or none.

use axum::extract::{Request, State};
use domain::{Fault, Handle, Reference, UploadConfig, UploadConfigReference, Violation};
use intake::Destination;
use serde::Serialize;
use web::{Authenticated, Can, Created, Failure, Fields, FileView, Upload};

use crate::{
    Uploads,
    accept::accept,
    form::{self, Form},
};

/// The texts that a form may hold.
const TEXTS: [&str; 5] = ["space", "upload_config", "folder_id", "folder_path", "ref"];

/// What a form says beside its files.
struct Particulars {
    space: Option<Handle>,
    config: Option<UploadConfigReference>,
    reference: Option<Reference>,
}

impl Particulars {
    fn read(fields: &mut Fields) -> Particulars {
        if fields.has("folder_path") && !fields.has("folder_id") {
            fields.violate("folder_id", &Violation::RequiredWith("folder_path"));
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

/// What was stored: one file under `file`, or a list where there were some under `files`.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Uploaded {
    One(Box<FileView>),
    List(Vec<FileView>),
}

impl Uploaded {
    fn of(mut views: Vec<FileView>, is_list: bool) -> Uploaded {
        match views.pop() {
            Some(view) if !is_list => Uploaded::One(Box::new(view)),
            last => Uploaded::List(views.into_iter().chain(last).collect()),
        }
    }
}

pub(crate) async fn upload(
    by: Authenticated,
    State(uploads): State<Uploads>,
    request: Request,
) -> Result<Created<Uploaded>, Failure> {
    by.might::<Upload>()?;
    let Form { mut fields, files, is_list, payload } = form::read(request, &TEXTS, by.sources().now()).await?;
    let particulars = Particulars::read(&mut fields);
    let place = place(&by, &particulars, &mut fields).await?;
    // Before they are judged: what was done once is answered again though it would be refused by now.
    let claim = by.claim(&payload).await?;
    let rules = place.as_ref().map(|(_, config)| config.config.clone()).unwrap_or_default();
    let judged = accept(files, &rules, &mut fields).await?;
    let (can, config) = fields.finish(place)?;

    let destination = Destination {
        space: can.space.record(),
        config: &config,
        reference: particulars.reference,
        uploaded_by: can.caller.principal(),
        sources: &can.sources,
    };
    let mut ids = claim.ids();
    let files: Vec<_> = judged.iter().map(|file| (file.record(&mut ids, &destination), file.content())).collect();
    let views = files.iter().map(|(file, _)| FileView::of(file, can.space.record(), &uploads.cdn_url)).collect();
    let uploaded = Uploaded::of(views, is_list);
    let (assets, completion) = (can.space.assets(&uploads.originals), claim.complete(&uploaded));
    let stored = runtime::done_in_time(assets.store(&files, None, &can.sources, completion.as_ref())).await;
    stored.unwrap_or_else(|| Err(Fault::unavailable("storing took too long")))?;
    Ok(Created(uploaded))
}

/// Where the files go, and by which config; violations are noted where there is no such place.
async fn place(
    by: &Authenticated,
    particulars: &Particulars,
    fields: &mut Fields,
) -> Result<Option<(Can<Upload>, UploadConfig)>, Fault> {
    let Some(handle) = &particulars.space else { return Ok(None) };
    let Some(can) = by.can_in::<Upload>(handle).await? else {
        fields.violate("space", &Violation::Unknown);
        return Ok(None);
    };
    can.space.demand_open(&can.sources)?;
    if !can.space.record().enabled {
        return Err(Fault::forbidden("This space is disabled and takes no uploads."));
    }
    let Some(config) = can.space.upload_config(particulars.config.as_ref()).await? else {
        fields.violate("upload_config", &Violation::Unknown);
        return Ok(None);
    };
    if config.is_signed {
        return Err(Fault::forbidden("This upload config takes signed and presigned uploads only."));
    }
    Ok(Some((can, config)))
}
