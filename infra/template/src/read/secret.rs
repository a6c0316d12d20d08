//! Secrets Manager's secrets.

use std::ops::RangeInclusive;

use crate::fields::Fields;
use crate::model::Secret;
use crate::resources::Resource;
use crate::scope::Scope;

/// Characters of a value: at least one of each kind.
const PASSWORD_LENGTH: RangeInclusive<u32> = 4..=4096;

/// Secrets Manager's own.
const DEFAULT_PASSWORD_LENGTH: u32 = 32;

pub(super) fn read(
    id: &str,
    resource: &Resource<'_>,
    fields: &mut Fields<'_, '_>,
    scope: &Scope<'_>,
) -> Option<Secret> {
    // A value that stands in the template is none that anybody keeps secret.
    let generated = fields.required("GenerateSecretString")?;
    let mut generated = Fields::of(generated, "GenerateSecretString", scope.report);
    let secret = Secret {
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
