//! Creates the first user, space and API key, and writes `local.json` for scripts.

use std::path::{Path, PathBuf};

use domain::keys::KeySecret;
use emulators::Emulators;
use runtime::context::Settings;
use sam_template::ResolvedTemplate;
use serde::{Deserialize, Serialize};
use space_store::{keys::Bootstrap, spaces::Tenants};

use crate::{
    function_contexts::{FunctionContexts, write_private},
    start_error::StartError,
};

/// Name of the file with URLs and the API key, for scripts.
pub(crate) const LOCAL_FILE: &str = "local.json";
/// Environment variable with the name of the table.
const TABLE_VARIABLE: &str = "TABLE_NAME";

#[derive(Serialize, Deserialize)]
pub(crate) struct LocalFile {
    pub(crate) api_url: String,
    pub(crate) cdn_url: String,
    pub(crate) s3_url: String,
    pub(crate) api_key: Option<String>,
    /// Base URL of SQS. Absent in files of earlier versions, as the credentials are.
    #[serde(default)]
    pub(crate) sqs_url: String,
    /// Access key that may call all operations of SQS.
    #[serde(default)]
    pub(crate) access_key_id: String,
    #[serde(default)]
    pub(crate) secret_access_key: String,
}

/// Returns the path of [`LOCAL_FILE`].
pub(crate) fn local_file(data_dir: &Path) -> PathBuf {
    data_dir.join(LOCAL_FILE)
}

/// Returns the stored API key, or creates one. Returns `None` if no function uses a table.
pub(crate) async fn first_key(
    data_dir: &Path,
    template: &ResolvedTemplate,
    contexts: &FunctionContexts,
    emulators: &Emulators,
) -> Result<Option<KeySecret>, StartError> {
    let function = template
        .functions
        .iter()
        .find(|function| function.environment.contains_key(TABLE_VARIABLE));
    let Some(function) = function else {
        return Ok(None);
    };
    let variables = function.environment.clone();
    let context = contexts.unrestricted("bootstrap", variables, emulators);
    let mut settings = Settings::of(&context);
    let tenants = Tenants::new(settings.table());
    settings.finish().map_err(|reason| StartError::Function {
        function: "bootstrap".to_owned(),
        reason,
    })?;

    let stored = stored_key(data_dir);
    if let Some(key) = stored.and_then(|text| KeySecret::parse(&text))
        && let Some(caller) = tenants.requests().authenticate(&key).await?
        && caller.user().is_some()
    {
        return Ok(Some(key));
    }

    match space_store::keys::bootstrap(&tenants).await? {
        Bootstrap::Created(key) => Ok(Some(key)),
        Bootstrap::Exists => Ok(space_store::keys::recover_key(&tenants).await?),
    }
}

/// Returns the API key of an earlier start, unless the file is missing or invalid.
fn stored_key(data_dir: &Path) -> Option<String> {
    let text = std::fs::read(local_file(data_dir)).ok()?;
    serde_json::from_slice::<LocalFile>(&text).ok()?.api_key
}

pub(crate) fn write_local(data_dir: &Path, local: &LocalFile) -> Result<(), StartError> {
    let path = local_file(data_dir);
    let text = serde_json::to_vec_pretty(local).unwrap_or_default();
    write_private(&path, &text).map_err(|reason| StartError::File { path, reason })
}
