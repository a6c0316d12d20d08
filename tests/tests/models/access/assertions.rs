//! Comparison of a world with its model.

use std::collections::BTreeSet;

use futures::future::join_all;
use serde_json::Value;

use super::{CHECKED_DELETED_FILES, CONTENT, World};

impl World {
    /// Asserts that the API and the CDN agree with the model.
    pub(super) async fn assert_matches_model(&mut self) {
        let folders = self
            .model
            .folders
            .keys()
            .map(|id| self.model.folder_record(id))
            .collect();
        self.assert_list("/folders", folders).await;

        let files = self
            .model
            .files
            .keys()
            .map(|id| self.model.file_record(id))
            .collect();
        self.assert_list("/files", files).await;

        let anonymous = &self.stack.anonymous;
        let responses = join_all(
            self.model
                .files
                .values()
                .map(|file| anonymous.get(&file.url)),
        )
        .await;

        for (file, response) in self.model.files.values().zip(responses) {
            if self.model.is_open(file) {
                assert_eq!(
                    self.check(response, 200).body,
                    CONTENT,
                    "{:?}: {file:?}",
                    self.place
                );
            } else {
                self.check(response, 403).expect_error(403);
            }
        }

        for url in self.deleted_urls.iter().rev().take(CHECKED_DELETED_FILES) {
            self.check(anonymous.get(url).await, 404);
        }

        self.assert_single_records_match().await;
    }

    /// Asserts that a list contains these records, in any order.
    async fn assert_list(&self, path: &str, expected: Vec<Value>) {
        let page = self.viewer.get(&format!("{path}?limit=100")).await;
        let page = self.check(page, 200).json();
        assert_eq!(page["next_cursor"], Value::Null, "{:?}", self.place);

        let records = page["data"].as_array().expect("a list");
        let ids: BTreeSet<&str> = records
            .iter()
            .filter_map(|record| record["id"].as_str())
            .collect();

        assert_eq!(
            (records.len(), ids.len()),
            (expected.len(), expected.len()),
            "{:?}: {path}",
            self.place
        );

        for expected in expected {
            let found = records.iter().find(|record| record["id"] == expected["id"]);
            self.assert_record(found.unwrap_or(&Value::Null), &expected);
        }
    }

    /// Asserts that a record has the expected fields.
    #[track_caller]
    fn assert_record(&self, record: &Value, expected: &Value) {
        for (field, value) in expected.as_object().expect("an object") {
            assert_eq!(
                record[field], *value,
                "{:?}: {field} of {record}, where {expected}",
                self.place
            );
        }
    }

    /// Asserts that a folder and a file match the model, and that the file is delivered to clients
    /// with access.
    async fn assert_single_records_match(&mut self) {
        if let Some(id) = self.folder() {
            let record = self.viewer.get_ok(&format!("/folders/{id}")).await;
            self.assert_record(&record, &self.model.folder_record(&id));
        }

        if let Some(id) = self.file() {
            let record = self.viewer.get_ok(&format!("/files/{id}")).await;
            self.assert_record(&record, &self.model.file_record(&id));
            let url = &self.model.files[&id].url;
            let expires_seconds = self.stack.now().seconds() + 60;
            let signed = self.signer.sign(url, expires_seconds, &[]);
            for response in [
                self.viewer.get(url).await,
                self.stack.anonymous.get(&signed).await,
            ] {
                assert_eq!(self.check(response, 200).body, CONTENT, "{:?}", self.place);
            }
        }
    }
}
