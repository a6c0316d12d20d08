//! Secrets Manager: values that are generated once and read, over AWS JSON 1.1, kept in a file.
//!
//! Invariant: a value is in the file, which its owner alone can read, and in answers to those who
//! may have it; it is never formatted, and a secret that has one keeps it.

mod generate;
mod store;

use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::body::Body;
use http::{HeaderValue, Response, StatusCode, header::CONTENT_TYPE};
use serde::Deserialize;
use serde_json::json;

use crate::{
    arn,
    clock::Clock,
    error::{ProvisionError, StartError},
    random,
};
use store::{Secret, Store};

/// The label of the version that is in force, which is the only one here.
const CURRENT: &str = "AWSCURRENT";

/// The secrets. Clones share them.
#[derive(Clone)]
pub(crate) struct Secrets {
    store: Arc<Mutex<Store>>,
    clock: Arc<dyn Clock>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Wanted {
    /// A name or an ARN.
    secret_id: String,
    version_id: Option<String>,
    version_stage: Option<String>,
}

impl Wanted {
    fn is(&self, secret: &Secret) -> bool {
        secret.name == self.secret_id || arn::secret(&secret.name) == self.secret_id
    }

    fn is_version_of(&self, secret: &Secret) -> bool {
        let is_current = |stage: &String| stage == CURRENT;
        self.version_id
            .as_ref()
            .is_none_or(|id| *id == secret.version_id)
            && self.version_stage.as_ref().is_none_or(is_current)
    }
}

impl Secrets {
    /// Opens the file, or makes it.
    pub(crate) fn open(path: &Path, clock: Arc<dyn Clock>) -> Result<Secrets, StartError> {
        let store = Store::open(path).map_err(|error| StartError::damaged(path, &error))?;
        Ok(Secrets {
            store: Arc::new(Mutex::new(store)),
            clock,
        })
    }

    /// Makes a secret with a value of its own, where there is none of that name. Blocks.
    pub(crate) fn ensure(&self, secret: &template::Secret) -> Result<(), ProvisionError> {
        let failed = |reason: String| ProvisionError::Secret {
            secret: secret.name.clone(),
            reason,
        };
        let mut store = self.store();
        if store
            .secrets()
            .iter()
            .any(|known| known.name == secret.name)
        {
            return Ok(());
        }
        let value = generate::value(secret.length, secret.excludes_punctuation);
        let made = Secret {
            name: secret.name.clone(),
            value: value.map_err(|error| failed(error.to_string()))?,
            version_id: random::uuid(),
            created_ms: self.clock.now_ms(),
        };
        store.add(made).map_err(|error| failed(error.to_string()))
    }

    /// Answers one request.
    pub(crate) fn answer(&self, operation: &str, body: &[u8]) -> Response<Body> {
        if operation != "GetSecretValue" {
            let message = format!("The operation {operation} is not emulated here.");
            return rejection(
                StatusCode::BAD_REQUEST,
                "UnknownOperationException",
                &message,
            );
        }
        match serde_json::from_slice(body) {
            Ok(wanted) => self.value(&wanted),
            Err(error) => rejection(
                StatusCode::BAD_REQUEST,
                "InvalidParameterException",
                &error.to_string(),
            ),
        }
    }

    fn value(&self, wanted: &Wanted) -> Response<Body> {
        let store = self.store();
        let secret = store.secrets().iter().find(|secret| wanted.is(secret));
        let Some(secret) = secret.filter(|secret| wanted.is_version_of(secret)) else {
            let what = if secret.is_some() {
                "version of the specified secret"
            } else {
                "specified secret"
            };
            let message = format!("Secrets Manager can't find the {what}.");
            return rejection(
                StatusCode::BAD_REQUEST,
                "ResourceNotFoundException",
                &message,
            );
        };
        let found = json!({
            "ARN": arn::secret(&secret.name),
            "CreatedDate": secret.created_ms / 1000,
            "Name": secret.name,
            "SecretString": secret.value,
            "VersionId": secret.version_id,
            "VersionStages": [CURRENT],
        });
        json_answer(StatusCode::OK, found.to_string())
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An error in Secrets Manager's shape.
pub(crate) fn rejection(status: StatusCode, code: &str, message: &str) -> Response<Body> {
    json_answer(
        status,
        json!({ "__type": code, "Message": message }).to_string(),
    )
}

/// An answer in AWS JSON 1.1.
fn json_answer(status: StatusCode, body: String) -> Response<Body> {
    let mut answer = Response::new(Body::from(body));
    *answer.status_mut() = status;
    answer.headers_mut().insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/x-amz-json-1.1"),
    );
    answer
}
