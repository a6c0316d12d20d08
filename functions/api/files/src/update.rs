//! `PUT /files/:id`, and `PUT /files` with the id in the body: update a file. Absent fields are
//! unchanged.
//!
//! Invariant: a client may send back the whole record of a file. Fields that it did not change have
//! no effect, and read-only fields that it did change are field errors.

use axum::extract::State;
use domain::{
    errors::{FieldError, ServiceError, parse_variant},
    files::{CustomMetadata, File, MAX_METADATA_VALUES, reject_executable_name},
    folders::FolderChain,
    naming::{AltText, MAX_TAGS, OriginalName, Reference, Tag, Title},
    settings::DeliveryType,
    uploads::ValidationRules,
};
use http_api::{
    caller::{Authenticated, Can, ManageFiles, ResourceId},
    describe::Endpoint,
    fields::{
        FOLDER_ID, FOLDER_PATH, FieldReader, FieldSource, FromFields, InputFields, Patch,
        read_folder,
    },
    request::{ID, ResourceSelector, UnreadJson, ValidQuery},
    response::{ApiError, Data, FileView},
};
use serde_json::Value;
use space_store::{
    files::require_untrashed,
    folders::{FolderSelector, Placement},
    spaces::SpaceScope,
};

use crate::{FilesState, TRASHED, protection::ProtectionCheck, read_only, view::file_view};

/// A field that every record has. A body with it is a record that is sent back.
const RECORD_FIELD: &str = "created_at";

pub(crate) const UPDATE: Endpoint = Endpoint::put("updateFile", "/files/{id}", "Update a file")
    .description(
        "Absent fields stay unchanged, and the complete record of `getFile` is accepted. A new \
         name or folder changes neither `storage_path` nor `url`, but the file inherits the \
         access control of its new folder. With the role `user`, only files that the caller \
         uploaded can be changed, and their protection cannot be lowered.",
    )
    .errors(&[TRASHED]);

pub(crate) const UPDATE_NAMED: Endpoint = Endpoint::put(
    "updateFileById",
    "/files",
    "Update the file with the id in the body",
)
.description(
    "The same as `updateFile`, with the id as the field `id` of the body. A different `id` in the \
     query is rejected with 422.",
)
.errors(&[(404, "The file does not exist."), TRASHED]);

/// The changes to a file. `None` and [`Patch::Keep`] leave a field unchanged.
pub(crate) struct UpdateFile {
    original_name: Option<OriginalName>,
    folder: Option<FolderSelector>,
    reference: Patch<Reference>,
    tags: Option<Vec<Tag>>,
    title: Patch<Title>,
    alt: Patch<AltText>,
    metadata: Patch<CustomMetadata>,
    delivery_type: Option<DeliveryType>,
}

impl FromFields for UpdateFile {
    fn read(fields: &mut impl FieldReader) -> Option<UpdateFile> {
        let folder = match read_folder(fields) {
            Patch::Keep if !fields.is_present(FOLDER_PATH) => None,
            Patch::Keep | Patch::Clear => Some(FolderSelector::default()),
            Patch::Set(folder) => Some(folder),
        };
        let original_name = fields.non_null("original_name", |name| Ok(OriginalName::clean(name)));
        let reference = fields.patch("ref", Reference::parse);
        let tags = read_tags(fields);
        let title = fields.patch("title", Title::parse);
        let alt = fields.patch("alt", AltText::parse);
        let metadata =
            fields.patch_map("metadata", MAX_METADATA_VALUES, CustomMetadata::parse_entry);
        let delivery_type = fields.non_null("type", parse_variant);
        fields.describe(FOLDER_PATH, "Path of the folder, which is created if it does not exist. Null moves the file to the root.");
        fields.describe("ref", "Reference of the client. Null removes it.");
        fields.describe("tags", "All tags of the file. Null removes them.");
        fields.describe("title", "Title, for people. Null removes it.");
        fields.describe("alt", "Alternative text of an image. Null removes it.");
        fields.describe("metadata", "All metadata of the file. Null removes it.");
        fields.describe(
            "type",
            "Delivery type. Weakening the protection requires the role admin.",
        );

        Some(UpdateFile {
            original_name,
            folder,
            reference,
            tags,
            title,
            alt,
            metadata,
            delivery_type,
        })
    }
}

