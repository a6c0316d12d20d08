//! A library of sixty different files, and a model of its lists.

use serde_json::json;
use tests::{PHOTO, Stack, TestSpace, seconds, text};

use super::{pages::List, signer::query};

/// Number of files: each delivery type with each set of tags and each kind.
pub(super) const FILES: usize = TYPES.len() * TAGS.len() * KINDS.len();
const TYPES: [&str; 3] = ["upload", "private", "authenticated"];
/// Sets of tags. Some differ in case alone, or contain characters that keys and URLs reserve.
const TAGS: [&[&str]; 4] = [&[], &["red"], &["Red", "two words"], &["red#1", "ü&=/%+"]];
/// A kind of file.
struct Kind {
    mime_type: &'static str,
    resource_type: &'static str,
    bytes: &'static [u8],
}

const KINDS: [Kind; 5] = [
    Kind {
        mime_type: "image/jpeg",
        resource_type: "image",
        bytes: PHOTO,
    },
    Kind {
        mime_type: "text/plain",
        resource_type: "text",
        bytes: b"some text",
    },
    Kind {
        mime_type: "application/pdf",
        resource_type: "document",
        bytes: b"%PDF-1.7\n%\xE2\xE3",
    },
    Kind {
        mime_type: "application/zip",
        resource_type: "archive",
        bytes: b"PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0\0\0",
    },
    Kind {
        mime_type: "application/octet-stream",
        resource_type: "other",
        bytes: b"\0\0\0\0\x9D\xFE\x13\x77\xC1",
    },
];
/// An original name, and the normalized form that searches compare and sort by.
struct Name {
    original: &'static str,
    normalized: &'static str,
}

const fn name(original: &'static str, normalized: &'static str) -> Name {
    Name {
        original,
        normalized,
    }
}

/// Names of the files. One is a prefix of another, one is composed and one is decomposed.
const NAMES: [Name; 6] = [
    name("photo", "photo"),
    name("Photo 2.jpg", "photo 2.jpg"),
    name("PHOTO.jpg", "photo.jpg"),
    name("\u{C9}t\u{E9}.txt", "\u{E9}t\u{E9}.txt"),
    name("E\u{301}te\u{301}.txt", "\u{E9}t\u{E9}.txt"),
    name("z_last#1.bin", "z_last#1.bin"),
];
/// A filter of a list.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    name: &'static str,
    /// Value of the parameter.
    sent: String,
    /// Value to compare files with.
    normalized: String,
}

impl Filter {
    fn new(name: &'static str, sent: &str, normalized: &str) -> Filter {
        Filter {
            name,
            sent: sent.to_owned(),
            normalized: normalized.to_owned(),
        }
    }
}

/// Returns the query of several filters.
pub(crate) fn to_query(filters: &[&Filter]) -> String {
    let parameters = filters
        .iter()
        .map(|filter| (filter.name.to_owned(), filter.sent.clone()));
    query(&parameters.collect::<Vec<_>>())
}

/// Properties of an uploaded file.
pub(crate) struct LibraryFile {
    id: String,
    delivery_type: &'static str,
    resource_type: &'static str,
    status: &'static str,
    tags: &'static [&'static str],
    folder: String,
    /// Name that searches compare and sort by.
    normalized_name: &'static str,
    /// Time of the creation, as responses state it.
    created_at: String,
}

impl LibraryFile {
    fn matches(&self, filter: &Filter) -> bool {
        let value = filter.normalized.as_str();
        match filter.name {
            "type" => self.delivery_type == value,
            "resource_type" => self.resource_type == value,
            "status" => self.status == value,
            "tag" => self.tags.contains(&value),
            "folder_id" => self.folder == value,
            "search" => self.normalized_name.starts_with(value),
            "created_from" => self.created_at.as_str() >= value,
            "created_to" => self.created_at.as_str() < value,
            name => panic!("unknown filter {name}"),
        }
    }

    /// Returns one filter of each kind that matches the file.
    pub(crate) fn filters(&self) -> Vec<Filter> {
        let equal = |name, value: &str| Filter::new(name, value, value);
        let tag = self.tags.first().map(|tag| equal("tag", tag));
        let others = [
            equal("type", self.delivery_type),
            equal("resource_type", self.resource_type),
            equal("status", self.status),
            equal("folder_id", &self.folder),
            equal("search", self.normalized_name),
            equal("created_from", &self.created_at),
        ];

        others.into_iter().chain(tag).collect()
    }
}

/// A space with its files.
pub(crate) struct Library {
    pub(crate) acme: TestSpace,
    /// Files, newest first.
    pub(crate) files: Vec<LibraryFile>,
    /// Two folders with files and an empty one.
    folders: [String; 3],
}

