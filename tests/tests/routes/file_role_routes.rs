//! The role that each route of files, folders and uploads requires, and the callers and records to
//! call it with.

use reqwest::{RequestBuilder, multipart::Form};
use serde_json::{Value, json};
use tests::{Client, PHOTO, Response, Stack, TestSpace, User, file, text};

use Variant::{Body, MissingFolder, Plain};

/// Roles, in ascending order.
const ROLES: [&str; 4] = ["viewer", "user", "admin", "owner"];
/// In place of a role: no role suffices.
const NO_ROLE: &str = "none";
/// Name of the upload config that accepts unsigned uploads.
const OPEN: &str = "open";

/// How a route is called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    /// With valid parameters.
    Plain,
    /// With the id in the body instead of the query.
    Body,
    /// With `folder_path` of a folder that does not exist.
    MissingFolder,
}

/// A route, and the roles that it requires.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    /// Minimum role for a file of the caller, if the route is about one file.
    pub(crate) own_file_role: Option<&'static str>,
    /// Minimum role otherwise.
    pub(crate) role: &'static str,
    /// Status of the response to callers with the role.
    pub(crate) success: u16,
    variant: Variant,
}

const fn route(
    method: &'static str,
    path: &'static str,
    role: &'static str,
    success: u16,
) -> Route {
    Route {
        method,
        path,
        own_file_role: None,
        role,
        success,
        variant: Plain,
    }
}

impl Route {
    /// Sets the minimum role for files of the caller.
    const fn own(self, role: &'static str) -> Route {
        Route {
            own_file_role: Some(role),
            ..self
        }
    }

    const fn variant(self, variant: Variant) -> Route {
        Route { variant, ..self }
    }
}

pub(crate) static ROUTES: &[Route] = &[
    route("GET", "/files", "viewer", 200),
    route("GET", "/files/by-ref", "viewer", 200).own("viewer"),
    route("GET", "/files/{id}", "viewer", 200).own("viewer"),
    route("POST", "/files/urls", "viewer", 200).own("viewer"),
    route("POST", "/files/{id}/signed-url", "viewer", 200).own("viewer"),
    route("PUT", "/files/{id}", "admin", 200).own("user"),
    route("PUT", "/files/{id}", "admin", 200)
        .own("admin")
        .variant(MissingFolder),
    route("PUT", "/files", "admin", 200).own("user"),
    route("PUT", "/files", "admin", 200)
        .own("admin")
        .variant(MissingFolder),
    route("DELETE", "/files/{id}", "admin", 204).own("user"),
    route("DELETE", "/files", "admin", 204).own("user"),
    route("DELETE", "/files", "admin", 204)
        .own("user")
        .variant(Body),
    route("PUT", "/files/{id}/access-control", "admin", 200).own("admin"),
    route("DELETE", "/files/{id}/access-control", "admin", 200).own("admin"),
    route("GET", "/folders", "viewer", 200),
    route("POST", "/folders", "admin", 201),
    route("GET", "/folders/{id}", "viewer", 200),
    route("PUT", "/folders/{id}", "admin", 200),
    route("DELETE", "/folders/{id}", "admin", 204),
    route("PUT", "/folders/{id}/access-control", "admin", 200),
    route("DELETE", "/folders/{id}/access-control", "admin", 200),
    route("PUT", "/folders/{id}/security", "admin", 200),
    route("DELETE", "/folders/{id}/security", "admin", 200),
    route("POST", "/upload", "user", 201),
    route("POST", "/upload", "admin", 201).variant(MissingFolder),
    route("POST", "/upload/presign", "user", 201),
    route("POST", "/upload/presign", "admin", 201).variant(MissingFolder),
    route("POST", "/upload/generate-signed-url", "user", 200),
    // The file is already active, so a confirmation returns it.
    route("POST", "/upload/confirm/{fileId}", "admin", 200).own("user"),
    // These routes ignore keys. Anonymous uploads never create folders.
    route("POST", "/upload/signed", "viewer", 201),
    route("POST", "/upload/signed", NO_ROLE, 201).variant(MissingFolder),
    route("POST", "/upload/signed/presign", "viewer", 201),
    route("POST", "/upload/signed/presign", NO_ROLE, 201).variant(MissingFolder),
    route(
        "POST",
        "/upload/unsigned/{spaceHandle}/{configName}",
        "viewer",
        201,
    ),
    route(
        "POST",
        "/upload/unsigned/{spaceHandle}/{configName}/presign",
        "viewer",
        201,
    ),
];

