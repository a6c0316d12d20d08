//! Secrets Manager: generated values over AWS JSON 1.1, stored in a file.
//!
//! Invariants:
//! - A value is only in the file, which its owner alone can read, and in authorized responses. It
//!   is never formatted.
//! - The value of an existing secret never changes.

mod generate;
mod secret_file;

use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::body::Body;
use http::{Response, StatusCode};
use serde::Deserialize;
use serde_json::json;

use crate::{
    arn,
    aws_json::AwsJson,
    clock::AsyncClock,
    error::{EmulatorStartError, ProvisionError},
    random,
};
use secret_file::{SecretFile, StoredSecret};

/// Staging label of the current version. The emulator stores no other version.
const CURRENT: &str = "AWSCURRENT";

/// The secrets. Clones share them.
#[derive(Clone)]
pub(crate) struct SecretsManager {
    file: Arc<Mutex<SecretFile>>,
    clock: Arc<dyn AsyncClock>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GetSecretValueRequest {
    /// Name or ARN.
    secret_id: String,
    version_id: Option<String>,
    version_stage: Option<String>,
}

impl GetSecretValueRequest {
    fn matches(&self, secret: &StoredSecret) -> bool {
        secret.name == self.secret_id || arn::secret(&secret.name) == self.secret_id
    }
}

impl SecretsManager {
    /// Opens or creates the file.
    pub(crate) fn open(
        path: &Path,
        clock: Arc<dyn AsyncClock>,
    ) -> Result<SecretsManager, EmulatorStartError> {
        let file =
            SecretFile::open(path).map_err(|error| EmulatorStartError::damaged(path, &error))?;
        Ok(SecretsManager {
            file: Arc::new(Mutex::new(file)),
            clock,
        })
    }

    /// Creates a secret with a generated value if none has this name. Blocks.
    pub(crate) fn ensure(&self, secret: &sam_template::SecretSpec) -> Result<(), ProvisionError> {
        let generate = || {
            generate::value(secret.length, secret.excludes_punctuation)
                .map_err(|error| error.to_string())
        };
        self.ensure_value(&secret.name, generate).map(drop)
    }

    /// Creates a secret if none has this name. Returns its value. Blocks.
    pub(crate) fn ensure_value(
        &self,
        name: &str,
        create: impl FnOnce() -> Result<String, String>,
    ) -> Result<String, ProvisionError> {
        let failed = |reason: String| ProvisionError::Secret {
            secret: name.to_owned(),
            reason,
        };

        let mut file = self.file();
        let existing = file.secrets().iter().find(|secret| secret.name == name);
        if let Some(existing) = existing {
            return Ok(existing.value.clone());
        }

        let value = create().map_err(failed)?;
        let created = StoredSecret {
            name: name.to_owned(),
            value: value.clone(),
            version_id: random::uuid(),
            created_ms: self.clock.now_ms(),
        };
        file.add(created)
            .map_err(|error| failed(error.to_string()))?;
        Ok(value)
    }

    /// Responds to one request.
    pub(crate) fn handle(&self, operation: &str, body: &[u8]) -> Response<Body> {
        if operation != "GetSecretValue" {
            let message = format!("The operation {operation} is not emulated.");
            return error_response("UnknownOperationException", &message);
        }
        match serde_json::from_slice(body) {
            Ok(request) => self.get_secret_value(&request),
            Err(error) => error_response("InvalidParameterException", &error.to_string()),
        }
    }

    fn get_secret_value(&self, request: &GetSecretValueRequest) -> Response<Body> {
        if request.version_id.is_some() || request.version_stage.is_some() {
            let message = "Versions of secrets are not emulated.";
            return error_response("InvalidParameterException", message);
        }

        let file = self.file();
        let Some(secret) = file.secrets().iter().find(|secret| request.matches(secret)) else {
            let message = "Secrets Manager can't find the specified secret.";
            return error_response("ResourceNotFoundException", message);
        };

        let body = json!({
            "ARN": arn::secret(&secret.name),
            "CreatedDate": secret.created_ms / 1000,
            "Name": secret.name,
            "SecretString": secret.value,
            "VersionId": secret.version_id,
            "VersionStages": [CURRENT],
        });
        AwsJson::V1_1.response(StatusCode::OK, &body)
    }

    fn file(&self) -> MutexGuard<'_, SecretFile> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn error_response(code: &str, message: &str) -> Response<Body> {
    let body = json!({ "__type": code, "Message": message });
    AwsJson::V1_1.response(StatusCode::BAD_REQUEST, &body)
}
