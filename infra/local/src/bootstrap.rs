//! The first user, space and key, and the file that tells scripts where everything is.

use std::path::{Path, PathBuf};

use emulators::Emulators;
use runtime::Settings;
use serde::{Deserialize, Serialize};
use template::Stack;
use tenant::Tenants;

use crate::{
    StartError,
    environment::{Environments, write_private},
};

/// The file for scripts.
pub(crate) const LOCAL_FILE: &str = "local.json";
/// The variable by which a function knows the table.
const TABLE_VARIABLE: &str = "TABLE_NAME";

/// What scripts are told.
#[derive(Serialize, Deserialize)]
pub(crate) struct Local {
    pub(crate) api_url: String,
    pub(crate) cdn_url: String,
    pub(crate) s3_url: String,
    pub(crate) api_key: Option<String>,
}

/// A key that works, and whether it was made just now.
pub(crate) struct FirstKey {
    pub(crate) key: String,
    pub(crate) is_new: bool,
}

pub(crate) fn local_file(data_dir: &Path) -> PathBuf {
    data_dir.join(LOCAL_FILE)
}

/// Finds or makes the first key. A template whose functions know no table has nobody to make a key
/// for.
pub(crate) async fn first_key(
    data_dir: &Path,
    stack: &Stack,
    environments: &Environments,
    emulators: &Emulators,
) -> Result<Option<FirstKey>, StartError> {
    let table = stack
        .functions
        .iter()
        .find_map(|function| function.environment.get(TABLE_VARIABLE));
    let Some(table) = table else { return Ok(None) };
    let variables = [(TABLE_VARIABLE.to_owned(), table.clone())].into();
    let environment = environments.operator("bootstrap", variables, emulators);
    let mut settings = Settings::of(&environment);
    let tenants = Tenants::new(settings.table());
    settings.finish().map_err(|reason| StartError::Function {
        function: "bootstrap".to_owned(),
        reason,
    })?;
    let known = known_key(data_dir);
    let done = tenant::bootstrap(&tenants, known.as_deref()).await?;
    Ok(Some(FirstKey {
        key: done.api_key.reveal().to_owned(),
        is_new: done.is_new,
    }))
}

/// The key of an earlier start. A file that is missing or unreadable knows none.
fn known_key(data_dir: &Path) -> Option<String> {
    let text = std::fs::read(local_file(data_dir)).ok()?;
    serde_json::from_slice::<Local>(&text).ok()?.api_key
}

pub(crate) fn write_local(data_dir: &Path, local: &Local) -> Result<(), StartError> {
    let path = local_file(data_dir);
    let text = serde_json::to_vec_pretty(local).unwrap_or_default();
    write_private(&path, &text).map_err(|reason| StartError::File { path, reason })
}
