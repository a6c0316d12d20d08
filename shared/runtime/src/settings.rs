//! Reads a function's variables into its configuration, and reports every mistake at once.

use std::str::FromStr;

use aws_credential_types::provider::SharedCredentialsProvider;
use domain::Env;

use crate::{Environment, aws::HttpClients};

/// A reader of variables that collects what is wrong with them.
pub struct Settings<'a> {
    environment: &'a Environment,
    mistakes: Vec<String>,
    pub(crate) http_clients: HttpClients,
    /// The provider of credentials that all clients share.
    pub(crate) credentials: Option<SharedCredentialsProvider>,
}

/// What is wrong with a function's variables.
#[derive(Debug, thiserror::Error)]
#[error("the function cannot start: {}", .0.join("; "))]
pub struct ConfigurationError(Vec<String>);

impl<'a> Settings<'a> {
    /// A reader of this environment's variables.
    pub fn of(environment: &'a Environment) -> Settings<'a> {
        Settings {
            environment,
            mistakes: Vec::new(),
            http_clients: HttpClients::default(),
            credentials: None,
        }
    }

    /// Time and randomness.
    pub fn env(&self) -> &'a Env {
        &self.environment.env
    }

    /// A variable's text; a mistake where it is missing or empty.
    pub fn text(&mut self, name: &str) -> String {
        match self.environment.variables.get(name) {
            Some(value) if !value.is_empty() => value.clone(),
            _ => {
                self.mistakes.push(format!("{name} is not set"));
                String::new()
            }
        }
    }

    /// A variable's text, where it is set and not empty.
    pub fn optional(&mut self, name: &str) -> Option<&'a str> {
        self.environment
            .variables
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// A whole number, not negative; a mistake where it is missing or anything else.
    pub fn number(&mut self, name: &str) -> u64 {
        let text = self.text(name);
        if text.is_empty() {
            return 0;
        }
        text.parse().unwrap_or_else(|_| {
            self.mistakes.push(format!("{name} is not a whole number"));
            0
        })
    }

    /// What a variable's text stands for, or a default where it is missing or empty; a mistake
    /// where it is no such thing.
    pub(crate) fn parsed_or<T: FromStr>(&mut self, name: &str, thing: &str, default: T) -> T {
        match self.optional(name).map(str::parse) {
            None => default,
            Some(Ok(value)) => value,
            Some(Err(_)) => {
                self.mistakes.push(format!("{name} is not {thing}"));
                default
            }
        }
    }

    /// Notes what is wrong with what a variable leads to.
    pub(crate) fn mistake(&mut self, mistake: String) {
        self.mistakes.push(mistake);
    }

    /// Ends the reading: the mistakes, where there are any.
    pub fn finish(self) -> Result<(), ConfigurationError> {
        if self.mistakes.is_empty() {
            Ok(())
        } else {
            Err(ConfigurationError(self.mistakes))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system_sources;

    #[test]
    fn every_mistake_is_reported_at_once() {
        let variables = [
            ("TABLE_NAME", "assets"),
            ("LIMIT", "many"),
            ("EMPTY", ""),
            ("PORT", "80800"),
        ];
        let variables = variables
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        let environment = Environment {
            function: "test".to_owned(),
            variables,
            env: system_sources(),
        };
        let mut settings = Settings::of(&environment);
        assert_eq!(settings.text("TABLE_NAME"), "assets");
        assert_eq!(settings.optional("EMPTY"), None);
        settings.text("BUCKET_NAME");
        settings.number("LIMIT");
        assert_eq!(settings.parsed_or("EMPTY", "a port", 8080_u16), 8080);
        settings.parsed_or("PORT", "a port", 8080_u16);
        let message = settings.finish().expect_err("three mistakes").to_string();
        assert_eq!(
            message,
            "the function cannot start: BUCKET_NAME is not set; LIMIT is not a whole number; PORT is not a port"
        );
    }
}
