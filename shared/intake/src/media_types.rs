//! Tables of MIME types: their file extensions, containers and resource types.

use domain::ResourceType;

/// Types whose bytes are text, with their extensions. Files are stored under the first one.
const TEXTUAL: [(&str, &[&str]); 21] = [
    ("text/plain", &["txt", "text", "log"]),
    ("text/html", &["html", "htm"]),
    ("text/css", &["css"]),
    ("text/csv", &["csv"]),
    ("text/tab-separated-values", &["tsv"]),
    ("text/markdown", &["md", "markdown"]),
    ("text/calendar", &["ics"]),
    ("text/vcard", &["vcf"]),
    ("text/vtt", &["vtt"]),
    ("text/javascript", &["js", "mjs"]),
    ("text/xml", &["xml"]),
    ("application/json", &["json", "map"]),
    ("application/geo+json", &["geojson"]),
    ("application/ld+json", &["jsonld"]),
    ("application/manifest+json", &["webmanifest"]),
    ("application/xml", &["xml"]),
    ("application/xhtml+xml", &["xhtml"]),
    ("application/yaml", &["yaml", "yml"]),
    ("application/toml", &["toml"]),
    ("application/javascript", &["js"]),
    ("application/sql", &["sql"]),
];

/// Groups of types that share a container format, with their extensions. The bytes alone do not
/// distinguish the types of one group.
const SHARED_CONTAINERS: [&[(&str, &str)]; 5] = [
    &[
        ("video/mp4", "mp4"),
        ("audio/mp4", "m4a"),
        ("audio/x-m4a", "m4a"),
        ("audio/m4a", "m4a"),
        ("video/x-m4v", "m4v"),
        ("video/quicktime", "mov"),
        ("video/3gpp", "3gp"),
        ("audio/3gpp", "3gp"),
    ],
    &[
        ("video/webm", "webm"),
        ("audio/webm", "webm"),
        ("video/x-matroska", "mkv"),
        ("audio/x-matroska", "mka"),
    ],
    &[
        ("audio/ogg", "ogg"),
        ("video/ogg", "ogv"),
        ("application/ogg", "ogx"),
        ("audio/opus", "opus"),
    ],
    ZIPPED,
    &[
        // An undeclared OLE file may be an installer, so it is not stored under that extension.
        ("application/x-ole-storage", "bin"),
        ("application/msword", "doc"),
        ("application/vnd.ms-excel", "xls"),
        ("application/vnd.ms-outlook", "msg"),
        ("application/vnd.ms-powerpoint", "ppt"),
        ("application/vnd.ms-project", "mpp"),
        ("application/vnd.visio", "vsd"),
    ],
];

/// Audio and video types that always have their own container. Other types, such as `audio/aac`, may name
/// the codec of a file in any container.
const OWN_CONTAINERS: [&str; 5] = [
    "audio/wav",
    "audio/aiff",
    "audio/midi",
    "video/x-msvideo",
    "video/x-flv",
];

/// Types whose container is a ZIP archive.
const ZIPPED: &[(&str, &str)] = &[
    ("application/zip", "zip"),
    ("application/epub+zip", "epub"),
    (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "docx",
    ),
    (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
        "dotx",
    ),
    (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "xlsx",
    ),
    (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
        "xltx",
    ),
    (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "pptx",
    ),
    (
        "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
        "ppsx",
    ),
    (
        "application/vnd.openxmlformats-officedocument.presentationml.template",
        "potx",
    ),
    ("application/vnd.oasis.opendocument.text", "odt"),
    ("application/vnd.oasis.opendocument.text-template", "ott"),
    ("application/vnd.oasis.opendocument.spreadsheet", "ods"),
    (
        "application/vnd.oasis.opendocument.spreadsheet-template",
        "ots",
    ),
    ("application/vnd.oasis.opendocument.presentation", "odp"),
    (
        "application/vnd.oasis.opendocument.presentation-template",
        "otp",
    ),
    ("application/vnd.oasis.opendocument.graphics", "odg"),
    (
        "application/vnd.oasis.opendocument.graphics-template",
        "otg",
    ),
    ("application/vnd.oasis.opendocument.formula", "odf"),
    ("application/vnd.apple.pages", "pages"),
    ("application/vnd.apple.numbers", "numbers"),
    ("application/vnd.apple.keynote", "key"),
];