/// Reads the tags without duplicates. Null removes all tags.
fn read_tags(fields: &mut impl FieldReader) -> Option<Vec<Tag>> {
    if !fields.is_present("tags") {
        return None;
    }
    let tags = fields.list("tags", MAX_TAGS, Tag::parse);
    Some(Tag::dedup(tags.unwrap_or_default()))
}

/// The body of an update with the id in the body. It only describes the fields.
pub(crate) struct UpdateFileById;

impl FromFields for UpdateFileById {
    fn read(fields: &mut impl FieldReader) -> Option<UpdateFileById> {
        let id = fields.required(ID, ResourceId::parse);
        fields.describe(ID, "Id of the file.");
        let update = UpdateFile::read(fields);
        id.zip(update).map(|_| UpdateFileById)
    }
}

impl UpdateFile {
    fn apply(&self, file: &mut File, folders: Option<&FolderChain>) {
        if let Some(name) = &self.original_name {
            file.original_name = name.clone();
        }
        if let Some(folders) = folders {
            file.folder = folders.leaf_ref();
        }

        self.reference.apply(&mut file.reference);
        if let Some(tags) = &self.tags {
            file.tags.clone_from(tags);
        }
        self.title.apply(&mut file.title);
        self.alt.apply(&mut file.alt);
        self.metadata.apply_or_default(&mut file.metadata);

        if let Some(delivery_type) = self.delivery_type {
            file.set_delivery_type(delivery_type);
        }
    }
}

/// Fails with 403 if the caller may not manage the file, or lowers its protection without the role
/// admin.
pub(crate) async fn update(
    can: Can<ManageFiles, File>,
    State(files): State<FilesState>,
    body: UnreadJson<UpdateFile>,
) -> Result<Data<FileView>, ApiError> {
    change(can, &files, body.fields, &body.value).await
}

/// Fails with 422 if the query has a different id.
pub(crate) async fn update_named(
    auth: Authenticated<ManageFiles>,
    State(files): State<FilesState>,
    ValidQuery(query): ValidQuery<ResourceSelector>,
    mut body: UnreadJson<UpdateFileById>,
) -> Result<Data<FileView>, ApiError> {
    let id = body.fields.required(ID, ResourceId::parse).map(|id| id.0);
    let Some(id) = id else {
        // Records the errors of all other fields.
        UpdateFile::read(&mut body.fields);
        return body.fields.finish(None).map_err(ApiError::from);
    };
    let selector = ResourceSelector {
        id: Some(id.clone()),
    };
    query.require_same(&selector)?;

    change(auth.can(&id).await?, &files, body.fields, &body.value).await
}

async fn change(
    can: Can<ManageFiles, File>,
    files: &FilesState,
    mut fields: InputFields,
    body: &Value,
) -> Result<Data<FileView>, ApiError> {
    can.space
        .files()
        .require_manager(&can.resource, &can.caller)?;
    let folders_before = can.space.folders().chain_of_file(&can.resource).await?;
    let before = FileView::of(
        &can.resource,
        folders_before.as_ref(),
        can.space.record(),
        &files.cdn_url,
    );

    let Some(update) = read_update(&mut fields, body, &can.resource, &before) else {
        return fields.finish(None).map_err(ApiError::from);
    };
    let placement = resolve_placement(&can.space, update.folder.as_ref(), &mut fields).await?;
    let update = fields.finish(Some(update))?;

    let space = can.space.clone();
    let apply = |file: &mut File, folders: Option<&FolderChain>| {
        update.apply(file, folders);
        Ok(())
    };
    let changed = change_and_move(can, folders_before, placement, apply).await?;

    Ok(Data(file_view(&space, &changed, &files.cdn_url).await?))
}

