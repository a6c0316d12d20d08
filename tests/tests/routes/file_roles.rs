//! What each role may do: every route of files, folders and uploads, by keys of the space and by
//! its members, with files of their own and with those of others.

use std::collections::BTreeSet;

use reqwest::{RequestBuilder, multipart::Form};
use serde_json::{Value, json};
use tests::{Client, PHOTO, Response, Stack, StackOptions, Tenant, User, file, form, stack_test};

use Way::{Body, MissingFolder, Plain};

/// From the least to the greatest.
const ROLES: [&str; 4] = ["viewer", "user", "admin", "owner"];
/// The config by which strangers upload.
const OPEN: &str = "open";

/// How a route is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// As one does.
    Plain,
    /// With the id in the body, and not in the query.
    Body,
    /// With a path to a folder that has to be made.
    MissingFolder,
}

/// A route, and who may use it.
struct Row {
    method: &'static str,
    path: &'static str,
    /// The least role, where it is about a file of the caller's own.
    own: Option<&'static str>,
    /// The least role otherwise.
    least: &'static str,
    /// The answer to whoever may.
    success: u16,
    way: Way,
}

const fn row(method: &'static str, path: &'static str, least: &'static str, success: u16) -> Row {
    Row {
        method,
        path,
        own: None,
        least,
        success,
        way: Plain,
    }
}

impl Row {
    /// The same, about a file, which may be the caller's own.
    const fn own(self, least: &'static str) -> Row {
        Row {
            own: Some(least),
            ..self
        }
    }

    const fn by(self, way: Way) -> Row {
        Row { way, ..self }
    }
}

static ROWS: [Row; 35] = [
    row("GET", "/files", "viewer", 200),
    row("GET", "/files/by-ref", "viewer", 200).own("viewer"),
    row("GET", "/files/{id}", "viewer", 200).own("viewer"),
    row("POST", "/files/urls", "viewer", 200).own("viewer"),
    row("POST", "/files/{id}/signed-url", "viewer", 200).own("viewer"),
    row("PUT", "/files/{id}", "admin", 200).own("user"),
    row("PUT", "/files/{id}", "admin", 200)
        .own("admin")
        .by(MissingFolder),
    row("PUT", "/files", "admin", 200).own("user"),
    row("PUT", "/files", "admin", 200)
        .own("admin")
        .by(MissingFolder),
    row("DELETE", "/files/{id}", "admin", 204).own("user"),
    row("DELETE", "/files", "admin", 204).own("user"),
    row("DELETE", "/files", "admin", 204).own("user").by(Body),
    row("PUT", "/files/{id}/access-control", "admin", 200).own("admin"),
    row("DELETE", "/files/{id}/access-control", "admin", 200).own("admin"),
    row("GET", "/folders", "viewer", 200),
    row("POST", "/folders", "admin", 201),
    row("GET", "/folders/{id}", "viewer", 200),
    row("PUT", "/folders/{id}", "admin", 200),
    row("DELETE", "/folders/{id}", "admin", 204),
    row("PUT", "/folders/{id}/access-control", "admin", 200),
    row("DELETE", "/folders/{id}/access-control", "admin", 200),
    row("PUT", "/folders/{id}/security", "admin", 200),
    row("DELETE", "/folders/{id}/security", "admin", 200),
    row("POST", "/upload", "user", 201),
    row("POST", "/upload", "admin", 201).by(MissingFolder),
    row("POST", "/upload/presign", "user", 201),
    row("POST", "/upload/presign", "admin", 201).by(MissingFolder),
    row("POST", "/upload/generate-signed-url", "user", 200),
    // The file is active already: whoever may confirm it is shown it.
    row("POST", "/upload/confirm/{fileId}", "admin", 200).own("user"),
    // Here a key proves nothing and spoils nothing; no stranger makes folders.
    row("POST", "/upload/signed", "viewer", 201),
    row("POST", "/upload/signed", "nobody", 201).by(MissingFolder),
    row("POST", "/upload/signed/presign", "viewer", 201),
    row("POST", "/upload/signed/presign", "nobody", 201).by(MissingFolder),
    row(
        "POST",
        "/upload/unsigned/{spaceHandle}/{configName}",
        "viewer",
        201,
    ),
    row(
        "POST",
        "/upload/unsigned/{spaceHandle}/{configName}/presign",
        "viewer",
        201,
    ),
];

