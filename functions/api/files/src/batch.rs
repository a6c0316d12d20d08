//! `POST /files/batch`: delete, update or restore up to 100 files.
//!
//! Invariant: each file is processed as a request for it alone would do it, with its authorization,
//! its errors and its events. So a request that was interrupted can be repeated.

use axum::extract::State;
use domain::{
    env::Timestamp,
    errors::{FieldError, FieldErrors, ServiceError, parse_variant},
    files::{CustomMetadata, File, MAX_METADATA_VALUES},
    folders::FolderChain,
    id::FileId,
    naming::{MAX_TAGS, Tag},
    settings::DeliveryType,
};
use futures::{StreamExt as _, stream};
use http_api::{
    caller::{Action as _, Authenticated, Can, ManageFiles, ResourceId},
    describe::Endpoint,
    fields::{FOLDER_ID, FieldReader, FolderReference, FromFields, Patch},
    request::ValidJson,
    response::{ApiError, Data, PartError},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use space_store::folders::FolderSelector;

use crate::{
    FilesState,
    delete::{PERMANENT, PERMANENT_DESCRIPTION},
    update::change_and_move,
};

/// Maximum number of files in one request.
const MAX_FILES: usize = 100;
/// Number of files that are processed at a time.
const CONCURRENCY: usize = 8;
/// Number of files that are moved or restored at a time. The transactions of several would check
/// the same folder, and conflict.
const MOVES: usize = 1;
/// Time after which no further file is begun, in milliseconds. The gateway waits for 29 seconds,
/// and files that were begun may take the rest.
const MAX_START_MS: i64 = 13_000;

const IDS: &str = "ids";
const OPERATION: &str = "operation";
const ADD_TAGS: &str = "add_tags";
const REMOVE_TAGS: &str = "remove_tags";
const METADATA: &str = "metadata";
const TYPE: &str = "type";
/// Fields of an update.
const CHANGES: [&str; 5] = [FOLDER_ID, TYPE, ADD_TAGS, REMOVE_TAGS, METADATA];
const NO_CHANGE: &str =
    "requires folder_id, type, add_tags, remove_tags or metadata when it is update";

pub(crate) const BATCH: Endpoint = Endpoint::post(
    "batchFiles",
    "/files/batch",
    "Delete, update or restore up to 100 files",
)
.description(
    "Deletes the files, changes their folder, type, tags or metadata, or restores them from the trash: each as \
     `deleteFile`, `updateFile` or `restoreFile` would, with its authorization, errors and webhooks. The response has a result per id, \
     in the order of the request, and status 200 even if some failed. Files that are not begun within \
     13 seconds get 503. The request can be repeated: a file that was deleted finally is then a 404 of its id, and one \
     that was restored a 409.",
);

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "BatchOperation")]
enum Operation {
    Delete,
    Update,
    Restore,
}

pub(crate) struct Batch {
    ids: Vec<ResourceId>,
    work: Work,
}

/// What is done with each file.
enum Work {
    Delete { is_permanent: bool },
    Update(Changes),
    Restore,
}

/// Changes of an update. `None` and [`Patch::Keep`] leave a field unchanged.
struct Changes {
    folder: Option<FolderSelector>,
    delivery_type: Option<DeliveryType>,
    added_tags: Vec<Tag>,
    removed_tags: Vec<Tag>,
    metadata: Patch<CustomMetadata>,
}

impl Work {
    /// Returns the number of files that are processed at a time.
    fn concurrency(&self) -> usize {
        match self {
            Work::Restore
            | Work::Update(Changes {
                folder: Some(_), ..
            }) => MOVES,
            _ => CONCURRENCY,
        }
    }
}

impl FromFields for Batch {
    fn read(fields: &mut impl FieldReader) -> Option<Batch> {
        let ids = fields.required_list(IDS, MAX_FILES, ResourceId::parse);
        let operation = fields.required(OPERATION, parse_variant);
        let is_permanent = fields.boolean(PERMANENT).unwrap_or_default();
        fields.describe(PERMANENT, PERMANENT_DESCRIPTION);
        let changes = Changes::read(fields);
        fields.describe(IDS, "Different ids of 1 to 100 files, in any spaces.");
        fields.describe(
            OPERATION,
            "What is done with the files. `update` requires a change.",
        );

        reject_duplicates(fields, ids.as_deref().unwrap_or_default());
        match operation {
            Some(Operation::Delete | Operation::Restore) => {
                reject_fields(
                    fields,
                    &CHANGES,
                    "must be absent unless operation is update",
                );
            }
            Some(Operation::Update) if !has_change(fields) => {
                let unchanged = FieldError::Custom(NO_CHANGE);
                fields.reject(OPERATION, &unchanged);
            }
            _ => {}
        }

        if operation.is_some_and(|operation| operation != Operation::Delete) {
            let absent = "must be absent unless operation is delete";
            reject_fields(fields, &[PERMANENT], absent);
        }

        let work = match operation? {
            Operation::Delete => Work::Delete { is_permanent },
            Operation::Restore => Work::Restore,
            Operation::Update => Work::Update(changes),
        };
        Some(Batch { ids: ids?, work })
    }
}

fn reject_duplicates(fields: &mut impl FieldReader, ids: &[ResourceId]) {
    for (index, ResourceId(id)) in ids.iter().enumerate() {
        let mut before = ids.iter().take(index);
        if before.any(|ResourceId(other)| other.eq_ignore_ascii_case(id)) {
            fields.reject(&format!("{IDS}.{index}"), &FieldError::Duplicate);
        }
    }
}

/// Rejects those of these fields that are present.
fn reject_fields(fields: &mut impl FieldReader, names: &[&str], absent: &'static str) {
    for name in names {
        if fields.is_present(name) {
            fields.reject(name, &FieldError::Custom(absent));
        }
    }
}

