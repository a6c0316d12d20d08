//! Descriptions of fields whose schema has none.

/// Descriptions by the name of the field, or by `OWNER.FIELD`, which takes precedence. The owner is
/// the id of the operation, or the name of the type.
const DESCRIPTIONS: &[(&str, &str)] = &[
    ("AccountView.key", "The key of the request."),
    (
        "AnonymousFileView.name",
        "Stored name: the last segment of the URL.",
    ),
    (
        "FileView.name",
        "Stored name: the last segment of `storage_path`.",
    ),
    ("folder_id", "Folder: an id. In requests also `root`."),
    ("KeyView.name", "Name of the key."),
    (
        "access_control",
        "Access control. Null or absent: inherited, or the default of a space.",
    ),
    (
        "checksum_sha256",
        "SHA-256 of the bytes, in lower-case hex; null if unknown.",
    ),
    ("content_type", "MIME type of the file."),
    ("created_at", "Time of creation."),
    (
        "enabled",
        "Whether the space accepts uploads and delivers files.",
    ),
    ("expires_at", "Time of expiry."),
    ("extension", "Extension of the stored type, without a dot."),
    ("file_id", "Id of the pending file."),
    ("filename", "Name of the file."),
    (
        "folder_mode",
        "Whether `storage_path` contains the folder path. Set on creation only.",
    ),
    (
        "folder_path",
        "Path of folders, `photos/vacation`. In requests: relative to `folder_id`.",
    ),
    ("limit", "Maximum number of items on the page."),
    ("mime_type", "Stored type."),
    (
        "resource_type",
        "Kind of the file, derived from its stored type.",
    ),
    ("security", "Security settings. Replaced as a whole."),
    ("size", "Size in bytes."),
    (
        "space_id",
        "Id of the space. Where optional: by default that of the key, or the default space of the account.",
    ),
    ("status", "Whether the bytes are stored and validated."),
    ("storage_path", "Path of the file at the CDN."),
    ("tags", "Tags."),
    ("type", "How the file is delivered."),
    (
        "KeyView.type",
        "Whether it is an account key or a space key.",
    ),
    ("updated_at", "Time of the last change."),
    ("upload_config_id", "Id of the upload config."),
    ("uploaded_by", "User or key that uploaded the file."),
    ("url", "Delivery URL; null while the file is pending."),
    ("watermark", "Watermark of delivered images."),
    ("webhook_url", "URL of webhooks, which are not sent yet."),
];

/// Returns the description of a field of an operation or a type.
pub(super) fn by_name(owner: &str, field: &str) -> Option<&'static str> {
    let qualified = format!("{owner}.{field}");
    let find = |wanted: &str| DESCRIPTIONS.iter().find(|(name, _)| *name == wanted);
    let found = find(&qualified).or_else(|| find(field));
    found.map(|(_, description)| *description)
}
