//! What every upload may say of its files, whatever its route.

use domain::{Reference, Violation};
use intake::Destination;
use web::{Fields, Stranger};

/// The fields that name a folder.
pub(crate) const FOLDER_TEXTS: [&str; 2] = ["folder_id", "folder_path"];

/// What an upload says of its files.
pub(crate) struct Particulars {
    /// The caller's own reference.
    pub(crate) reference: Option<Reference>,
}

impl Particulars {
    /// Where the files of a stranger go.
    pub(crate) fn destination(self, stranger: &Stranger) -> Destination<'_> {
        let Stranger { entry, uploaded_by, sources, .. } = stranger;
        Destination {
            space: entry.space.record(),
            config: &entry.config,
            reference: self.reference,
            uploaded_by: *uploaded_by,
            sources,
        }
    }

    /// Reads it.
    pub(crate) fn read(fields: &mut Fields) -> Particulars {
        let [id, path] = FOLDER_TEXTS;
        if fields.has(path) && !fields.has(id) {
            fields.violate(id, &Violation::RequiredWith(path));
        }
        // No space has folders, so none is known.
        fields.optional(id, |_| Err::<(), _>(Violation::Unknown));
        Particulars { reference: fields.optional("ref", Reference::parse) }
    }
}