/// Whether a role is at least another one. Nobody is nobody.
fn is_enough(role: &str, least: &str) -> bool {
    let level = |wanted: &str| ROLES.iter().position(|role| *role == wanted);
    level(least).is_some_and(|least| level(role) >= Some(least))
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// Whoever calls.
struct Caller {
    client: Client,
    role: &'static str,
    /// The member of the space, where the key is theirs.
    member: Option<User>,
}

/// What a call is about: a file and a folder, and a name that nothing else has.
struct Subject {
    file: Value,
    folder: Value,
    name: String,
}

/// A space in which everything may be called.
struct Place<'a> {
    stack: &'a Stack,
    acme: Tenant,
    /// The config that is open to strangers.
    config: String,
    /// Signed addresses, to upload to and to announce at.
    signed: [String; 2],
    calls: u32,
}

impl Place<'_> {
    async fn new(stack: &Stack) -> Place<'_> {
        let acme = stack.space("Acme").await;
        let body = json!({
            "space_id": acme.id, "name": OPEN, "allow_unsigned": true,
            "unsigned_restrictions": {"allowed_referrers": ["example.com"], "require_https": false},
        });
        let config = text(
            &acme
                .client
                .post("/upload-configs", body)
                .await
                .expect_created()["id"],
        );
        let body = json!({"upload_config_id": config, "expiration_minutes": 1440});
        let signed = acme
            .client
            .post("/upload/generate-signed-url", body)
            .await
            .expect_ok();
        let signed = [text(&signed["url"]), text(&signed["presign_url"])];

        Place {
            stack,
            acme,
            config,
            signed,
            calls: 0,
        }
    }

    /// A space key and a member of each role.
    async fn callers(&self) -> Vec<Caller> {
        let mut callers = Vec::new();
        for role in ROLES {
            callers.push(Caller {
                client: self.acme.role(role).await,
                role,
                member: None,
            });
            callers.push(self.member(role).await);
        }

        callers
    }

    async fn member(&self, role: &'static str) -> Caller {
        let member = self.stack.user().await;
        self.stack.add_member(&member, &self.acme, role).await;
        Caller {
            client: member.client.clone(),
            role,
            member: Some(member),
        }
    }

    /// A file that the caller has uploaded; none, where the caller can have none.
    async fn own(&self, caller: &Caller, name: &str) -> Option<Value> {
        match &caller.member {
            _ if is_enough(caller.role, "user") => Some(self.uploaded(&caller.client, name).await),
            // A viewer may have been more than that.
            Some(member) => {
                self.stack.add_member(member, &self.acme, "user").await;
                let file = self.uploaded(&caller.client, name).await;
                self.stack.add_member(member, &self.acme, caller.role).await;
                Some(file)
            }
            None => None,
        }
    }

    async fn uploaded(&self, client: &Client, name: &str) -> Value {
        let form = form(&self.acme.handle, "a.txt", "text/plain", "some text");
        client
            .upload(form.text("ref", name.to_owned()))
            .await
            .expect_created()
    }

    /// Uploads as a stranger, by a signed address or without.
    async fn of_anonymous(&self, is_signed: bool) -> Value {
        let route = [
            "/upload/unsigned/{spaceHandle}/{configName}",
            "/upload/signed",
        ][usize::from(is_signed)];
        let row = ROWS.iter().find(|row| row.path == route).expect("a row");
        let nothing = Subject {
            file: Value::Null,
            folder: Value::Null,
            name: "stranger".to_owned(),
        };
        let anonymous = &self.stack.anonymous;
        let uploaded = anonymous
            .send(self.request(row, anonymous, &nothing))
            .await
            .expect_created();

        self.acme
            .client
            .get(&format!("/files/{}", text(&uploaded["id"])))
            .await
            .expect_ok()
    }

    /// What the next call is about. Its file is the caller's own, or the space's owner's; none,
    /// where there cannot be one.
    async fn subject(&mut self, row: &Row, caller: &Caller, is_own: bool) -> Option<Subject> {
        self.calls += 1;

        let name = format!("call-{:04}", self.calls);
        let (mut file, mut folder) = (Value::Null, Value::Null);

        if is_own {
            file = self.own(caller, &name).await?;
        } else if row.own.is_some() {
            file = self.uploaded(&self.acme.client, &name).await;
        } else if row.path.starts_with("/folders/") {
            let body = json!({"name": format!("{name} before"), "space_id": self.acme.id});
            folder = self
                .acme
                .client
                .post("/folders", body)
                .await
                .expect_created();
        }

        Some(Subject { file, folder, name })
    }

    fn address(&self, row: &Row, subject: &Subject) -> String {
        let of = if row.path.starts_with("/folders") {
            &subject.folder
        } else {
            &subject.file
        };
        let id = of["id"].as_str().unwrap_or_default();
        let path = row.path.replace("{id}", id).replace("{fileId}", id);
        let path = path
            .replace("{spaceHandle}", &self.acme.handle)
            .replace("{configName}", OPEN);
        let space = &self.acme.id;

        match (row.method, row.path, row.way) {
            ("GET", "/files" | "/folders", _) => format!("{path}?space_id={space}"),
            ("GET", "/files/by-ref", _) => format!("{path}?space_id={space}&ref={}", subject.name),
            ("DELETE", "/files", Plain) => format!("{path}?id={id}"),
            (_, "/upload/signed", _) => self.signed[0].clone(),
            (_, "/upload/signed/presign", _) => self.signed[1].clone(),
            _ => path,
        }
    }

    /// The JSON body of a route, where it takes one; of uploads, their fields.
    fn fields(&self, row: &Row, subject: &Subject) -> Option<Value> {
        let (name, id) = (&subject.name, &subject.file["id"]);
        let mut fields = match (row.method, row.path) {
            ("POST", "/folders") => json!({"name": name, "space_id": self.acme.id}),
            ("PUT", "/folders/{id}") => json!({"name": name}),
            ("PUT", path) if path.ends_with("/access-control") => {
                json!({"access_control": {"requires_auth": true}})
            }
            ("PUT", path) if path.ends_with("/security") => {
                json!({"security": {"watermark": {"opacity": 0.1}}})
            }
            ("PUT", _) => json!({"id": id, "ref": format!("{name} after")}),
            ("DELETE", "/files") if row.way == Body => json!({"id": id}),
            ("POST", "/files/urls") => json!({"file_ids": [id], "space_id": self.acme.id}),
            ("POST", "/files/{id}/signed-url") => json!({"expiration_minutes": 5}),
            ("POST", "/upload/generate-signed-url") => json!({"upload_config_id": self.config}),
            ("POST", "/upload" | "/upload/presign") => json!({"space": self.acme.handle}),
            ("POST", "/upload/signed") => {
                json!({"space_id": self.acme.id, "upload_config_id": self.config})
            }
            ("POST", path) if path.starts_with("/upload/") && !path.contains("/confirm/") => {
                json!({})
            }
            _ => return None,
        };
        if row.way == MissingFolder {
            fields["folder_id"] = json!("root");
            fields["folder_path"] = json!(name);
        }

        if row.path.ends_with("/presign") {
            let specified =
                json!({"filename": "a.jpg", "content_type": "image/jpeg", "size": PHOTO.len()});
            fields
                .as_object_mut()
                .expect("an object")
                .extend(specified.as_object().expect("an object").clone());
        }

        Some(fields)
    }

    fn request(&self, row: &Row, client: &Client, subject: &Subject) -> RequestBuilder {
        let request = client
            .request(row.method, &self.address(row, subject))
            .header("referer", "https://example.com/");
        let is_form = row.method == "POST"
            && (matches!(row.path, "/upload" | "/upload/signed")
                || row.path.ends_with("{configName}"));

        match self.fields(row, subject) {
            None => request,
            Some(fields) if is_form => {
                let form = Form::new().part("file", file("a.txt", "text/plain", "some text"));
                let fields = fields.as_object().expect("an object").iter();
                request.multipart(fields.fold(form, |form, (name, value)| {
                    form.text(name.clone(), text(value))
                }))
            }
            Some(fields) => request.json(&fields),
        }
    }

    async fn call(&self, row: &Row, caller: &Caller, subject: &Subject) -> Response {
        caller
            .client
            .send(self.request(row, &caller.client, subject))
            .await
    }

    /// Demands that a refused call changed nothing of what it was about.
    async fn assert_untouched(&self, subject: &Subject) {
        for (group, before) in [("files", &subject.file), ("folders", &subject.folder)] {
            if let Some(id) = before["id"].as_str() {
                assert_eq!(
                    self.acme
                        .client
                        .get(&format!("/{group}/{id}"))
                        .await
                        .expect_ok(),
                    *before
                );
            }
        }
    }
}

