//! What is done to table and bucket by hand. No route makes users or lets them join a space, nor
//! removes what a list shows for good, so the tests do: this is the one place of theirs that spells
//! a key of the table.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{ApiKey, KeyName, KeyScope, KeySecret, UserId};
use runtime::{Environment, Settings};

use crate::{Client, Stack, Tenant};

/// A user with an account key.
pub struct User {
    /// Holds the account key.
    pub client: Client,
    id: UserId,
}

impl Stack {
    /// Makes a user who belongs to no space.
    pub async fn user(&self) -> User {
        let environment = self.operator();
        let mut settings = Settings::of(&environment);
        let table = settings.table();
        let env = &environment.env;
        let (id, secret, now) = (UserId::new(env), KeySecret::new(env), env.now());
        let key = ApiKey {
            id: table.next_key_id().await.expect("a number"),
            name: KeyName::parse("account").expect("a name"),
            scope: KeyScope::Account { user_id: id },
            hash: secret.hash(),
            last_four: secret.last_four().to_owned(),
            is_active: true,
            expires_at: None,
            last_used_at: None,
            created_at: now,
            updated_at: now,
        };
        table.create_key(&key, None).await.expect("a fresh key");
        User {
            client: self.anonymous.with_key(secret.reveal()),
            id,
        }
    }

    /// Gives a user a role in a space.
    pub async fn join(&self, user: &User, tenant: &Tenant, role: &str) {
        let environment = self.operator();
        let mut settings = Settings::of(&environment);
        let client = settings.dynamodb();
        let text = |value: &str| AttributeValue::S(value.to_owned());
        let (by_user, by_space) = (format!("USER#{}", user.id), format!("SPACE#{}", tenant.id));
        for (partition, sort) in [
            (&by_user, &by_space),
            (&by_space, &format!("MEMBER#{}", user.id)),
        ] {
            client
                .put_item()
                .table_name(settings.text("TABLE_NAME"))
                .item("pk", text(partition))
                .item("sk", text(sort))
                .item("user_id", text(&user.id.to_string()))
                .item("space_id", text(&tenant.id))
                .item("role", text(role))
                .send()
                .await
                .expect("written");
        }
    }

    /// Removes a key from its space's list, as if it had never been.
    pub async fn unlist_key(&self, tenant: &Tenant, id: u64) {
        let environment = self.operator();
        let mut settings = Settings::of(&environment);
        let delete = settings
            .dynamodb()
            .delete_item()
            .table_name(settings.text("TABLE_NAME"));
        let delete = delete.key("pk", AttributeValue::S(format!("SPACE#{}", tenant.id)));
        delete
            .key("sk", AttributeValue::S(format!("KEY#{id:020}")))
            .send()
            .await
            .expect("deleted");
    }

    /// Removes a folder's record alone: whatever is in it says still that it is.
    pub async fn lose_folder(&self, tenant: &Tenant, id: &str) {
        let environment = self.operator();
        let mut settings = Settings::of(&environment);
        let delete = settings
            .dynamodb()
            .delete_item()
            .table_name(settings.text("TABLE_NAME"));
        let delete = delete.key("pk", AttributeValue::S(format!("SPACE#{}", tenant.id)));
        delete
            .key("sk", AttributeValue::S(format!("FOLDER#{id}")))
            .send()
            .await
            .expect("deleted");
    }

    /// Puts an object into the bucket.
    pub async fn put_object(&self, key: &str, bytes: &'static [u8]) {
        let environment = self.operator();
        let mut settings = Settings::of(&environment);
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

    /// The environment of somebody who may do everything to table and bucket.
    pub fn operator(&self) -> Environment {
        self.cloud
            .operator_environment("uploads")
            .expect("the template has the function")
    }
}
