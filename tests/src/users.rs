//! Changes of the table and the bucket that no route makes: users, members of spaces, webhook
//! messages, records that are missing, and objects without records.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{
    id::UserId,
    keys::{ApiKey, KeyId, KeyOwner, KeyScope, KeySecret},
    naming::{KeyName, PublicHttpsUrl},
    settings::{WebhookEndpoint, WebhookEvent, WebhookSource},
    webhooks::{AnnouncedWebhook, WebhookMessage},
};
use runtime::context::{FunctionContext, Settings};
use table::item_keys::Key;

use crate::{Client, Stack, TestSpace};

/// A user with an account key.
pub struct User {
    /// Client with the account key.
    pub client: Client,
    id: UserId,
}

impl Stack {
    /// Creates a user who is not a member of any space.
    pub async fn user(&self) -> User {
        let context = self.unrestricted_context();
        let mut settings = Settings::of(&context);
        let table = settings.table();
        let env = &context.env;
        let id = UserId::new(env);
        let secret = KeySecret::new(env);
        let now = env.now();
        let key = ApiKey {
            id: table.keys().next_id().await.expect("a key id"),
            name: KeyName::parse("account").expect("a valid name"),
            scope: KeyScope::Account { user_id: id },
            hash: secret.hash(),
            last_four: secret.last_four().to_owned(),
            is_revoked: false,
            expires_at: None,
            last_used_at: None,
            created_at: now,
            updated_at: now,
        };
        table
            .keys()
            .create(&key, None)
            .await
            .expect("an unused key");

        User {
            client: self.anonymous.with_key(secret.reveal()),
            id,
        }
    }

    /// Adds a user as a member of a space.
    pub async fn add_member(&self, user: &User, tenant: &TestSpace, role: &str) {
        let context = self.unrestricted_context();
        let mut settings = Settings::of(&context);
        let client = settings.dynamodb();
        let text = |value: &str| AttributeValue::S(value.to_owned());
        let space_id = tenant.space_id();

        for key in [
            Key::membership(user.id, space_id),
            Key::member(space_id, user.id),
        ] {
            client
                .put_item()
                .table_name(settings.text("TABLE_NAME"))
                .set_item(Some(key.attributes()))
                .item("user_id", text(&user.id.to_string()))
                .item("space_id", text(&tenant.id))
                .item("role", text(role))
                .send()
                .await
                .expect("written");
        }
    }

    /// Deletes the list item of a space key. The key remains valid.
    pub async fn remove_key_from_list(&self, tenant: &TestSpace, id: u64) {
        let owner = KeyOwner::Space(tenant.space_id());
        self.delete_item(Key::listed_api_key(owner, KeyId(id)))
            .await;
    }

    /// Deletes the record of a file, and nothing that lists it.
    pub async fn remove_file_record(&self, tenant: &TestSpace, id: &str) {
        let id = id.parse().expect("a file id");
        self.delete_item(Key::file(tenant.space_id(), id)).await;
    }

    /// Deletes the record of a folder. Its files and folders still refer to it.
    pub async fn remove_folder_record(&self, tenant: &TestSpace, id: &str) {
        let id = id.parse().expect("a folder id");
        self.delete_item(Key::folder(tenant.space_id(), id)).await;
    }

    async fn delete_item(&self, key: Key) {
        let context = self.unrestricted_context();
        let mut settings = Settings::of(&context);
        settings
            .dynamodb()
            .delete_item()
            .table_name(settings.text("TABLE_NAME"))
            .set_key(Some(key.attributes()))
            .send()
            .await
            .expect("deleted");
    }

    /// Creates a webhook message of a file without sending it, and returns its id.
    pub async fn add_webhook_message(&self, tenant: &TestSpace, file_id: &str) -> String {
        let context = self.unrestricted_context();
        let mut settings = Settings::of(&context);
        let table = settings.table();
        let id = file_id.parse().expect("a file id");
        let found = table.files().get(tenant.space_id(), &[id]).await;
        let file = &found.expect("a read")[&id];

        let url = PublicHttpsUrl::parse("https://example.com/hook").expect("a URL");
        let source = WebhookSource::Space;
        let endpoint = WebhookEndpoint { url, source };
        let webhook = AnnouncedWebhook::new(WebhookEvent::Uploaded, endpoint, &context.env);
        let payload = "{}".to_owned();
        let message = WebhookMessage::new(&webhook, file, payload, context.env.now());
        let created = table.files().change(file, file, &[message]).await;
        created.expect("a new message");
        webhook.id.to_string()
    }

    /// Stores an object in the bucket.
    pub async fn put_object(&self, key: &str, bytes: &'static [u8]) {
        let context = self.unrestricted_context();
        let mut settings = Settings::of(&context);
        let put = settings
            .s3()
            .put_object()
            .bucket(settings.text("BUCKET_NAME"))
            .key(key);
        put.body(bytes.to_vec().into())
            .send()
            .await
            .expect("stored");
    }

    /// Returns the context of a function that has all permissions for the table and the bucket.
    pub fn unrestricted_context(&self) -> FunctionContext {
        self.local
            .unrestricted_context("uploads")
            .expect("the template has the function")
    }
}
