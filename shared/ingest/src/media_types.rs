//! Media types: what kind of thing each one is, and the extension that goes with it.

use domain::ResourceType;

/// Types whose bytes are text, with their extensions; the first extension is the one files are
/// stored under.
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

/// Types that share a container, so that bytes alone do not tell which one a file is: groups of
/// type and extension.
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
        // What is not told apart could be an installer: it keeps no extension that one would have.
        ("application/x-ole-storage", "bin"),
        ("application/msword", "doc"),
        ("application/vnd.ms-excel", "xls"),
        ("application/vnd.ms-outlook", "msg"),
        ("application/vnd.ms-powerpoint", "ppt"),
        ("application/vnd.ms-project", "mpp"),
        ("application/vnd.visio", "vsd"),
    ],
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

/// Types of office documents, by how they begin: any of them may be in a ZIP archive, also where we
/// know no extension.
const OFFICE: [&str; 5] = [
    "application/msword",
    "application/vnd.apple.",
    "application/vnd.ms-",
    "application/vnd.oasis.opendocument.",
    "application/vnd.openxmlformats-officedocument.",
];

/// Older names of types, and the registered ones.
const RENAMED: [(&str, &str); 11] = [
    ("audio/m4a", "audio/mp4"),
    ("audio/x-m4a", "audio/mp4"),
    ("audio/x-wav", "audio/wav"),
    ("audio/x-flac", "audio/flac"),
    ("audio/x-aiff", "audio/aiff"),
    ("text/rtf", "application/rtf"),
    ("application/x-rtf", "application/rtf"),
    ("application/x-zip-compressed", "application/zip"),
    ("application/x-gzip", "application/gzip"),
    ("application/x-executable", "application/octet-stream"),
    ("application/x-ole-storage", "application/octet-stream"),
];

/// Types that are recognised by their bytes, with the extensions that their files are stored under.
const RECOGNISED: [(&str, &str); 33] = [
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

/// Types of packed collections.
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

/// Types of documents, by how they begin.
const DOCUMENTS: [&str; 10] = [
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

/// What kind of thing a type is.
pub(crate) fn resource_type(mime_type: &str) -> ResourceType {
    let is = |list: &[&str]| list.iter().any(|known| mime_type.starts_with(known));
    match mime_type.split_once('/') {
        Some(("image", _)) => ResourceType::Image,
        Some(("video", _)) => ResourceType::Video,
        Some(("audio", _)) => ResourceType::Audio,
        Some(("text", _)) => ResourceType::Text,
        _ if textual_extension(mime_type).is_some() => ResourceType::Text,
        _ if is(&DOCUMENTS) => ResourceType::Document,
        _ if ARCHIVES.contains(&mime_type) => ResourceType::Archive,
        _ => ResourceType::Other,
    }
}

/// The extension of a type whose bytes are text.
pub(crate) fn textual_extension(mime_type: &str) -> Option<&'static str> {
    TEXTUAL
        .iter()
        .find(|(textual, _)| *textual == mime_type)
        .map(|(_, extensions)| extensions[0])
}

/// Returns the extension that files of a declared type are stored under, if the type tells it.
pub(crate) fn stored_extension(declared: &str) -> Option<&'static str> {
    let containers = SHARED_CONTAINERS.iter().copied().flatten();
    let recognised = RECOGNISED
        .iter()
        .chain(containers)
        .find(|(known, _)| *known == declared);
    recognised
        .map(|(_, extension)| *extension)
        .or_else(|| textual_extension(declared))
}

/// The type whose bytes are text that an extension stands for.
pub(crate) fn textual_type(extension: &str) -> Option<&'static str> {
    TEXTUAL
        .iter()
        .find(|(_, extensions)| extensions.contains(&extension))
        .map(|(textual, _)| *textual)
}

/// The extension of a declared type, where it shares its container with the one that the bytes
/// show.
pub(crate) fn shared_container(detected: &str, declared: &str) -> Option<&'static str> {
    let group = SHARED_CONTAINERS
        .iter()
        .find(|group| group.iter().any(|(member, _)| *member == detected))?;
    group
        .iter()
        .find(|(member, _)| *member == declared)
        .map(|(_, extension)| *extension)
}

/// Whether a file that shows one type cannot be of the declared one, since their families differ.
pub(crate) fn contradicts(detected: &str, declared: &str) -> bool {
    let claim = resource_type(declared);
    if claim == ResourceType::Other || claim == resource_type(detected) {
        return false;
    }
    let zipped = ZIPPED.iter().any(|(member, _)| *member == detected);
    !(zipped && OFFICE.iter().any(|known| declared.starts_with(known)))
}

/// Types of scripts that browsers run.
const JAVASCRIPT: [&str; 2] = ["text/javascript", "application/javascript"];

/// Whether files of a type are scripts that browsers run.
pub(crate) fn is_javascript(mime_type: &str) -> bool {
    JAVASCRIPT.contains(&mime_type)
}

/// The registered name of a type that may go by an older one.
pub(crate) fn renamed(mime_type: &str) -> &str {
    RENAMED
        .iter()
        .find(|(old, _)| *old == mime_type)
        .map_or(mime_type, |(_, new)| new)
}

/// The registered name of a type that files of this extension have.
pub(crate) fn registered<'a>(mime_type: &'a str, extension: &str) -> &'a str {
    match extension {
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        _ => renamed(mime_type),
    }
}