/// Prefixes of office document types. Any of them may have a ZIP container, even if it is not in
/// [`ZIPPED`].
const OFFICE_PREFIXES: [&str; 5] = [
    "application/msword",
    "application/vnd.apple.",
    "application/vnd.ms-",
    "application/vnd.oasis.opendocument.",
    "application/vnd.openxmlformats-officedocument.",
];

/// Obsolete and unregistered names of types, with the names that are stored instead.
const ALIASES: [(&str, &str); 13] = [
    ("audio/m4a", "audio/mp4"),
    ("audio/x-m4a", "audio/mp4"),
    ("audio/x-wav", "audio/wav"),
    ("audio/wave", "audio/wav"),
    ("audio/vnd.wave", "audio/wav"),
    ("audio/x-flac", "audio/flac"),
    ("audio/x-aiff", "audio/aiff"),
    ("text/rtf", "application/rtf"),
    ("application/x-rtf", "application/rtf"),
    ("application/x-zip-compressed", "application/zip"),
    ("application/x-gzip", "application/gzip"),
    ("application/x-executable", "application/octet-stream"),
    ("application/x-ole-storage", "application/octet-stream"),
];

/// Types that are detected from the bytes, with the extensions that files are stored under.
const DETECTABLE: [(&str, &str); 33] = [
    ("image/jpeg", "jpg"),
    ("image/png", "png"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
    ("image/avif", "avif"),
    ("image/heif", "heif"),
    ("image/heic", "heif"),
    ("image/tiff", "tiff"),
    ("image/bmp", "bmp"),
    ("image/jp2", "jp2"),
    ("image/jxl", "jxl"),
    ("image/svg+xml", "svg"),
    ("image/vnd.adobe.photoshop", "psd"),
    ("image/vnd.microsoft.icon", "ico"),
    ("image/x-icon", "ico"),
    ("video/mpeg", "mpg"),
    ("video/x-msvideo", "avi"),
    ("video/x-flv", "flv"),
    ("audio/mpeg", "mp3"),
    ("audio/wav", "wav"),
    ("audio/flac", "flac"),
    ("audio/aac", "aac"),
    ("audio/aiff", "aiff"),
    ("audio/midi", "midi"),
    ("application/pdf", "pdf"),
    ("application/rtf", "rtf"),
    ("application/postscript", "ps"),
    ("application/gzip", "gz"),
    ("application/x-tar", "tar"),
    ("application/x-bzip2", "bz2"),
    ("application/x-7z-compressed", "7z"),
    ("application/vnd.rar", "rar"),
    ("application/zstd", "zst"),
];

/// Types of archives and compressed files.
const ARCHIVES: [&str; 12] = [
    "application/zip",
    "application/x-tar",
    "application/gzip",
    "application/x-bzip2",
    "application/vnd.rar",
    "application/x-rar-compressed",
    "application/x-7z-compressed",
    "application/x-xz",
    "application/zstd",
    "application/x-lz4",
    "application/x-lzip",
    "application/vnd.ms-cab-compressed",
];

/// Prefixes of document types.
const DOCUMENT_PREFIXES: [&str; 10] = [
    "application/pdf",
    "application/msword",
    "application/rtf",
    "application/epub+zip",
    "application/postscript",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
    "application/vnd.openxmlformats-officedocument.",
    "application/vnd.oasis.opendocument.",
    "application/vnd.apple.",
];

/// Types of scripts that browsers run.
const JAVASCRIPT: [&str; 2] = ["text/javascript", "application/javascript"];

/// Returns the resource type of files of a MIME type.
pub(crate) fn resource_type(mime_type: &str) -> ResourceType {
    let is_document = DOCUMENT_PREFIXES
        .iter()
        .any(|prefix| mime_type.starts_with(prefix));
    match mime_type.split_once('/') {
        Some(("image", _)) => ResourceType::Image,
        Some(("video", _)) => ResourceType::Video,
        Some(("audio", _)) => ResourceType::Audio,
        Some(("text", _)) => ResourceType::Text,
        _ if textual_extension(mime_type).is_some() => ResourceType::Text,
        _ if is_document => ResourceType::Document,
        _ if ARCHIVES.contains(&mime_type) => ResourceType::Archive,
        _ => ResourceType::Other,
    }
}

/// Returns the extension of a type whose bytes are text.
pub(crate) fn textual_extension(mime_type: &str) -> Option<&'static str> {
    TEXTUAL
        .iter()
        .find(|(textual, _)| *textual == mime_type)
        .map(|(_, extensions)| extensions[0])
}