/// Whether a field of an update is present. Null clears some of them, and is no list of tags.
fn has_change(fields: &impl FieldReader) -> bool {
    CHANGES.into_iter().any(|name| match name {
        ADD_TAGS | REMOVE_TAGS => fields.has_value(name),
        _ => fields.is_present(name),
    })
}

impl Changes {
    fn read(fields: &mut impl FieldReader) -> Changes {
        let folder = match fields.patch(FOLDER_ID, FolderReference::parse) {
            Patch::Keep => None,
            Patch::Clear => Some(FolderSelector::default()),
            Patch::Set(FolderReference(from)) => Some(FolderSelector { from, path: None }),
        };
        let delivery_type = fields.non_null(TYPE, parse_variant);
        let added_tags = fields.list(ADD_TAGS, MAX_TAGS, Tag::parse);
        let removed_tags = fields.list(REMOVE_TAGS, MAX_TAGS, Tag::parse);
        let metadata = fields.patch_map(METADATA, MAX_METADATA_VALUES, CustomMetadata::parse_entry);
        fields.describe(
            FOLDER_ID,
            "Folder to move the files to: an id, or `root` for no folder.",
        );
        fields.describe(
            TYPE,
            "Delivery type. Weakening the protection requires the role admin.",
        );
        fields.describe(
            ADD_TAGS,
            "Tags that the files have afterwards, beside their others.",
        );
        fields.describe(REMOVE_TAGS, "Tags that the files do not have afterwards.");
        fields.describe(METADATA, "All metadata of the files. Null removes it.");

        for (index, tag) in removed_tags.iter().flatten().enumerate() {
            if added_tags.iter().flatten().any(|added| added == tag) {
                let added = FieldError::Custom("must not be one of add tags");
                fields.reject(&format!("{REMOVE_TAGS}.{index}"), &added);
            }
        }

        Changes {
            folder,
            delivery_type,
            added_tags: added_tags.unwrap_or_default(),
            removed_tags: removed_tags.unwrap_or_default(),
            metadata,
        }
    }

    /// Changes a file. Fails with 422 if it would have too many tags.
    fn apply(&self, file: &mut File, folders: Option<&FolderChain>) -> Result<(), ServiceError> {
        if let Some(folders) = folders {
            file.folder = folders.leaf_ref();
        }
        if let Some(delivery_type) = self.delivery_type {
            file.set_delivery_type(delivery_type);
        }

        file.tags.extend(self.added_tags.iter().cloned());
        file.tags = Tag::dedup(std::mem::take(&mut file.tags));
        file.tags.retain(|tag| !self.removed_tags.contains(tag));
        if file.tags.len() > MAX_TAGS {
            return Err(FieldErrors::from((ADD_TAGS, FieldError::TooMany(MAX_TAGS))).into());
        }

        self.metadata.apply_or_default(&mut file.metadata);
        Ok(())
    }
}

/// The result of one file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BatchResult")]
pub(crate) struct BatchResult {
    /// The requested id, in upper case if it is valid.
    id: String,
    /// Null if the file was deleted, updated or restored.
    error: Option<PartError>,
}

/// Fails with 403 if a space key may change no file. An account key may have another role for each
/// file.
pub(crate) async fn batch(
    auth: Authenticated<ManageFiles>,
    State(files): State<FilesState>,
    ValidJson(batch): ValidJson<Batch>,
) -> Result<Data<Vec<BatchResult>>, ApiError> {
    auth.caller.require_in_own_space(ManageFiles::MIN_ROLE)?;

    let run = Run {
        deadline: auth.env().now().plus_ms(MAX_START_MS),
        auth,
        files,
        work: batch.work,
    };
    let results = batch.ids.iter().map(|ResourceId(id)| run.result(id));
    let results: Vec<_> = results.collect();
    Ok(Data(
        stream::iter(results)
            .buffered(run.work.concurrency())
            .collect()
            .await,
    ))
}

fn out_of_time() -> ServiceError {
    ServiceError {
        message: "The request had no time left for this file. Send it again.".into(),
        ..ServiceError::contended("the batch has no time left")
    }
}

/// A batch in progress.
struct Run {
    auth: Authenticated<ManageFiles>,
    files: FilesState,
    work: Work,
    /// Time from which no file is begun.
    deadline: Timestamp,
}

impl Run {
    async fn result(&self, requested: &str) -> BatchResult {
        let id: Option<FileId> = requested.parse().ok();
        let done = if self.auth.env().now() < self.deadline {
            self.process(requested).await
        } else {
            Err(out_of_time())
        };

        BatchResult {
            id: id.map_or_else(|| requested.to_owned(), |id| id.to_string()),
            error: done.err().map(PartError::from),
        }
    }

    /// Deletes, updates or restores one file.
    async fn process(&self, id: &str) -> Result<(), ServiceError> {
        let can: Can<ManageFiles, File> = self.auth.can(id).await?;
        let records = can.space.files();
        records.require_manager(&can.resource, &can.caller)?;
        let queues = &self.files.deletion_queues;
        let changes = match &self.work {
            Work::Delete { is_permanent } => {
                return records.delete(can.resource, *is_permanent, queues).await;
            }
            Work::Restore => {
                records.restore(can.resource, &queues.webhooks).await?;
                return Ok(());
            }
            Work::Update(changes) => changes,
        };

        let folders = can.space.folders();
        let folders_before = folders.chain_of_file(&can.resource).await?;
        let placement = match &changes.folder {
            Some(folder) => Some(folders.placement(folder).await??),
            None => None,
        };
        let apply = |file: &mut File, folders: Option<&FolderChain>| changes.apply(file, folders);
        change_and_move(can, folders_before, placement, apply).await?;
        Ok(())
    }
}
