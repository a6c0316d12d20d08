//! Secrets Manager's secrets.

use std::ops::RangeInclusive;

use crate::model::SecretSpec;
use crate::properties::Properties;
use crate::resource::Resource;
use crate::scope::Scope;

/// Length of a generated value, in characters.
const PASSWORD_LENGTH: RangeInclusive<u32> = 4..=4096;

/// The default of Secrets Manager.
const DEFAULT_PASSWORD_LENGTH: u32 = 32;

pub(super) fn read(
    id: &str,
    resource: &Resource<'_>,
    properties: &mut Properties<'_, '_>,
    scope: &Scope<'_>,
) -> Option<SecretSpec> {
    // Only generated values are supported: a value in the template is not secret.
    let generated = properties.required("GenerateSecretString")?;
    let mut generated = Properties::of(generated, "GenerateSecretString", scope.report);
    let secret = SecretSpec {
        logical_id: id.to_owned(),
        name: resource.physical_name.clone(),
        length: generated
            .number("PasswordLength", &PASSWORD_LENGTH)
            .unwrap_or(DEFAULT_PASSWORD_LENGTH),
        excludes_punctuation: generated.flag("ExcludePunctuation").unwrap_or(false),
    };
    generated.finish();

    Some(secret)
}
