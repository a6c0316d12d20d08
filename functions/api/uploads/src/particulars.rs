//! What every upload may say of its files, whatever its route.

use domain::{Fault, Principal, Reference, SignedUpload, Sources, UploadConfig, Violation};
use intake::Destination;
use tenant::{FolderTarget, Space};
use web::{Change, FOLDER_ID, FOLDER_PATH, Fields, NamedFolder, Stranger};

/// The fields of a form that say it.
pub(crate) const TEXTS: [&str; 3] = ["ref", FOLDER_ID, FOLDER_PATH];

/// What is wrong with naming a folder where the config alone says where files go.
const NOT_NAMED: Violation = Violation::Must("must not be given: the upload config says where its files go");
/// The violation of a path on a signed upload.
const NOT_SIGNED: Violation =
    Violation::Must("must not be given: the URL or its upload config says where its files go");

/// What an upload says of its files.
pub(crate) struct Particulars {
    /// The caller's own reference.
    reference: Option<Reference>,
    /// Where they are to go, where the request says so.
    folder: Option<NamedFolder>,
}

/// The same, with what there is of where they are to go.
#[derive(Default)]
pub(crate) struct Placed {
    reference: Option<Reference>,
    target: FolderTarget,
}

impl Particulars {
    /// Reads it.
    pub(crate) fn read(fields: &mut Fields) -> Particulars {
        let folder = match NamedFolder::read(fields) {
            Change::Set(folder) => Some(folder),
            Change::Keep | Change::Clear => None,
        };
        Particulars { reference: fields.optional("ref", Reference::parse), folder }
    }

    /// Reads it of a stranger without proof, who may not say where files go.
    pub(crate) fn of_stranger(fields: &mut Fields) -> Particulars {
        for name in [FOLDER_ID, FOLDER_PATH] {
            if fields.has(name) {
                fields.violate(name, &NOT_NAMED);
            }
        }
        Particulars { reference: fields.optional("ref", Reference::parse), folder: None }
    }

    /// Reads it of a signed upload, whose files go to the folder that the URL is signed for, if any. Fails with 403 if the
    /// request names another folder.
    pub(crate) fn of_signed(fields: &mut Fields, signed: &SignedUpload) -> Result<Particulars, Fault> {
        if fields.has(FOLDER_PATH) {
            fields.violate(FOLDER_PATH, &NOT_SIGNED);
        }

        let named = fields.optional(FOLDER_ID, |id| Ok(id.to_owned()));
        let is_signed = named.is_none_or(|id| signed.folder.is_some_and(|folder| id.parse() == Ok(folder)));
        if !is_signed {
            return Err(Fault::forbidden("The URL is signed for another folder."));
        }

        let reference = fields.optional("ref", Reference::parse);
        Ok(Particulars { reference, folder: signed.folder.map(NamedFolder::signed) })
    }

    /// Looks for the folder that the request names, or else the config; what is wrong is noted. Whoever names one that would
    /// have to be made has to be an admin; the config was written by one.
    pub(crate) async fn placed(
        self,
        space: &Space,
        config: &UploadConfig,
        fields: &mut Fields,
    ) -> Result<Option<Placed>, Fault> {
        let Particulars { reference, folder } = self;
        let target = match &folder {
            Some(folder) => folder.target(space).await?,
            None => match &config.config.storage.folder {
                Some(path) => NamedFolder::at(path.clone()).target(space).await?,
                None => return Ok(Some(Placed { reference, target: FolderTarget::default() })),
            },
        };
        match target {
            Ok(target) => {
                if folder.is_some() {
                    space.demand_folders(&target)?;
                }
                Ok(Some(Placed { reference, target }))
            }
            Err(violations) => {
                fields.note(violations);
                Ok(None)
            }
        }
    }
}

impl Placed {
    /// Where the files of a stranger go.
    pub(crate) async fn of_stranger(self, stranger: &Stranger) -> Result<Destination<'_>, Fault> {
        let Stranger { entry, uploaded_by, max_uploads_per_hour, sources, .. } = stranger;
        let destination = self.destination(&entry.space, &entry.config, *uploaded_by, sources).await?;
        Ok(Destination { max_uploads_per_hour: *max_uploads_per_hour, ..destination })
    }

    /// Where files go; folders that are missing are made.
    pub(crate) async fn destination<'a>(
        self,
        space: &'a Space,
        config: &'a UploadConfig,
        uploaded_by: Principal,
        sources: &'a Sources,
    ) -> Result<Destination<'a>, Fault> {
        let folders = space.make_folders(self.target).await?;
        Ok(Destination {
            space: space.record(),
            config,
            folders,
            reference: self.reference,
            uploaded_by,
            max_uploads_per_hour: None,
            sources,
        })
    }
}
