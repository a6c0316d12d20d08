//! One operation of the document.

use serde_json::{Value, json};
use web::API_PREFIX;

use super::body::RequestBody;

/// The role without a higher one.
const HIGHEST_ROLE: &str = "owner";

/// One operation of the document.
pub(super) struct OperationEntry<'a> {
    /// Method, in upper case.
    pub(super) method: &'static str,
    /// Whole path, parameters in braces.
    pub(super) path: &'a str,
    /// The operation object.
    pub(super) description: &'a Value,
}

impl<'a> OperationEntry<'a> {
    /// Returns the name of the group.
    pub(super) fn tag(&self) -> &'a str {
        self.description["tags"][0].as_str().unwrap_or_default()
    }

    /// Returns the summary, which is the heading of the section.
    pub(super) fn summary(&self) -> &'a str {
        self.description["summary"].as_str().unwrap_or_default()
    }

    /// Returns the path below the prefix of all endpoints.
    pub(super) fn short_path(&self) -> &'a str {
        self.path.strip_prefix(API_PREFIX).unwrap_or(self.path)
    }

    /// Returns the body, if the endpoint takes one.
    pub(super) fn body(&self) -> Option<RequestBody<'a>> {
        let content = self.description["requestBody"]["content"].as_object()?;
        let (media_type, media) = content.iter().next()?;
        Some(RequestBody {
            media_type,
            schema: &media["schema"],
        })
    }

    /// Returns who may call the endpoint, in a few words.
    pub(super) fn caller(&self) -> String {
        if self.description["x-requires-account-key"] == true {
            return "account key".to_owned();
        }
        let schemes = self.description["security"].as_array();
        if let Some(role) = self.description["x-required-role"].as_str() {
            let is_optional = schemes.is_some_and(|schemes| schemes.contains(&json!({})));
            let token = if is_optional {
                " or a confirm token"
            } else {
                ""
            };
            return format!("{role}{token}");
        }

        let first = schemes.and_then(|schemes| schemes.first()?.as_object()?.keys().next());
        match first.map(String::as_str) {
            Some("signed_url") => "signed URL".to_owned(),
            Some(_) => "any key".to_owned(),
            None => "anonymous".to_owned(),
        }
    }

    /// Returns who may call the endpoint, in a phrase.
    pub(super) fn caller_in_full(&self) -> String {
        let caller = self.caller();
        let Some(role) = self.description["x-required-role"].as_str() else {
            return caller;
        };
        let rest = caller.strip_prefix(role).unwrap_or_default();
        let higher = if role == HIGHEST_ROLE {
            ""
        } else {
            " or higher"
        };
        format!("key with the role `{role}`{higher}{rest}")
    }
}
