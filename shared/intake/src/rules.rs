//! What a config asks of files.

use domain::{MediaType, ValidationRules, Violation};

/// Refuses a stored type whose extension is none of those allowed.
pub(crate) fn demand_allowed_format(media_type: &MediaType, rules: &ValidationRules) -> Result<(), Violation> {
    let Some(allowed) = &rules.allowed_formats else { return Ok(()) };
    if allowed.iter().any(|extension| extension.as_str() == media_type.extension) {
        return Ok(());
    }
    let names: Vec<&str> = allowed.iter().map(domain::Extension::as_str).collect();
    Err(Violation::NotOfType(names.join(", ")))
}
