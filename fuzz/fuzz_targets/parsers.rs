//! Parsers of texts from clients: names, hosts, URLs, headers, cursors, ids and signed queries. The
//! first byte of an input selects the parser, the rest is the text.
#![no_main]

use domain::{
    env::Timestamp,
    files::{NamePrefix, reject_executable_name},
    folders::{FolderName, FolderPath},
    id::{FileId, SpaceId},
    keys::{KeyId, KeySecret},
    naming::{
        Description, HostName, HostPattern, OriginalName, PublicHttpsUrl, SpaceName, Tag, UrlPolicy,
    },
    renditions::RenditionId,
    requests::{Cursor, IdempotencyKey},
    signing::{
        MasterSecret, QueryParameter, SignatureError, SignedDelivery, Signing, SigningSecret,
        canonical_form, decoded_parameters, signed_query,
    },
    spaces::Handle,
    uploads::{FormatName, Referrer, SignedUploadUrl, UploadConfigReference, ValidationRules},
};
use libfuzzer_sys::fuzz_target;

#[path = "../../functions/delivery/src/byte_range.rs"]
mod byte_range;
#[path = "../../functions/delivery/src/disposition.rs"]
mod disposition;

use byte_range::ByteRange;
use disposition::DispositionType;

const PATH: &str = "/acme01/a.jpg";

fuzz_target!(init: fuzz::init(fuzz::seeds::texts), |bytes: &[u8]| {
    let Some((parser, text)) = bytes.split_first() else {
        return;
    };
    let _ = IdempotencyKey::parse(text);
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };

    match parser % fuzz::PARSERS {
        0 => check_file_name(text),
        1 => check_folder(text),
        2 => check_texts(text),
        3 => check_hosts(text),
        4 => check_referrer(text),
        5 => check_ids(text),
        6 => check_range(text),
        7 => check_query(text),
        _ => check_signature(text),
    }
});

fn check_file_name(text: &str) {
    let name = OriginalName::clean(text);
    assert!((1..=255).contains(&name.as_str().chars().count()));
    assert!(!name.as_str().contains(['/', '\\', '\0', '\r', '\n']));
    assert_eq!(OriginalName::clean(name.as_str()), name);
    assert!(!name.parts().is_empty());
    let _ = reject_executable_name(&name, &ValidationRules::default());

    for header in [DispositionType::Inline, DispositionType::Attachment] {
        for name in [text, name.as_str()] {
            let header = header.header(name);
            assert!(
                header
                    .bytes()
                    .all(|byte| byte == b' ' || byte.is_ascii_graphic())
            );
            assert_eq!(header.matches('"').count(), 2, "{header}");
        }
    }

    // A search for the beginning of a name finds it. Other texts than ASCII may end within a
    // character.
    let beginning: String = name.as_str().chars().take(3).collect();
    if name.as_str().is_ascii()
        && let Ok(prefix) = NamePrefix::parse(&beginning)
    {
        assert!(name.folded().starts_with(prefix.as_str()));
    }
}

fn check_folder(text: &str) {
    if let Ok(name) = FolderName::parse(text) {
        assert!(!name.as_str().contains('/'));
        assert_eq!(FolderName::parse(name.as_str()), Ok(name.clone()));
        let folded = FolderName::parse(&name.folded()).map(|name| name.folded());
        assert!(folded.is_err() || folded == Ok(name.folded()));
    }
    if let Ok(path) = FolderPath::parse(text) {
        assert_eq!(FolderPath::parse(&path.to_string()), Ok(path));
    }
}

fn check_texts(text: &str) {
    if let Ok(name) = SpaceName::parse(text) {
        assert_eq!(SpaceName::parse(name.as_str()), Ok(name));
    }
    if let Ok(description) = Description::parse(text) {
        assert_eq!(Description::parse(description.as_str()), Ok(description));
    }
    if let Ok(tag) = Tag::parse(text) {
        assert_eq!(Tag::parse(tag.as_str()), Ok(tag));
    }

    if let Ok(format) = FormatName::parse(text) {
        assert_eq!(FormatName::parse(format.as_str()), Ok(format));
    }
    if let Some(time) = Timestamp::parse_rfc3339(text) {
        assert_eq!(Timestamp::parse_rfc3339(&time.rfc3339()), Some(time));
    }

    let _ = UploadConfigReference::parse(text);
}

