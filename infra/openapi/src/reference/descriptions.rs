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
    (
        "KeyView.key",
        "The key itself. Present only in the response to its creation.",
    ),
    (
        "KeyView.expires_at",
        "Time of expiry; null if the key does not expire.",
    ),
    ("KeyView.name", "Name of the key."),
    (
        "SignedUploadUrlView.url",
        "URL for a form upload, `POST /upload/signed`.",
    ),
    (
        "SignedUrlView.url",
        "Signed delivery URL; null while the file is pending.",
    ),
    (
        "access_control",
        "Access control. Null or absent: inherited, or the default of a space.",
    ),
    (
        "active_upload_config_id",
        "Upload config of uploads that select none.",
    ),
    (
        "allow_unsigned",
        "Whether the config accepts uploads without a key.",
    ),
    (
        "checksum_sha256",
        "SHA-256 of the bytes, in lower-case hex; null if unknown.",
    ),
    ("config", "Rules of uploads. Replaced as a whole."),
    (
        "confirm_token",
        "Token of the presign response, in place of a key.",
    ),
    ("content_type", "MIME type of the file."),
    ("created_at", "Time of creation."),
    ("cursor", "`next_cursor` or `prev_cursor` of another page."),
    (
        "custom_domain",
        "Host name in the URLs of files. Null: the default domain.",
    ),
    ("data", "The resources."),
    ("default_space_id", "Space of requests that select none."),
    ("delivery_type", "`type` of uploaded files."),
    (
        "download",
        "Whether browsers save the file instead of showing it.",
    ),
    (
        "enabled",
        "Whether the space accepts uploads and delivers files.",
    ),
    (
        "expiration_minutes",
        "Validity of the URL, in minutes. Default: 60 for delivery, 30 for uploads.",
    ),
    ("expires_at", "Time of expiry."),
    ("extension", "Extension of the stored type, without a dot."),
    ("f", "Transformation: format."),
    ("file", "One file."),
    ("file_id", "Id of the pending file."),
    ("file_ids", "Ids of files."),
    ("filename", "Name of the file."),
    ("files", "Several files."),
    (
        "folder_mode",
        "Whether `storage_path` contains the folder path. Set on creation only.",
    ),
    (
        "folder_path",
        "Path of folders, `photos/vacation`. In requests: relative to `folder_id`.",
    ),
    ("force", "Delete the space although it is not empty."),
    ("g", "Transformation: gravity."),
    ("h", "Transformation: height in pixels."),
    ("has_children", "Whether the folder contains folders."),
    ("inherited_from", "Id of the resource that has the setting."),
    ("is_active", "False for a revoked or expired key."),
    ("is_signed", "Whether form uploads need a signed URL."),
    (
        "kid",
        "Id of the secret: the parameter `kid` of signed URLs.",
    ),
    ("last_four", "Last four characters of the key."),
    (
        "last_used_at",
        "Time of the last use, updated at most once per minute.",
    ),
    ("limit", "Maximum number of items on the page."),
    ("method", "HTTP method of the URL."),
    ("mime_type", "Stored type."),
    (
        "not_found",
        "Ids of files that do not exist or that the caller cannot access.",
    ),
    (
        "object_key",
        "Key of the bytes in the bucket until confirmation.",
    ),
    (
        "parent_id",
        "Parent folder: an id. In requests also `root`. Null: the root.",
    ),
    ("path", "Path of the folder, `photos/vacation/`."),
    (
        "presign_url",
        "URL for a presigned upload, `POST /upload/signed/presign`.",
    ),
    (
        "previous",
        "The secret before the last rotation, while it is valid.",
    ),
    ("public_read", "Complement of `requires_auth`."),
    ("q", "Transformation: quality."),
    ("r", "Transformation: resize mode."),
    (
        "requires_auth",
        "Whether delivery requires a signed URL or a key.",
    ),
    (
        "resource_type",
        "Kind of the file, derived from its stored type.",
    ),
    ("role", "Role of the key."),
    ("secret", "The secret, as text."),
    ("security", "Security settings. Replaced as a whole."),
    ("size", "Size in bytes."),
    ("source", "Where the setting comes from."),
    ("space", "Handle of the space."),
    (
        "space_id",
        "Id of the space. Where optional: by default that of the key, or the default space of the account.",
    ),
    ("status", "Whether the bytes are stored and validated."),
    ("storage_path", "Path of the file at the CDN."),
    ("tag", "Only files with this tag."),
    ("tags", "Tags."),
    ("type", "How the file is delivered."),
    (
        "KeyView.type",
        "Whether it is an account key or a space key.",
    ),
    (
        "unsigned_restrictions",
        "Required if `allow_unsigned` is true.",
    ),
    ("updated_at", "Time of the last change."),
    (
        "upload_config",
        "Upload config: an id or a name. Default: the active config of the space.",
    ),
    ("upload_config_id", "Id of the upload config."),
    ("upload_url", "Presigned URL for the `PUT` of the bytes."),
    ("uploaded_by", "User or key that uploaded the file."),
    ("url", "Delivery URL; null while the file is pending."),
    ("user_id", "User of an account key; null for a space key."),
    ("w", "Transformation: width in pixels."),
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
