//! Reads a function's configuration from its environment variables.

use std::{num::NonZeroU64, str::FromStr};

use aws_credential_types::provider::SharedCredentialsProvider;
use domain::{
    env::Env,
    files::Decoders,
    naming::{HostPattern, UrlPolicy},
};

use crate::{connections::HttpClients, context::FunctionContext};

/// Reads environment variables and collects their errors, so that one start reports all of them.
pub struct Settings<'a> {
    context: &'a FunctionContext,
    errors: Vec<String>,
    pub(crate) http_clients: HttpClients,
}

/// Invalid environment variables of a function.
#[derive(Debug, thiserror::Error)]
#[error("the function cannot start: {}", .0.join("; "))]
pub struct ConfigurationError(Vec<String>);

impl<'a> Settings<'a> {
    /// Returns a reader of a function's variables.
    pub fn of(context: &'a FunctionContext) -> Settings<'a> {
        Settings {
            context,
            errors: Vec::new(),
            http_clients: HttpClients::default(),
        }
    }

    /// Returns the credentials of a container, unless the variables have some.
    pub(crate) fn container_credentials(&self) -> Option<SharedCredentialsProvider> {
        self.context.container_credentials.clone()
    }

    /// Returns the clock and random source.
    pub fn env(&self) -> &'a Env {
        &self.context.env
    }

    /// Returns a variable, which must be set and not empty.
    pub fn text(&mut self, name: &str) -> String {
        match self.context.variables.get(name) {
            Some(value) if !value.is_empty() => value.clone(),
            _ => {
                self.error(format!("{name} is not set"));
                String::new()
            }
        }
    }

    /// Returns a variable; `None` if it is not set or empty.
    pub fn optional(&self, name: &str) -> Option<&'a str> {
        self.context
            .variables
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Returns a variable, which must be a non-negative integer.
    pub fn number(&mut self, name: &str) -> u64 {
        let text = self.text(name);
        if text.is_empty() {
            return 0;
        }
        text.parse().unwrap_or_else(|_| {
            self.error(format!("{name} is not a non-negative integer"));
            0
        })
    }

    /// Returns a variable, which must be a positive integer, or the default if it is not set.
    pub fn positive_or(&mut self, name: &str, default: NonZeroU64) -> u64 {
        self.parsed_or(name, "a positive integer", default).get()
    }

    /// Returns a variable, which must be an integer from 0 to `max`.
    pub fn number_up_to(&mut self, name: &str, max: u64) -> u64 {
        let number = self.number(name);
        if number > max {
            self.error(format!("{name} is greater than {max}"));
        }
        number
    }

    /// Returns a variable, which must be `true` or `false`, or the default if it is not set.
    pub fn flag_or(&mut self, name: &str, default: bool) -> bool {
        self.parsed_or(name, "true or false", default)
    }

    /// Returns which formats are decoded: HEIC too, unless `DECODE_HEIC` is false.
    pub fn decoders(&mut self) -> Decoders {
        Decoders {
            heic: self.flag_or("DECODE_HEIC", true),
        }
    }

    /// Returns which hosts the URLs of callers can have: `ALLOW_LOOPBACK_URLS` allows loopback
    /// hosts.
    pub fn url_policy(&mut self) -> UrlPolicy {
        if self.flag_or("ALLOW_LOOPBACK_URLS", false) {
            UrlPolicy::AllowLoopback
        } else {
            UrlPolicy::PublicOnly
        }
    }

    /// Returns the domains of the CDN from `CDN_DOMAIN_NAMES`: host names and wildcards, separated
    /// by commas.
    pub fn cdn_domains(&mut self) -> Vec<HostPattern> {
        let names = self.optional("CDN_DOMAIN_NAMES").unwrap_or_default();
        let parsed: Result<_, _> = names
            .split(',')
            .filter(|name| !name.is_empty())
            .map(HostPattern::parse)
            .collect();
        parsed.unwrap_or_else(|_| {
            self.error("CDN_DOMAIN_NAMES is not a list of host names".to_owned());
            Vec::new()
        })
    }

    /// Returns a parsed variable, or the default if it is not set or empty. `expected` completes
    /// the error "NAME is not …".
    pub(crate) fn parsed_or<T: FromStr>(&mut self, name: &str, expected: &str, default: T) -> T {
        match self.optional(name).map(str::parse) {
            None => default,
            Some(Ok(value)) => value,
            Some(Err(_)) => {
                self.error(format!("{name} is not {expected}"));
                default
            }
        }
    }

    /// Adds an error, which [`Settings::finish`] reports once.
    pub fn error(&mut self, message: String) {
        if !self.errors.contains(&message) {
            self.errors.push(message);
        }
    }

    /// Fails if there were errors.
    pub fn finish(self) -> Result<(), ConfigurationError> {
        if self.errors.is_empty() {
            Ok(())
        } else {
            Err(ConfigurationError(self.errors))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::system_env;

    #[test]
    fn all_invalid_variables_are_reported_together() {
        let variables = [
            ("TABLE_NAME", "assets"),
            ("LIMIT", "many"),
            ("BOUND", "1001"),
            ("EMPTY", ""),
            ("PORT", "80800"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        let context = FunctionContext::new("test", variables, system_env());
        let mut settings = Settings::of(&context);

        assert_eq!(settings.text("TABLE_NAME"), "assets");
        assert_eq!(settings.optional("EMPTY"), None);
        settings.text("BUCKET_NAME");
        settings.text("BUCKET_NAME");
        settings.number("LIMIT");
        assert_eq!(settings.number_up_to("BOUND", 1_001), 1_001);
        settings.number_up_to("BOUND", 1_000);
        assert_eq!(settings.parsed_or("EMPTY", "a port", 8080_u16), 8080);
        settings.parsed_or("PORT", "a port", 8080_u16);

        let message = settings.finish().expect_err("four errors").to_string();
        assert_eq!(
            message,
            "the function cannot start: BUCKET_NAME is not set; LIMIT is not a non-negative integer; BOUND is greater than 1000; PORT is not a port"
        );
    }
}
