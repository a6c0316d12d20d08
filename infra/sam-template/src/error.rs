//! Errors in a template.

/// An error in a template, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("template.yaml: {place}: {message}")]
pub struct TemplateError {
    /// A line, or a path such as `Uploads.Environment.Variables.CDN_URL`.
    place: String,
    message: String,
}

impl TemplateError {
    pub(crate) fn new(place: &str, message: impl Into<String>) -> TemplateError {
        TemplateError {
            place: place.to_owned(),
            message: message.into(),
        }
    }

    /// Adds the name of what contains the place.
    pub(crate) fn within(self, name: &str) -> TemplateError {
        let place = if self.place.is_empty() {
            name.to_owned()
        } else {
            format!("{name}.{}", self.place)
        };
        TemplateError { place, ..self }
    }
}
