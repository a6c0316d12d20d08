//! `PUT /files/:id`, and `PUT /files` with the id in the body: change a file. What is absent stays.

use axum::extract::State;
use domain::{
    DeliveryType, FieldError, FieldErrors, File, FolderChain, OriginalName, Reference, TAGS, Tag,
    ValidationRules, parse_variant, require_harmless_name,
};
use serde_json::Value;
use tenant::FolderSelector;
use web::{
    ApiError, Authenticated, Can, Data, Endpoint, FOLDER_ID, FOLDER_PATH, FieldReader, FileView,
    FromFields, InputFields, ManageFiles, Patch, ResourceId, UnreadJson, ValidQuery, read_folder,
};

use crate::{
    Files,
    named::{FileName, ID},
    protection::ProtectionCheck,
    read_only,
    shown::shown,
};

/// What stands in records, and in no request of one's own.
const RECORD: &str = "created_at";

pub(crate) const UPDATE: Endpoint = Endpoint::put("updateFile", "/files/{id}", "Update a file");

pub(crate) const UPDATE_NAMED: Endpoint = Endpoint::put(
    "updateNamedFile",
    "/files",
    "Update the file that the body names",
)
.errors(&[(404, "The file does not exist.")]);

/// What is changed.
pub(crate) struct UpdateFile {
    original_name: Option<OriginalName>,
    folder: Option<FolderSelector>,
    reference: Patch<Reference>,
    tags: Option<Vec<Tag>>,
    delivery_type: Option<DeliveryType>,
}

impl FromFields for UpdateFile {
    fn read(fields: &mut impl FieldReader) -> Option<UpdateFile> {
        let folder = match read_folder(fields) {
            Patch::Keep => None,
            Patch::Clear => Some(FolderSelector::default()),
            Patch::Set(folder) => Some(folder),
        };
        Some(UpdateFile {
            original_name: fields.non_null("original_name", |name| Ok(OriginalName::clean(name))),
            folder,
            reference: fields.patch("ref", Reference::parse),
            tags: tags(fields),
            delivery_type: fields.non_null("type", parse_variant),
        })
    }
}

/// The body of an update that names its file.
pub(crate) struct UpdateNamedFile;

impl FromFields for UpdateNamedFile {
    fn read(fields: &mut impl FieldReader) -> Option<UpdateNamedFile> {
        let id = fields.required(ID, ResourceId::parse);
        let update = UpdateFile::read(fields);
        id.zip(update).map(|_| UpdateNamedFile)
    }
}

impl UpdateFile {
    fn apply(&self, file: &mut File, folders: Option<&FolderChain>) {
        file.original_name = self
            .original_name
            .clone()
            .unwrap_or_else(|| file.original_name.clone());
        if let Some(folders) = folders {
            file.folder = folders.in_folder();
        }
        self.reference.apply(&mut file.reference);
        file.tags = self.tags.clone().unwrap_or_else(|| file.tags.clone());
        file.delivery_type = self.delivery_type.unwrap_or(file.delivery_type);
    }
}

/// The tags, each once; none, where they are null.
fn tags(fields: &mut impl FieldReader) -> Option<Vec<Tag>> {
    if !fields.is_present("tags") {
        return None;
    }
    Some(Tag::dedup(
        fields.list("tags", TAGS, Tag::parse).unwrap_or_default(),
    ))
}

pub(crate) async fn update(
    can: Can<ManageFiles, File>,
    State(files): State<Files>,
    body: UnreadJson<UpdateFile>,
) -> Result<Data<FileView>, ApiError> {
    change(can, &files, body.fields, &body.value).await
}