fn check_hosts(text: &str) {
    if let Ok(host) = HostName::parse(text) {
        assert!(host.as_str().is_ascii() && host.as_str().len() <= 253);
        assert_eq!(HostName::parse(host.as_str()), Ok(host.clone()));
        let url = format!("https://{}/", host.as_str());
        assert!(PublicHttpsUrl::parse(&url).is_ok(), "{url}");
    }
    if let Ok(url) = PublicHttpsUrl::parse(text) {
        assert_eq!(url.as_str(), text);
        assert!(PublicHttpsUrl::parse_with(text, UrlPolicy::AllowLoopback).is_ok());
    }
}

fn check_referrer(text: &str) {
    let (pattern, referrer) = text.split_once(' ').unwrap_or((text, text));
    if let Ok(pattern) = HostPattern::parse(pattern)
        && let Some(referrer) = Referrer::parse(referrer)
    {
        let _ = referrer.is_secure();
        let _ = referrer.is_allowed(&[pattern]);
    }
}

fn check_ids(text: &str) {
    if let Ok(id) = text.parse::<FileId>() {
        assert_eq!(
            id.to_string(),
            text.to_ascii_uppercase()
                .replace(['I', 'L'], "1")
                .replace('O', "0")
        );
        assert_eq!(id.to_string().parse(), Ok(id));
    }

    if let Ok(id) = text.parse::<KeyId>() {
        assert_eq!(id.to_string(), text);
    }
    if let Ok(cursor) = text.parse::<Cursor>() {
        assert_eq!(cursor.to_string(), text);
    }
    if let Some(id) = RenditionId::parse(text) {
        assert_eq!(id.as_str(), text);
    }

    if let Some(secret) = KeySecret::parse(text) {
        assert_eq!(secret.reveal(), text);
        assert_eq!(secret.last_four().len(), 4);
    }
    if let Ok(handle) = Handle::parse(text) {
        assert_eq!(handle.as_str(), text);
    }
}

fn check_range(text: &str) {
    for size in [0, 1, 10, u64::MAX] {
        if let ByteRange::Partial(range) = ByteRange::parse(text, size) {
            assert!(range.start() <= range.end() && *range.end() < size);
            let truncated = byte_range::truncate(&range, 4);
            assert_eq!(truncated.start(), range.start());
            assert!(truncated.end() <= range.end() && truncated.end() - truncated.start() < 4);

            let again = format!("bytes={}-{}", range.start(), range.end());
            assert_eq!(ByteRange::parse(&again, size), ByteRange::Partial(range));
        }
    }
}

fn check_query(query: &str) {
    let Ok(parameters) = decoded_parameters(query) else {
        return;
    };
    let canonical = canonical_form(PATH, &parameters);
    let (path, canonical_query) = canonical.split_once('?').expect("it has a query");
    assert_eq!(path, PATH);

    let mut again = decoded_parameters(canonical_query).expect("it is encoded UTF-8");
    assert_eq!(canonical_form(PATH, &again), canonical);
    again.reverse();
    assert_eq!(canonical_form(PATH, &again), canonical);
}

/// No text is a signature, and a signature covers every parameter.
fn check_signature(query: &str) {
    let master = MasterSecret::new("master");
    let now = Timestamp::from_ms(0);
    if let Ok(upload) = SignedUploadUrl::parse("/upload", query) {
        assert_eq!(upload.digest().len(), 64);
        assert!(upload.verify(Signing::default(), &master, now).is_err());
    }

    let Ok(parameters) = decoded_parameters(query) else {
        return;
    };
    let verify = |parameters: &[QueryParameter]| {
        SignedDelivery::parse(PATH, parameters)?
            .and_then(|signed| signed.verify(SpaceId::MIN, Signing::default(), &master, now))
            .into()
    };
    let found: Option<Result<i64, SignatureError>> = verify(&parameters);
    assert!(!matches!(found, Some(Ok(_))), "{query}");

    let reserved = ["expires", "kid", "signature"];
    if parameters.iter().any(|it| reserved.contains(&&*it.name)) {
        return;
    }
    let secret = SigningSecret::of(SpaceId::MIN, 1, &master);
    let signed = signed_query(PATH, &parameters, 100, &secret);
    let mut signed = decoded_parameters(&signed).expect("it is encoded UTF-8");
    assert_eq!(verify(&signed), Some(Ok(100)));
    signed[0].value.to_mut().push('0');
    assert!(!matches!(verify(&signed), Some(Ok(_))), "{query}");
}
