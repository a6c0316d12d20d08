//! The file that contains the secrets.
//!
//! Invariants:
//! - Only its owner can read it.
//! - It is complete at any time: a new version is written to a second file and renamed into place.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

/// A secret with its only version. Not `Debug`, so that the value is never formatted.
#[derive(Clone, Deserialize, Serialize)]
pub(super) struct StoredSecret {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) version_id: String,
    /// Milliseconds since the Unix epoch.
    pub(super) created_ms: i64,
}

/// The secrets in the file.
pub(super) struct SecretFile {
    path: PathBuf,
    secrets: Vec<StoredSecret>,
}

impl SecretFile {
    /// Reads or creates the file.
    pub(super) fn open(path: &Path) -> io::Result<SecretFile> {
        let mut file = SecretFile {
            path: path.to_owned(),
            secrets: Vec::new(),
        };

        match fs::read(path) {
            Ok(bytes) => {
                file.secrets = serde_json::from_slice(&bytes).map_err(|error| invalid(&error))?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => file.write(&[])?,
            Err(error) => return Err(error),
        }

        Ok(file)
    }

    pub(super) fn secrets(&self) -> &[StoredSecret] {
        &self.secrets
    }

    /// Adds a secret. Once this returns, the secret survives a killed process.
    pub(super) fn add(&mut self, secret: StoredSecret) -> io::Result<()> {
        let mut secrets = self.secrets.clone();
        secrets.push(secret);
        self.write(&secrets)?;

        self.secrets = secrets;
        Ok(())
    }

    fn write(&self, secrets: &[StoredSecret]) -> io::Result<()> {
        let draft = self.path.with_extension("new");
        let mut file = OpenOptions::new()
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

/// Describes where the file is invalid. Omits the content, which may be part of a value.
fn invalid(error: &serde_json::Error) -> io::Error {
    io::Error::other(format!(
        "invalid list of secrets at line {}, column {}",
        error.line(),
        error.column()
    ))
}
