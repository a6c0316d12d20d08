//! Files that were found right are stored, and shown.

use domain::Fault;
use intake::{Destination, Judged};
use serde::Serialize;
use tenant::Space;
use web::{AnonymousFileView, Claim, Created, Failure, FileView};

use crate::Uploads;

/// Stored files: one that came as `file`, the list of those that came as `files`, or that of an anonymous uploader.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Uploaded {
    One(Box<FileView>),
    List(Vec<FileView>),
    Anonymous(AnonymousFileView),
}

impl Uploaded {
    fn of(mut views: Vec<FileView>, is_list: bool) -> Uploaded {
        match views.pop() {
            Some(view) if !is_list => Uploaded::One(Box::new(view)),
            last => Uploaded::List(views.into_iter().chain(last).collect()),
        }
    }
}

/// Stores files, all or nothing.
pub(crate) async fn store(
    uploads: &Uploads,
    space: &Space,
    destination: &Destination<'_>,
    judged: &[Judged],
    is_list: bool,
    claim: &Claim,
) -> Result<Created<Uploaded>, Failure> {
    let mut ids = claim.ids();
    let files: Vec<_> = judged.iter().map(|file| (file.record(&mut ids, destination), file.content())).collect();
    let uploaded = match files.as_slice() {
        [(file, _)] if destination.uploaded_by.is_stranger() => {
            Uploaded::Anonymous(AnonymousFileView::of(file, space.record(), &uploads.cdn_url))
        }
        files => {
            let view = |file| FileView::of(file, Some(&destination.folders), space.record(), &uploads.cdn_url);
            Uploaded::of(files.iter().map(|(file, _)| view(file)).collect(), is_list)
        }
    };
    let (assets, completion) = (space.assets(&uploads.originals), claim.complete(&uploaded));
    let storing = assets.store(&files, destination.quota(), completion.as_ref());
    let stored = runtime::done_in_time(storing).await;
    stored.unwrap_or_else(|| Err(Fault::unavailable("storing took too long")))?;
    Ok(Created(uploaded))
}