#[test]
fn role_table_covers_all_file_folder_and_upload_routes() {
    let is_one = |path: &&str| {
        let group = path.split('/').nth(1).unwrap_or_default();
        ["files", "folders", "upload"].contains(&group)
    };
    let operations = openapi::api().operations;
    let routes = operations
        .iter()
        .map(|operation| (operation.endpoint.method, operation.endpoint.path));
    let routes: BTreeSet<_> = routes.filter(|(_, path)| is_one(path)).collect();
    let tabled: BTreeSet<_> = ROWS.iter().map(|row| (row.method, row.path)).collect();

    assert_eq!(tabled, routes);
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn roles_are_enforced_for_own_and_others_files(stack: &Stack) {
    let mut place = Place::new(stack).await;
    let callers = place.callers().await;
    let (mut allowed, mut rejected) = (0, Vec::new());

    for caller in &callers {
        for row in &ROWS {
            for is_own in [false, true] {
                let least = if is_own { row.own } else { Some(row.least) };
                let Some(least) = least else { continue };
                let Some(subject) = place.subject(row, caller, is_own).await else {
                    continue;
                };
                let response = place.call(row, caller, &subject).await;

                if is_enough(caller.role, least) {
                    allowed += 1;
                    response.expect_status(row.success);
                } else {
                    assert_eq!(
                        response.expect_error(403),
                        json!({}),
                        "{} {} as {}",
                        row.method,
                        row.path,
                        caller.role
                    );
                    place.assert_untouched(&subject).await;
                    rejected.push(subject.name);
                }
            }
        }
    }

    assert!(
        allowed > 200 && rejected.len() > 80,
        "{allowed} were allowed, {} refused",
        rejected.len()
    );

    // No folder was made for those who may make none, and nothing renamed.
    for ((_, sort), item) in place.stack.dump().await.items {
        let name = item["name"].as_str().unwrap_or_default();
        assert!(
            !sort.starts_with("FOLDER#") || !rejected.iter().any(|rejected| rejected == name),
            "{sort} {item}"
        );
    }

    stack.run_confirm_checks().await;
    stack.run_purges().await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn anonymous_and_others_files_require_admin(stack: &Stack) {
    let place = Place::new(stack).await;
    let (key, colleague) = (place.acme.role("user").await, place.acme.role("user").await);
    let (member, other) = (place.member("user").await, place.member("user").await);
    let admin = place.acme.role("admin").await;

    for is_deletion in [false, true] {
        let mut files = vec![
            place.of_anonymous(true).await,
            place.of_anonymous(false).await,
        ];
        for client in [
            &place.acme.client,
            &place.stack.account(),
            &colleague,
            &other.client,
        ] {
            files.push(place.uploaded(client, "order").await);
        }

        for file in &files {
            let path = format!("/files/{}", text(&file["id"]));
            let manage = async |client: &Client| {
                if is_deletion {
                    client.delete(&path).await
                } else {
                    client.put(&path, json!({"ref": "x"})).await
                }
            };

            for client in [&key, &member.client] {
                assert_eq!(
                    manage(client).await.expect_error(403),
                    json!({}),
                    "{}",
                    file["uploaded_by"]
                );
            }

            assert_eq!(place.acme.client.get(&path).await.expect_ok(), *file);
            manage(&admin)
                .await
                .expect_status(if is_deletion { 204 } else { 200 });
        }
    }

    stack.run_confirm_checks().await;
    stack.run_purges().await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn file_ownership_follows_user_or_space_key(stack: &Stack) {
    let place = Place::new(stack).await;
    let member = place.member("owner").await;
    let second = member
        .client
        .post("/account/api-keys", json!({"name": "second"}))
        .await
        .expect_created();
    let second = member.client.with_key(&text(&second["key"]));
    let keys = format!("/spaces/{}/api-keys", place.acme.id);
    let made = member
        .client
        .post(&keys, json!({"name": "made by the member", "role": "user"}))
        .await
        .expect_created();
    let made = member.client.with_key(&text(&made["key"]));
    let clients = [&member.client, &second, &made];
    let mut files = Vec::new();
    for client in clients {
        files.push(place.uploaded(client, "order").await);
    }

    // An owner may do everything; a user, what a user may do with its own.
    place
        .stack
        .add_member(
            member.member.as_ref().expect("a member"),
            &place.acme,
            "user",
        )
        .await;

    for (client, statuses) in
        clients
            .into_iter()
            .zip([[200, 200, 403], [200, 200, 403], [403, 403, 200]])
    {
        for (file, status) in files.iter().zip(statuses) {
            let path = format!("/files/{}", text(&file["id"]));
            client
                .put(&path, json!({"ref": "x"}))
                .await
                .expect_status(status);
        }
    }

    stack.run_confirm_checks().await;
    stack.run_purges().await;
}
