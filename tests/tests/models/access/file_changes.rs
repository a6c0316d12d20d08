//! Random changes of files.

use rand::RngExt;
use serde_json::json;
use tests::form;

use super::{CONTENT, MAX_FILES, TYPES, World, model::File, string_field};

impl World {
    pub(super) async fn change_file_access(&mut self) {
        let drawn = self.file();
        let change = self.change();
        let Some(id) = drawn else { return };
        self.set_access(&format!("/files/{id}"), change).await;
        let file = self.model.files.get_mut(&id).expect("a drawn id");
        file.access = change.and_then(|change| change.of(file.access));
    }

    pub(super) async fn upload(&mut self) {
        if self.model.files.len() == MAX_FILES {
            return;
        }

        let (delivery_type, config) = TYPES[self.draws.random_range(0..TYPES.len())];
        let folder = self.random_parent();
        let form =
            form(&self.acme.handle, "a.txt", "text/plain", CONTENT).text("upload_config", config);
        let form = form.text(
            "folder_id",
            folder.clone().unwrap_or_else(|| "root".to_owned()),
        );
        let response = self.acme.upload_form(form).await;
        let record = self.check(response, 201).expect_created();
        let config = self.configs[delivery_type].clone();
        let file = File {
            url: string_field(&record, "url"),
            folder,
            delivery_type,
            config_type: delivery_type,
            config,
            access: None,
        };

        self.model.files.insert(string_field(&record, "id"), file);
    }

    pub(super) async fn change_type(&mut self) {
        let Some(id) = self.file() else { return };
        let (delivery_type, _) = TYPES[self.draws.random_range(0..TYPES.len())];
        let response = self
            .acme
            .put(&format!("/files/{id}"), json!({"type": delivery_type}))
            .await;

        self.check(response, 200);
        self.model
            .files
            .get_mut(&id)
            .expect("a drawn id")
            .delivery_type = delivery_type;
    }

    /// Moves a file into a folder that exists or existed.
    pub(super) async fn move_file(&mut self) {
        let folders = self.created_folders.clone();
        let drawn = self.file();
        let folder = self.draw(&folders);
        let Some(id) = drawn else { return };
        let folder = folder.filter(|_| self.draws.random_range(0..6) != 0);
        let exists = folder
            .as_ref()
            .is_none_or(|folder| self.model.folders.contains_key(folder));
        let response = self
            .acme
            .put(&format!("/files/{id}"), json!({"folder_id": folder}))
            .await;

        if exists {
            self.check(response, 200);
            self.model.files.get_mut(&id).expect("a drawn id").folder = folder;
        } else {
            let errors = self.check(response, 422).expect_error(422);
            assert!(errors["folder_id"].is_array(), "{:?}: {errors}", self.place);
        }
    }

    pub(super) async fn delete_file(&mut self) {
        let Some(id) = self.file() else { return };
        let response = self.acme.delete(&format!("/files/{id}")).await;
        self.check(response, 204);
        self.deleted_urls
            .extend(self.model.files.remove(&id).map(|file| file.url));
    }
}
