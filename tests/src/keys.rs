//! Keys of spaces.

use std::future::IntoFuture;

use serde_json::{Value, json};

use crate::{Client, TestSpace, builders::Sending};

impl TestSpace {
    /// Creates a key of the space.
    pub fn create_key(&self, name: &str) -> NewKey<'_> {
        let body = json!({ "name": name });
        NewKey { tenant: self, body }
    }
}

/// A key of a space, with its secret.
#[derive(Clone)]
pub struct Key {
    /// Id of the key.
    pub id: u64,
    /// The record as the API returned it.
    pub record: Value,
    /// Client with the key.
    pub client: Client,
    path: String,
}

impl Key {
    /// Returns the path of the key in the API.
    pub fn path(&self) -> &str {
        &self.path
    }
}

/// A key to create.
pub struct NewKey<'a> {
    tenant: &'a TestSpace,
    body: Value,
}

impl<'a> NewKey<'a> {
    /// Sets the role. Without it, the API chooses one.
    #[must_use]
    pub fn role(mut self, role: &str) -> NewKey<'a> {
        self.body["role"] = json!(role);
        self
    }

    /// Sets the time of expiry.
    #[must_use]
    pub fn expiring_at(mut self, time: &str) -> NewKey<'a> {
        self.body["expires_at"] = json!(time);
        self
    }
}

impl<'a> IntoFuture for NewKey<'a> {
    type Output = Key;
    type IntoFuture = Sending<'a, Key>;

    fn into_future(self) -> Sending<'a, Key> {
        Box::pin(async {
            let keys = self.tenant.keys_path();
            let response = self.tenant.client.post(&keys, self.body).await;
            let record = response.expect_created();
            let id = record["id"].as_u64().expect("an id");
            let secret = record["key"].as_str().expect("a key");

            Key {
                id,
                client: self.tenant.client.with_key(secret),
                path: format!("{keys}/{id}"),
                record,
            }
        })
    }
}
