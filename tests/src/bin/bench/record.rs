//! Generates the files of the library. All properties of a file depend only on its number, and all
//! kinds of files repeat every few hundred numbers. A page therefore contains the same mix of files
//! at every library size.

use domain::{
    env::Env,
    files::{File, ResourceType},
    id::{FileId, IdSequence, Revision},
    naming::{OriginalName, Reference, Tag},
    settings::DeliveryType,
};

use crate::tree::{LEAVES, Tree};

/// Tag of a tenth of the files. Every file also has one of [`TOPICS`] other tags.
pub(crate) const COMMON_TAG: &str = "featured";
/// Prefix of the names of every twenty-fifth file, ignoring case.
pub(crate) const COMMON_NAME: &str = "harbour";

/// Number of files after which the sequence of locations repeats.
const PERIOD: usize = 10;
/// Only files with lower numbers can be in the folder of constant size.
const FIXTURE_LIMIT: usize = 600;
/// Number of different topic tags.
const TOPICS: usize = 1_000;
/// Modulus for the numbers in names. It exceeds the number of files, so that names are unique.
const NAME_NUMBERS: usize = 16_777_213;
/// Factor that spreads consecutive numbers.
const SCATTER: usize = 7_919;

/// First words of names.
const WORDS: [&str; 25] = [
    "Anchor", "bridge", "Castle", "desert", "Evening", "forest", "Garden", "Harbour", "Island",
    "jetty", "Kitchen", "lantern", "Meadow", "night", "Orchard", "palace", "Quarry", "river",
    "Summit", "tower", "Umbrella", "valley", "Window", "yard", "Zenith",
];

/// MIME types, extensions and kinds of files.
const FORMATS: [(&str, &str, ResourceType); 5] = [
    ("image/jpeg", "jpg", ResourceType::Image),
    ("image/png", "png", ResourceType::Image),
    ("application/pdf", "pdf", ResourceType::Document),
    ("video/mp4", "mp4", ResourceType::Video),
    ("text/plain", "txt", ResourceType::Text),
];

/// Location of a file.
enum Location {
    Big,
    Fixture,
    Leaf(usize),
    Child,
    Root,
}

impl Location {
    fn of(number: usize) -> Location {
        match number % PERIOD {
            0 => Location::Big,
            2 => Location::Leaf(number / PERIOD % LEAVES),
            7 if number < FIXTURE_LIMIT => Location::Fixture,
            9 => Location::Root,
            _ => Location::Child,
        }
    }
}

/// Returns the number of the file at `index` among the files in the tree.
pub(crate) fn nth_in_tree(index: usize) -> usize {
    PERIOD * index + 2
}

/// Returns how many files of a library of `size` files are in the tree.
pub(crate) fn count_in_tree(size: usize) -> usize {
    size / PERIOD
}

/// Returns the number of the file at `index` among the files with a reference.
pub(crate) fn nth_referenced(index: usize) -> usize {
    4 * index + 1
}

/// Returns how many files of a library of `size` files have a reference.
pub(crate) fn count_referenced(size: usize) -> usize {
    size / 4
}

/// Returns the reference of a file.
pub(crate) fn reference(number: usize) -> String {
    format!("ref-{number}")
}

/// Returns the topic tag of a file.
pub(crate) fn topic(number: usize) -> String {
    format!("topic-{}", number % TOPICS)
}

/// Generates the records of files.
pub(crate) struct FileGenerator {
    /// An uploaded file, whose other fields all files share.
    pub(crate) template: File,
    pub(crate) handle: String,
}

impl FileGenerator {
    /// Returns the record that an upload at the current time would store.
    pub(crate) fn file(&self, number: usize, tree: &Tree, ids: &mut IdSequence, env: &Env) -> File {
        let folder = match Location::of(number) {
            Location::Big => Some(&tree.big),
            Location::Fixture => Some(&tree.fixture),
            Location::Leaf(leaf) => Some(&tree.leaves[leaf]),
            Location::Child => Some(&tree.children[number * SCATTER % tree.children.len()]),
            Location::Root => None,
        };
        let (mime_type, extension, resource_type) = FORMATS[number / 3 % FORMATS.len()];
        let id = FileId::from_sequence(ids);
        let now = env.now();
        let name = format!("file-{id}.{extension}");
        let word = WORDS[number % WORDS.len()];
        let suffix = number * SCATTER % NAME_NUMBERS;
        let original_name = format!("{word} {suffix:08}.{extension}");
        let common_tag = (number % PERIOD == 3).then(|| COMMON_TAG.to_owned());
        let tags = common_tag.into_iter().chain([topic(number)]);
        let delivery_type = if number % 8 == 5 {
            DeliveryType::Private
        } else {
            DeliveryType::Upload
        };

        File {
            id,
            storage_path: format!("{}/{name}", self.handle),
            name,
            original_name: OriginalName::clean(&original_name),
            mime_type: mime_type.to_owned(),
            extension: extension.to_owned(),
            size: 10_000 + (number % 90_000) as u64,
            folder: folder.cloned(),
            delivery_type,
            resource_type,
            reference: (number % 4 == 1)
                .then(|| Reference::parse(&reference(number)).expect("a valid reference")),
            tags: tags
                .map(|tag| Tag::parse(&tag).expect("a valid tag"))
                .collect(),
            revision: Some(Revision::new(env)),
            created_at: now,
            activated_at: Some(now),
            updated_at: now,
            ..self.template.clone()
        }
    }
}