/// Returns the extension that files of a declared type are stored under, if the type has a fixed
/// one.
pub(crate) fn stored_extension(declared: &str) -> Option<&'static str> {
    let containers = SHARED_CONTAINERS.iter().copied().flatten();
    let detectable = DETECTABLE
        .iter()
        .chain(containers)
        .find(|(known, _)| *known == declared);
    detectable
        .map(|(_, extension)| *extension)
        .or_else(|| textual_extension(declared))
}

/// Returns the textual type that an extension stands for.
pub(crate) fn textual_type(extension: &str) -> Option<&'static str> {
    TEXTUAL
        .iter()
        .find(|(_, extensions)| extensions.contains(&extension))
        .map(|(textual, _)| *textual)
}

/// Returns the type and the extension within the container of the detected type that a declared type selects:
/// the declared type itself, or, for audio and video that share a container, the member of its family.
pub(crate) fn within_container(
    detected: &str,
    declared: &str,
) -> Option<(&'static str, &'static str)> {
    let group = container_of(detected)?;
    let named = |name: &str| group.iter().find(|(member, _)| *member == name);
    if let Some(member) = named(declared) {
        return Some(*member);
    }
    if !is_media_container(group) || OWN_CONTAINERS.contains(&declared) {
        return None;
    }

    let (family, _) = declared.split_once('/')?;
    let (_, subtype) = detected.split_once('/')?;
    let is_of_family = |(member, _): &&(&str, &str)| {
        let member = member.split_once('/');
        member.is_some_and(|(of, _)| of == family)
    };
    named(&format!("{family}/{subtype}"))
        .or_else(|| group.iter().find(is_of_family))
        .copied()
}

/// Returns the group of types that share the container of a type.
fn container_of(mime_type: &str) -> Option<&'static [(&'static str, &'static str)]> {
    let is_member = |(member, _): &(&str, &str)| *member == mime_type;
    SHARED_CONTAINERS
        .iter()
        .copied()
        .find(|group| group.iter().any(is_member))
}

/// Returns whether audio and video share a container.
fn is_media_container(group: &[(&str, &str)]) -> bool {
    let is_video = |(member, _): &(&str, &str)| resource_type(member) == ResourceType::Video;
    group.iter().any(is_video)
}

/// Returns whether a file of the detected type cannot be of the declared one, because their resource
/// types or containers differ.
pub(crate) fn contradicts(detected: &str, declared: &str) -> bool {
    if OWN_CONTAINERS.contains(&declared) && container_of(detected).is_some_and(is_media_container)
    {
        return true;
    }
    let declared_resource = resource_type(declared);
    if declared_resource == ResourceType::Other || declared_resource == resource_type(detected) {
        return false;
    }

    let is_zip = ZIPPED.iter().any(|(member, _)| *member == detected);
    let is_office = OFFICE_PREFIXES
        .iter()
        .any(|prefix| declared.starts_with(prefix));
    !(is_zip && is_office)
}

/// Returns whether browsers run files of this type as scripts.
pub(crate) fn is_javascript(mime_type: &str) -> bool {
    JAVASCRIPT.contains(&mime_type)
}

/// Returns the name that a type is stored with, which replaces an alias.
pub(crate) fn registered_name(mime_type: &str) -> &str {
    ALIASES
        .iter()
        .find(|(old, _)| *old == mime_type)
        .map_or(mime_type, |(_, new)| new)
}

/// Returns the name that a type is stored with for files with this extension.
pub(crate) fn registered_name_for<'a>(mime_type: &'a str, extension: &str) -> &'a str {
    match extension {
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        _ => registered_name(mime_type),
    }
}