/// Changes a file that the caller may manage, which was read with its folders. `apply` gets the
/// folders that the file moves to, if any. Fails with 403 if the caller lowers the protection of
/// the file without the role admin.
pub(crate) async fn change_and_move(
    can: Can<ManageFiles, File>,
    folders_before: Option<FolderChain>,
    placement: Option<Placement>,
    apply: impl Fn(&mut File, Option<&FolderChain>) -> Result<(), ServiceError>,
) -> Result<File, ServiceError> {
    require_untrashed(&can.resource)?;
    let folders = create_folders(&can.space, placement).await?;

    let check = ProtectionCheck {
        space: &can.space,
        folder_before: can.resource.folder_id(),
        before: folders_before.as_ref(),
        after: folders.as_ref(),
    };
    let change = |file: &mut File| {
        let from = file.clone();
        apply(file, folders.as_ref())?;
        check.require_allowed(&from, file)
    };

    can.space.files().change(can.resource, change).await
}

/// Reads the changes to a file with this view. `None` only if a field error was recorded.
fn read_update(
    fields: &mut InputFields,
    body: &Value,
    file: &File,
    view: &FileView,
) -> Option<UpdateFile> {
    let keeps_folder = ignore_unchanged_folder(fields, body, view);
    let update = UpdateFile::read(fields);
    if let Some(selector) = ResourceSelector::read(fields) {
        let result = selector.require_same(&ResourceSelector::from(file.id));
        fields.merge(result.err().unwrap_or_default());
    }
    fields.merge(read_only::field_errors(body, view, fields));

    let update = update?;
    if let Some(name) = &update.original_name {
        fields.record("original_name", require_name(name, &file.original_name));
    }
    Some(UpdateFile {
        folder: update.folder.filter(|_| !keeps_folder),
        ..update
    })
}

/// Ignores the `folder_path` of a record that is sent back: there it is the path of the file's
/// folder, and not a path relative to `folder_id`. Records a field error if it differs from the
/// current one. Returns whether the file stays in its folder.
fn ignore_unchanged_folder(fields: &mut InputFields, body: &Value, view: &FileView) -> bool {
    let record = serde_json::to_value(view).unwrap_or_default();
    let is_same = |field: &str| body.get(field) == record.get(field);
    let is_record = body.get(RECORD_FIELD).is_some();

    if is_same(FOLDER_PATH) && (is_record || is_same(FOLDER_ID)) {
        fields.ignore(FOLDER_PATH);
    } else if is_record && fields.is_present(FOLDER_PATH) {
        fields.reject(FOLDER_PATH, &FieldError::ReadOnly);
    }
    is_same(FOLDER_ID) && !fields.has_value(FOLDER_PATH)
}

/// Fails if a name has an executable extension, unless the current one has too: then the upload
/// config allowed it.
fn require_name(name: &OriginalName, current: &OriginalName) -> Result<(), FieldError> {
    let rules = ValidationRules::default();
    let is_current_executable = reject_executable_name(current, &rules).is_err();
    if is_current_executable {
        Ok(())
    } else {
        reject_executable_name(name, &rules)
    }
}

/// Returns the folders that the file moves to, if any, and creates missing ones. Fails with 403 if
/// the caller may not create folders.
async fn create_folders(
    space: &SpaceScope,
    placement: Option<Placement>,
) -> Result<Option<FolderChain>, ServiceError> {
    let Some(placement) = placement else {
        return Ok(None);
    };
    let folders = space.folders();
    folders.require_placeable(&placement)?;
    folders.create_missing(placement).await.map(Some)
}

/// Resolves the folder that the file moves to, if any, and records its field errors.
async fn resolve_placement(
    space: &SpaceScope,
    folder: Option<&FolderSelector>,
    fields: &mut InputFields,
) -> Result<Option<Placement>, ServiceError> {
    let Some(folder) = folder else {
        return Ok(None);
    };
    let placement = space.folders().placement(folder).await?;
    Ok(placement
        .map_err(|field_errors| fields.merge(field_errors))
        .ok())
}
