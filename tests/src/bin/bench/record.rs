//! The files of the library. What the file of a number is depends on that number alone, and every
//! few hundred files all kinds are among them, so that calls find as many of each kind per page in
//! a small library as in a large one.

use domain::{
    DeliveryType, Env, File, FileId, FileStatus, IdSequence, KeyId, OriginalName, Principal,
    Reference, ResourceType, Revision, SpaceId, Tag, UploadConfigId,
};

use crate::tree::{LEAVES, Tree};

/// The tag of a tenth of the files; each has one of a thousand others too.
pub(crate) const COMMON_TAG: &str = "featured";
/// What the names of one file in twenty-five begin with.
pub(crate) const COMMON_NAME: &str = "harbour";

/// After so many files the kinds of places they lie in come again.
const PERIOD: usize = 10;
/// Files from this one on lie on the shelf no more.
const SHELVED: usize = 600;
/// Rarer tags.
const TAGS: usize = 1_000;
/// What names are told apart by: more of them than files, and no order in them.
const NAMES: usize = 16_777_213;
/// Multiplied by it, numbers that follow one another are far apart.
const SCATTER: usize = 7_919;

/// First words of names.
const WORDS: [&str; 25] = [
    "Anchor", "bridge", "Castle", "desert", "Evening", "forest", "Garden", "Harbour", "Island",
    "jetty", "Kitchen", "lantern", "Meadow", "night", "Orchard", "palace", "Quarry", "river",
    "Summit", "tower", "Umbrella", "valley", "Window", "yard", "Zenith",
];
/// MIME type, extension and kind.
const KINDS: [(&str, &str, ResourceType); 5] = [
    ("image/jpeg", "jpg", ResourceType::Image),
    ("image/png", "png", ResourceType::Image),
    ("application/pdf", "pdf", ResourceType::Document),
    ("video/mp4", "mp4", ResourceType::Video),
    ("text/plain", "txt", ResourceType::Text),
];

/// Where a file lies.
enum Place {
    Big,
    DeliveryFixture,
    Leaf(usize),
    Child,
    Top,
}

impl Place {
    fn of(number: usize) -> Place {
        match number % PERIOD {
            0 => Place::Big,
            2 => Place::Leaf(number / PERIOD % LEAVES),
            7 if number < SHELVED => Place::DeliveryFixture,
            9 => Place::Top,
            _ => Place::Child,
        }
    }
}

/// The number of a file in the tree, counted from 0 among those.
pub(crate) fn in_tree(index: usize) -> usize {
    PERIOD * index + 2
}

/// How many files of a library are in the tree.
pub(crate) fn count_in_tree(size: usize) -> usize {
    size / PERIOD
}

/// The number of a file with a reference, counted from 0 among those.
pub(crate) fn referenced(index: usize) -> usize {
    4 * index + 1
}

/// How many files of a library have a reference.
pub(crate) fn count_referenced(size: usize) -> usize {
    size / 4
}

/// The reference of the file of a number.
pub(crate) fn reference(number: usize) -> String {
    format!("ref-{number}")
}

/// The rarer tag of the file of a number.
pub(crate) fn topic(number: usize) -> String {
    format!("topic-{}", number % TAGS)
}

/// What all files have in common.
pub(crate) struct Owner {
    pub(crate) space: SpaceId,
    pub(crate) handle: String,
    pub(crate) config: UploadConfigId,
    pub(crate) key: KeyId,
}

impl Owner {
    /// The file of a number, as an upload of this moment would leave it.
    pub(crate) fn file(&self, number: usize, tree: &Tree, ids: &mut IdSequence, env: &Env) -> File {
        let folder = match Place::of(number) {
            Place::Big => Some(&tree.big),
            Place::DeliveryFixture => Some(&tree.fixture),
            Place::Leaf(leaf) => Some(&tree.leaves[leaf]),
            Place::Child => Some(&tree.children[number * SCATTER % tree.children.len()]),
            Place::Top => None,
        };
        let (mime_type, extension, resource_type) = KINDS[number / 3 % KINDS.len()];
        let id = FileId::from_sequence(ids);
        let now = env.now();
        let name = format!("file-{id}.{extension}");
        let original = format!(
            "{} {:08}.{extension}",
            WORDS[number % WORDS.len()],
            number * SCATTER % NAMES
        );
        let common = (number % PERIOD == 3).then(|| COMMON_TAG.to_owned());
        let tags = common.into_iter().chain([topic(number)]);

        File {
            id,
            space_id: self.space,
            storage_path: format!("{}/{name}", self.handle),
            name,
            original_name: OriginalName::clean(&original),
            mime_type: mime_type.to_owned(),
            extension: extension.to_owned(),
            size: 10_000 + (number % 90_000) as u64,
            folder: folder.cloned(),
            access_control: None,
            delivery_type: if number % 8 == 5 {
                DeliveryType::Private
            } else {
                DeliveryType::Upload
            },
            resource_type,
            status: FileStatus::Active,
            upload_config_id: self.config,
            reference: (number % 4 == 1)
                .then(|| Reference::parse(&reference(number)).expect("a reference")),
            tags: tags.map(|tag| Tag::parse(&tag).expect("a tag")).collect(),
            revision: Some(Revision::new(env)),
            checksum_sha256: Some(hex::encode(env.random_bytes::<32>())),
            is_utf8: false,
            pending_upload: None,
            activation_snapshot: None,
            uploaded_by: Principal::ApiKey(self.key),
            created_at: now,
            activated_at: Some(now),
            access_version: 0,
            updated_at: now,
            version: 0,
        }
    }
}
