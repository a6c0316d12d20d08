//! `GET /files?space_id=`: list the files of a space by their time of creation, the result of a
//! `search` by name.

use axum::extract::State;
use domain::{
    env::Timestamp,
    errors::{FieldError, parse_variant},
    files::{CreationRange, File, FileFilter, FileList, NamePrefix},
    folders::FolderRef,
    naming::Tag,
};
use http_api::{
    caller::{Authenticated, Listed, ReadFiles, SpaceQuery},
    describe::Endpoint,
    fields::{FOLDER_ID, FieldReader, FolderReference, FromFields, read_optional_expires_seconds},
    request::{ListQuery, PageResponse},
    response::{ApiError, FileFields, FileView, SelectedFileView, UrlSigner},
};

use crate::FilesState;

const CREATED_FROM: &str = "created_from";
const CREATED_TO: &str = "created_to";
const ORDER: &str = "order";
const SIGN_MINUTES: &str = "sign_minutes";

pub(crate) const LIST: Endpoint = Endpoint::get("listFiles", "/files", "List the files of a space")
    .description(
        "Pending and active files from newest to oldest, or the reverse with `order=asc`; with `search`, sorted by original name. \
         With `status=trashed`, the files in the trash, always by their time of creation. \
         `next_cursor` continues the list: a page may contain fewer files than `limit`, even \
         none, although more follow. `fields` selects fields of the files; without `folder_path`, \
         `access_control` and signed URLs, the request is faster.",
    )
    .errors(&[(404, "The space does not exist.")]);

pub(crate) struct FileQuery {
    space: SpaceQuery,
    list: FileList,
}

/// What is returned of each file.
pub(crate) struct FileListView {
    fields: FileFields,
    /// Time at which signed URLs expire, in seconds since 1970; `None` if no URLs are signed.
    expires_seconds: Option<i64>,
}

impl FromFields for FileListView {
    fn read(fields: &mut impl FieldReader) -> Option<FileListView> {
        let expires_seconds = read_optional_expires_seconds(fields, SIGN_MINUTES);
        fields.describe(
            SIGN_MINUTES,
            "Signs `url` and the URLs of `thumbnails` of files that require authentication: minutes until they expire.",
        );
        let selected = FileFields::read(fields);

        Some(FileListView {
            fields: selected?,
            expires_seconds: expires_seconds
                .filter(|_| selected.is_some_and(|fields| fields.contain_urls())),
        })
    }
}

/// Reads the range of the times at which files were created.
fn read_creation_range(fields: &mut impl FieldReader) -> CreationRange {
    let parse = |text: &str| Timestamp::parse_bound(text).ok_or(FieldError::NotADate);
    let from = fields.optional(CREATED_FROM, parse);
    let to = fields.optional(CREATED_TO, parse);
    fields.describe(CREATED_FROM, "Only files created at this time or later.");
    fields.describe(CREATED_TO, "Only files created before this time.");

    if let (Some(from), Some(to)) = (from, to)
        && from > to
    {
        fields.reject(
            CREATED_TO,
            &FieldError::Custom("must be a date after or equal to created from"),
        );
    }
    CreationRange::new(from, to)
}

impl FromFields for FileQuery {
    fn read(fields: &mut impl FieldReader) -> Option<FileQuery> {
        let space = SpaceQuery::read(fields);
        let filter = FileFilter {
            delivery_type: fields.optional("type", parse_variant),
            resource_type: fields.optional("resource_type", parse_variant),
            status: fields.optional("status", parse_variant),
            folder: fields
                .optional(FOLDER_ID, FolderReference::parse)
                .map(|folder| folder.0),
            tag: fields.optional("tag", Tag::parse),
            search: fields.optional("search", NamePrefix::parse),
            created: read_creation_range(fields),
        };
        let order = fields.optional(ORDER, parse_variant);
        fields.describe("type", "Only files with this delivery type.");
        fields.describe("resource_type", "Only files with this resource type.");
        fields.describe(
            "status",
            "Only files with this status. Without it, files in the trash are not listed.",
        );
        fields.describe(
            FOLDER_ID,
            "Only files directly in this folder: an id, or `root` for files in no folder.",
        );
        fields.describe("tag", "Only files with this tag.");
        fields.describe(
            "search",
            "Only files whose original name starts with this text, ignoring case. Sorts by name.",
        );
        fields.describe(
            ORDER,
            "Order by the time of creation: `desc` begins with the newest file.",
        );
        if filter.search.is_some() && order.is_some() {
            fields.reject(
                ORDER,
                &FieldError::Custom("must be absent when search is present"),
            );
        }

        Some(FileQuery {
            space: space?,
            list: FileList {
                filter,
                order: order.unwrap_or_default(),
            },
        })
    }
}

/// Fails with 422 if the folder does not exist in the space.
pub(crate) async fn list(
    auth: Authenticated<ReadFiles>,
    State(files): State<FilesState>,
    ListQuery {
        page: request,
        filter: query,
        view: FileListView {
            fields,
            expires_seconds,
        },
    }: ListQuery<FileQuery, FileListView>,
) -> Result<PageResponse<SelectedFileView>, ApiError> {
    let folder = query.list.filter.folder.flatten();
    let Listed {
        can,
        found: mut page,
    } = auth
        .list(&query.space, async |lists| {
            let files = lists.files(&query.list, request.page_request());
            lists.in_folder(FOLDER_ID, folder, files).await
        })
        .await?;

    let folders = can.space.folders();
    folders.require_not_deleted(FOLDER_ID, folder).await?;

    let space = can.space.record();
    let signer = match expires_seconds {
        Some(seconds) => Some(UrlSigner::new(
            space,
            files.master_secret.get().await?,
            seconds,
        )),
        None => None,
    };

    // The folders decide whether a URL is to be signed, and whether the file was deleted with one
    // of them.
    let depends_on_folders =
        fields.depend_on_folders() || signer.is_some() || can.space.has_folder_purges();
    let in_folders: Vec<FolderRef> = page
        .items
        .iter()
        .filter(|_| depends_on_folders)
        .filter_map(|file| file.folder.clone())
        .collect();
    let chains = folders.chains(&in_folders).await?;
    page.items.retain(|file| !chains.hide(file));

    let view = |file: File| {
        let chain = chains.chain_of(file.folder_id());
        let view = FileView::of(&file, chain.as_ref(), space, &files.cdn_url);
        let view = match &signer {
            Some(signer) => view.signed_by(signer),
            None => view,
        };
        view.select(fields)
    };
    Ok(request.response(page, view))
}