/// Returns whether a role includes another one. No role includes [`NO_ROLE`].
pub(crate) fn is_sufficient(role: &str, min_role: &str) -> bool {
    let level = |name: &str| ROLES.iter().position(|role| *role == name);
    level(min_role).is_some_and(|min_level| level(role) >= Some(min_level))
}

/// A caller with a role in the space.
pub(crate) struct Caller {
    pub(crate) client: Client,
    pub(crate) role: &'static str,
    /// The member whose account key it is, `None` for a space key.
    pub(crate) member: Option<User>,
}

/// The records of a call, null where it has none, and a unique name.
pub(crate) struct Resource {
    file: Value,
    folder: Value,
    pub(crate) name: String,
}

/// A space in which every route can be called.
pub(crate) struct RoleFixture<'a> {
    pub(crate) stack: &'a Stack,
    pub(crate) acme: TestSpace,
    /// Id of the upload config that accepts unsigned uploads.
    config: String,
    /// Signed URL of uploads.
    signed_url: String,
    /// Signed URL of presigned uploads.
    signed_presign_url: String,
    calls: u32,
}

impl RoleFixture<'_> {
    pub(crate) async fn new(stack: &Stack) -> RoleFixture<'_> {
        let acme = stack.space("Acme").await;
        let referrers = json!({"allowed_referrers": ["example.com"], "require_https": false});
        let fields = json!({"allow_unsigned": true, "unsigned_restrictions": referrers});
        let config = acme.upload_config(OPEN).with(fields).await.id;

        let body = json!({"upload_config_id": config, "expiration_minutes": 1440});
        let path = "/upload/generate-signed-url";
        let signed = acme.post_ok(path, body).await;

        RoleFixture {
            stack,
            acme,
            config,
            signed_url: text(&signed["url"]),
            signed_presign_url: text(&signed["presign_url"]),
            calls: 0,
        }
    }

    /// Creates a space key and a member of each role.
    pub(crate) async fn callers(&self) -> Vec<Caller> {
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

    pub(crate) async fn member(&self, role: &'static str) -> Caller {
        let member = self.stack.user().await;
        self.stack.add_member(&member, &self.acme, role).await;
        Caller {
            client: member.client.clone(),
            role,
            member: Some(member),
        }
    }

    /// Uploads a file as the caller. Returns `None` for a space key that may not upload.
    async fn own_file(&self, caller: &Caller, name: &str) -> Option<Value> {
        if is_sufficient(caller.role, "user") {
            return Some(self.upload(&caller.client, name).await);
        }

        // A member who is a viewer now may have uploaded in an earlier role.
        let member = caller.member.as_ref()?;
        self.stack.add_member(member, &self.acme, "user").await;
        let file = self.upload(&caller.client, name).await;
        self.stack.add_member(member, &self.acme, caller.role).await;
        Some(file)
    }

    pub(crate) async fn upload(&self, client: &Client, reference: &str) -> Value {
        let uploader = TestSpace {
            client: client.clone(),
            ..self.acme.clone()
        };
        uploader
            .upload("some text")
            .named("a.txt", "text/plain")
            .with_ref(reference)
            .await
            .record
    }

    /// Uploads anonymously, by a signed URL or unsigned.
    pub(crate) async fn upload_anonymously(&self, is_signed: bool) -> Value {
        let path = if is_signed {
            "/upload/signed"
        } else {
            "/upload/unsigned/{spaceHandle}/{configName}"
        };
        let route = ROUTES
            .iter()
            .find(|route| route.path == path)
            .expect("a route");
        let resource = Resource {
            file: Value::Null,
            folder: Value::Null,
            name: "anonymous".to_owned(),
        };

        let anonymous = &self.stack.anonymous;
        let request = self.request(route, anonymous, &resource);
        let uploaded = anonymous.send(request).await.expect_created();

        let path = format!("/files/{}", text(&uploaded["id"]));
        self.acme.get_ok(&path).await
    }

    /// Creates the records of a call. Its file belongs to the caller if `is_own` is set, else to
    /// the space. Returns `None` if the caller cannot have files.
    pub(crate) async fn resource(
        &mut self,
        route: &Route,
        caller: &Caller,
        is_own: bool,
    ) -> Option<Resource> {
        self.calls += 1;
        let mut resource = Resource {
            file: Value::Null,
            folder: Value::Null,
            name: format!("call-{:04}", self.calls),
        };
        let name = &resource.name;

        if is_own {
            resource.file = self.own_file(caller, name).await?;
        } else if route.own_file_role.is_some() {
            resource.file = self.upload(&self.acme.client, name).await;
        } else if route.path.starts_with("/folders/") {
            let folder = self.acme.folder(&format!("{name} before")).await;
            resource.folder = folder.record;
        }

        Some(resource)
    }

    fn url(&self, route: &Route, resource: &Resource) -> String {
        let record = if route.path.starts_with("/folders") {
            &resource.folder
        } else {
            &resource.file
        };
        let id = record["id"].as_str().unwrap_or_default();
        let path = route.path.replace("{id}", id).replace("{fileId}", id);
        let path = path
            .replace("{spaceHandle}", &self.acme.handle)
            .replace("{configName}", OPEN);
        let space = &self.acme.id;

        match (route.method, route.path, route.variant) {
            ("GET", "/files" | "/folders", _) => format!("{path}?space_id={space}"),
            ("GET", "/files/by-ref", _) => format!("{path}?space_id={space}&ref={}", resource.name),
            ("DELETE", "/files", Plain) => format!("{path}?id={id}"),
            (_, "/upload/signed", _) => self.signed_url.clone(),
            (_, "/upload/signed/presign", _) => self.signed_presign_url.clone(),
            _ => path,
        }
    }

    /// Returns the fields of a request, `None` if it has no body.
    fn fields(&self, route: &Route, resource: &Resource) -> Option<Value> {
        let name = &resource.name;
        let id = &resource.file["id"];
        let mut fields = match (route.method, route.path) {
            ("POST", "/folders") => json!({"name": name, "space_id": self.acme.id}),
            ("PUT", "/folders/{id}") => json!({"name": name}),
            ("PUT", path) if path.ends_with("/access-control") => {
                json!({"access_control": {"requires_auth": true}})
            }
            ("PUT", path) if path.ends_with("/security") => {
                json!({"security": {"watermark": {"opacity": 0.1}}})
            }
            ("PUT", _) => json!({"id": id, "ref": format!("{name} after")}),
            ("DELETE", "/files") if route.variant == Body => json!({"id": id}),
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
        if route.variant == MissingFolder {
            fields["folder_id"] = json!("root");
            fields["folder_path"] = json!(name);
        }

        if route.path.ends_with("/presign") {
            let declared =
                json!({"filename": "a.jpg", "content_type": "image/jpeg", "size": PHOTO.len()});
            fields
                .as_object_mut()
                .expect("an object")
                .extend(declared.as_object().expect("an object").clone());
        }

        Some(fields)
    }

    fn request(&self, route: &Route, client: &Client, resource: &Resource) -> RequestBuilder {
        let request = client
            .request(route.method, &self.url(route, resource))
            .header("referer", "https://example.com/");
        let is_form = route.method == "POST"
            && (matches!(route.path, "/upload" | "/upload/signed")
                || route.path.ends_with("{configName}"));

        match self.fields(route, resource) {
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

    pub(crate) async fn call(
        &self,
        route: &Route,
        caller: &Caller,
        resource: &Resource,
    ) -> Response {
        let request = self.request(route, &caller.client, resource);
        caller.client.send(request).await
    }

    /// Asserts that the records of a rejected call are unchanged.
    pub(crate) async fn assert_unchanged(&self, resource: &Resource) {
        for (group, before) in [("files", &resource.file), ("folders", &resource.folder)] {
            if let Some(id) = before["id"].as_str() {
                let response = self.acme.get(&format!("/{group}/{id}")).await;
                assert_eq!(response.expect_ok(), *before);
            }
        }
    }
}
