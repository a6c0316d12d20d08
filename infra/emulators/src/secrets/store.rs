//! The file that secrets are kept in.
//!
//! Invariant: its owner alone can read it, and it is whole at any time: it is written anew and
//! renamed into place.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

/// A secret with its one version. It has no `Debug`: nothing shall format it.
#[derive(Clone, Deserialize, Serialize)]
pub(super) struct Secret {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) version_id: String,
    /// Milliseconds since the Unix epoch.
    pub(super) created_ms: i64,
}

/// The secrets, as the file has them.
pub(super) struct Store {
    path: PathBuf,
    secrets: Vec<Secret>,
}

impl Store {
    /// Reads the file, or makes it.
    pub(super) fn open(path: &Path) -> io::Result<Store> {
        let mut store = Store {
            path: path.to_owned(),
            secrets: Vec::new(),
        };
        match fs::read(path) {
            Ok(bytes) => {
                store.secrets =
                    serde_json::from_slice(&bytes).map_err(|error| unreadable(&error))?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => store.write(&[])?,
            Err(error) => return Err(error),
        }
        Ok(store)
    }

    pub(super) fn secrets(&self) -> &[Secret] {
        &self.secrets
    }

    /// Adds a secret; once this returns, it survives a killed process.
    pub(super) fn add(&mut self, secret: Secret) -> io::Result<()> {
        let mut secrets = self.secrets.clone();
        secrets.push(secret);
        self.write(&secrets)?;
        self.secrets = secrets;
        Ok(())
    }

    fn write(&self, secrets: &[Secret]) -> io::Result<()> {
        let draft = self.path.with_extension("new");
        let mut options = OpenOptions::new();
        let mut file = options
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&draft)?;
        file.write_all(&serde_json::to_vec(secrets)?)?;
        file.sync_all()?;
        fs::rename(draft, &self.path)
    }
}

/// Where the file stops being what it should be. What stands there is not told: it may be part of a
/// value.
fn unreadable(error: &serde_json::Error) -> io::Error {
    io::Error::other(format!(
        "it is no list of secrets from line {} on, column {}",
        error.line(),
        error.column()
    ))
}