pub(crate) async fn update_named(
    auth: Authenticated<ManageFiles>,
    State(files): State<Files>,
    ValidQuery(query): ValidQuery<FileName>,
    mut body: UnreadJson<UpdateNamedFile>,
) -> Result<Data<FileView>, ApiError> {
    let id = body.fields.required(ID, ResourceId::parse).map(|id| id.0);
    let Some(id) = id else {
        UpdateFile::read(&mut body.fields);
        return body.fields.finish(None).map_err(ApiError::from);
    };
    let named = FileName {
        id: Some(id.clone()),
    };
    query.require_same(&named)?;

    change(auth.can(&id).await?, &files, body.fields, &body.value).await
}

async fn change(
    can: Can<ManageFiles, File>,
    files: &Files,
    mut fields: InputFields,
    body: &Value,
) -> Result<Data<FileView>, ApiError> {
    can.space.require_file_manager(&can.resource, &can.caller)?;
    let folders_before = can.space.folder_chain(can.resource.folder.as_ref()).await?;
    let before = FileView::of(
        &can.resource,
        folders_before.as_ref(),
        can.space.record(),
        &files.cdn_url,
    );

    let stays = read_place(body, &before, &mut fields);
    let update = UpdateFile::read(&mut fields);
    fields.merge(read_only::field_errors(body, &before));
    if let Some(named) = FileName::read(&mut fields) {
        fields.merge(
            named
                .require_same(&FileName {
                    id: Some(can.resource.id.to_string()),
                })
                .err()
                .unwrap_or_default(),
        );
    }
    let Some(mut update) = update else {
        return fields.finish(None).map_err(ApiError::from);
    };
    if let Some(name) = &update.original_name {
        fields.record(
            "original_name",
            require_name(name, &can.resource.original_name),
        );
    }
    if stays {
        update.folder = None;
    }
    let placement = match &update.folder {
        Some(folder) => Some(can.space.placement(folder).await?),
        None => None,
    };
    let placement = noted(&mut fields, placement);
    let (update, placement) = fields.finish(Some((update, placement)))?;

    let folders = match placement {
        Some(placement) => {
            can.space.require_placeable(&placement)?;
            Some(can.space.create_missing_folders(placement).await?)
        }
        None => None,
    };
    let check = ProtectionCheck {
        space: &can.space,
        folder_before: can.resource.folder_id(),
        before: folders_before.as_ref(),
        after: folders.as_ref(),
    };
    let apply = |file: &mut File| {
        let from = file.clone();
        update.apply(file, folders.as_ref());
        check.require_allowed(&from, file)
    };
    let changed = can.space.change_file(can.resource, apply).await?;
    Ok(Data(shown(&can.space, &changed, &files.cdn_url).await?))
}

/// Takes what a record that is sent back says of the path of its folder for what it is: nothing
/// that is asked for. One that is another by now is noted. Gives whether nothing is said of another
/// place than the present one.
fn read_place(body: &Value, before: &FileView, fields: &mut InputFields) -> bool {
    let record = serde_json::to_value(before).unwrap_or_default();
    let is_same = |field: &str| body.get(field) == record.get(field);
    let is_record = body.get(RECORD).is_some();
    if is_same(FOLDER_PATH) && (is_record || is_same(FOLDER_ID)) {
        fields.ignore(FOLDER_PATH);
    } else if is_record && fields.has_value(FOLDER_PATH) {
        fields.reject(FOLDER_PATH, &FieldError::ReadOnly);
    }
    is_same(FOLDER_ID) && !fields.has_value(FOLDER_PATH)
}

/// Refuses a name that something would run, unless the file came in by a config that allowed such a
/// name.
fn require_name(name: &OriginalName, before: &OriginalName) -> Result<(), FieldError> {
    let rules = ValidationRules::default();
    if require_harmless_name(before, &rules).is_err() {
        Ok(())
    } else {
        require_harmless_name(name, &rules)
    }
}

/// What there is; what is wrong is noted.
fn noted<T>(fields: &mut InputFields, read: Option<Result<T, FieldErrors>>) -> Option<T> {
    read?
        .map_err(|field_errors| fields.merge(field_errors))
        .ok()
}