impl Library {
    pub(crate) async fn new(stack: &Stack) -> Library {
        let acme = stack.space("Acme").await;
        for delivery_type in TYPES {
            for (index, tags) in TAGS.iter().enumerate() {
                let name = format!("{delivery_type}-{index}");
                let config = acme.upload_config(&name);
                let config = config.with_delivery_type(delivery_type);
                let settings = json!({"metadata": {"tags": tags}});
                config.with_settings(settings).await;
            }
        }

        let folders = [
            acme.folder("Photos").await.id,
            acme.folder("Texts").await.id,
            acme.folder("Empty").await.id,
        ];
        let mut files = Vec::new();

        for number in 0..FILES {
            stack.clock.advance(seconds(1));
            let created_at = stack.now().rfc3339();
            files.push(create_file(&acme, number, &folders, created_at).await);
        }

        files.reverse();
        Library {
            acme,
            files,
            folders,
        }
    }

    /// Returns all filters in groups by property. Each group has a filter that matches no file,
    /// except those of the time, whose range must not end before it begins.
    pub(crate) fn filters(&self) -> Vec<Vec<Filter>> {
        let equal = |name, values: &[&str]| -> Vec<Filter> {
            values
                .iter()
                .map(|value| Filter::new(name, value, value))
                .collect()
        };

        let [photos, texts, empty] = self.folders.each_ref().map(String::as_str);
        let lower = texts.to_lowercase();
        let folders = [
            ("root", "root"),
            (photos, photos),
            (lower.as_str(), texts),
            (empty, empty),
        ];

        let prefixes = [
            ("p", "p"),
            ("PHOTO", "photo"),
            ("photo 2", "photo 2"),
            ("e\u{301}T", "\u{E9}t"),
            ("e", "e"),
            ("z_last#", "z_last#"),
        ];
        vec![
            equal("type", &TYPES),
            equal(
                "resource_type",
                &[
                    "image", "video", "audio", "text", "document", "archive", "other",
                ],
            ),
            equal("status", &["pending", "active"]),
            equal(
                "tag",
                &["red", "Red", "two words", "red#1", "ü&=/%+", "re", "red#"],
            ),
            folders
                .map(|(sent, normalized)| Filter::new("folder_id", sent, normalized))
                .into(),
            prefixes
                .map(|(sent, normalized)| Filter::new("search", sent, normalized))
                .into(),
            equal("created_from", &[&self.files[FILES - 20].created_at]),
            equal(
                "created_to",
                &[
                    &self.files[FILES - 20].created_at,
                    &self.files[10].created_at,
                ],
            ),
        ]
    }

    /// Returns the ids of the files that match all filters: newest first, or by name and id for a
    /// search.
    pub(crate) fn matching_ids(&self, filters: &[&Filter]) -> Vec<&str> {
        let is_match = |file: &&LibraryFile| filters.iter().all(|filter| file.matches(filter));
        let mut matching: Vec<&LibraryFile> = self.files.iter().filter(is_match).collect();

        if filters.iter().any(|filter| filter.name == "search") {
            matching.sort_by_key(|file| (file.normalized_name, &file.id));
        }

        matching.into_iter().map(|file| file.id.as_str()).collect()
    }

    /// Returns the list with these filters.
    pub(crate) fn list(&self, filters: &[&Filter], limit: usize) -> List<'_> {
        List::new(&self.acme, "/files", &to_query(filters), limit)
    }
}

/// Uploads or presigns the file with a number.
async fn create_file(
    acme: &TestSpace,
    number: usize,
    folders: &[String; 3],
    created_at: String,
) -> LibraryFile {
    let delivery_type = TYPES[number % TYPES.len()];
    let kind = &KINDS[number % KINDS.len()];
    let name = &NAMES[number / 5 % NAMES.len()];
    let folder = ["root", &folders[0], &folders[1]][number / 3 % 3].to_owned();
    let status = if number % 7 < 3 { "pending" } else { "active" };
    let config = format!("{delivery_type}-{}", number % TAGS.len());

    let id = if status == "pending" {
        let body = json!({
            "space": acme.handle, "filename": name.original, "content_type": kind.mime_type, "size": kind.bytes.len(),
            "upload_config": config, "folder_id": folder,
        });
        let presigned = acme.post("/upload/presign", body).await;
        text(&presigned.expect_status(201).json()["file_id"])
    } else {
        let upload = acme.upload(kind.bytes);
        let upload = upload.named(name.original, kind.mime_type);
        upload.into_id(&folder).with_config(&config).await.id
    };
    LibraryFile {
        id,
        delivery_type,
        resource_type: kind.resource_type,
        status,
        tags: TAGS[number % TAGS.len()],
        folder,
        normalized_name: name.normalized,
        created_at,
    }
}
