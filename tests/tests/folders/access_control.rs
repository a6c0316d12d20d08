//! `PUT` and `DELETE /folders/:id/access-control`: the nearest setting of file, folders and space
//! decides, from the next request on.

use serde_json::{Value, json};
use tests::{Client, PHOTO, Stack, TestSpace, folder_path, seconds, stack_test, text};

use super::create::get_folder;

/// Levels of settings: a space, three nested folders, and a file.
const LEVELS: usize = 5;
/// Index of the file.
const FILE: usize = LEVELS - 1;

/// Levels and their new settings, `None` for a reset.
const CHANGES: [(usize, Option<bool>); 22] = [
    (0, Some(true)),
    (1, Some(false)),
    (2, Some(true)),
    (3, Some(false)),
    (FILE, Some(true)),
    (FILE, Some(false)),
    (3, Some(true)),
    (FILE, None),
    (2, Some(false)),
    (3, None),
    (1, Some(true)),
    (2, None),
    (0, Some(false)),
    (1, None),
    (0, Some(true)),
    (3, Some(false)),
    (FILE, Some(true)),
    (3, None),
    (0, None),
    (FILE, None),
    (2, Some(true)),
    (2, None),
];

/// Returns an effective setting that is set on the resource itself only if the source is direct.
pub(super) fn effective(requires_auth: bool, source: &str, inherited_from: &Value) -> Value {
    let public_read = !requires_auth;
    let setting = (source == "direct").then_some(requires_auth);
    json!({
        "requires_auth": requires_auth, "public_read": public_read, "source": source,
        "inherited_from": inherited_from, "setting": setting,
    })
}

/// Returns the effective setting of a resource that has another setting itself.
fn with_setting(effective: &Value, setting: bool) -> Value {
    let mut effective = effective.clone();
    effective["setting"] = json!(setting);
    effective
}

/// Uploads the photo into a folder.
pub(super) async fn upload_to(acme: &TestSpace, folder: &Value, config: &str) -> Value {
    let photo = acme.upload(PHOTO).into(folder);
    photo.with_config(config).await.record
}

/// A file with all levels of settings above it, from outside in.
struct AccessFixture {
    acme: TestSpace,
    viewer: Client,
    ids: [Value; LEVELS],
    url: String,
}

impl AccessFixture {
    async fn new(stack: &Stack) -> AccessFixture {
        let acme = stack.space("Acme").await;
        let outer = acme.folder("Outer").await;
        let middle = acme.folder("Middle").inside(&outer).await;
        let inner = acme.folder("Inner").inside(&middle).await;
        let file = upload_to(&acme, &inner, "starter").await;
        let [outer, middle, inner, id] = [outer.record, middle.record, inner.record, file.clone()]
            .map(|record| record["id"].clone());
        let viewer = acme.role("viewer").await;
        let space = json!(acme.id);

        AccessFixture {
            acme,
            viewer,
            ids: [space, outer, middle, inner, id],
            url: text(&file["url"]),
        }
    }

    fn path_of(&self, level: usize) -> String {
        let resource = ["spaces", "folders", "folders", "folders", "files"][level];
        format!("/{resource}/{}", text(&self.ids[level]))
    }

    /// Returns the effective setting of a level.
    fn expected(&self, settings: [Option<bool>; LEVELS], level: usize) -> Value {
        let mut levels = (1..=level).rev();
        let nearest = levels.find(|index| settings[*index].is_some());
        let index = nearest.unwrap_or(0);
        let requires_auth = settings[index].unwrap_or(false);
        let source = match index {
            0 => "space",
            own if own == level => "direct",
            _ => "folder",
        };
        effective(requires_auth, source, &self.ids[index])
    }

    async fn change(&self, level: usize, to: Option<bool>) -> Value {
        let address = format!("{}/access-control", self.path_of(level));
        let client = &self.acme.client;
        match to {
            Some(value) => {
                client
                    .put_ok(
                        &address,
                        json!({"access_control": {"requires_auth": value}}),
                    )
                    .await
            }
            None => client.delete(&address).await.expect_ok(),
        }
    }
}

#[stack_test]
async fn nearest_access_setting_takes_effect_at_once(stack: &Stack) {
    let fixture = AccessFixture::new(stack).await;
    let mut settings = [None; LEVELS];

    for (level, to) in CHANGES {
        settings[level] = to;
        let response = fixture.change(level, to).await;
        for index in 1..LEVELS {
            let found = fixture.acme.get_ok(&fixture.path_of(index)).await;
            assert_eq!(
                found["access_control"],
                fixture.expected(settings, index),
                "{index} by {settings:?}"
            );
            assert!(
                index != level || found == response,
                "{index} by {settings:?}: {response}"
            );
        }
        let is_protected = fixture.expected(settings, FILE)["requires_auth"] == true;
        stack
            .anonymous
            .get(&fixture.url)
            .await
            .expect_status(if is_protected { 403 } else { 200 });
        fixture.viewer.fetch(&fixture.url).await;
    }

    assert_eq!(settings, [None; LEVELS], "all is as it was");
}

/// A folder with a file, in a space without settings.
struct FolderWithFile<'a> {
    stack: &'a Stack,
    acme: TestSpace,
    folder: Value,
    file: Value,
}

impl FolderWithFile<'_> {
    async fn new(stack: &Stack) -> FolderWithFile<'_> {
        let acme = stack.space("Acme").await;
        let folder = acme.folder("Photos").await.record;
        let file = upload_to(&acme, &folder, "starter").await;
        FolderWithFile {
            stack,
            acme,
            folder,
            file,
        }
    }

    /// Changes the setting of the folder, a second after the last change.
    async fn put(&self, body: Value) -> Value {
        self.stack.clock.advance(seconds(1));
        let path = format!("{}/access-control", folder_path(&self.folder));
        self.acme.put_ok(&path, body).await
    }

    async fn reset(&self) -> Value {
        let path = format!("{}/access-control", folder_path(&self.folder));
        self.acme.delete(&path).await.expect_ok()
    }

    /// Asserts the setting of the folder, as a response to a change returned it, and its effect on
    /// the file. `None` stands for the setting of the space.
    async fn assert_setting(&self, response: &Value, requires_auth: Option<bool>) {
        let expected = |source: &str| match requires_auth {
            None => effective(false, "space", &json!(self.acme.id)),
            Some(requires_auth) => effective(requires_auth, source, &self.folder["id"]),
        };
        assert_eq!(response["access_control"], expected("direct"));
        assert_eq!(&get_folder(&self.acme, &self.folder).await, response);

        let path = format!("/files/{}", text(&self.file["id"]));
        let file = self.acme.get_ok(&path).await;
        assert_eq!(file["access_control"], expected("folder"));

        let status = if requires_auth == Some(true) {
            403
        } else {
            200
        };
        let url = text(&self.file["url"]);
        self.stack.anonymous.get(&url).await.expect_status(status);
    }
}

#[stack_test]
async fn one_flag_implies_other_and_empty_change_keeps_both(stack: &Stack) {
    let fixture = FolderWithFile::new(stack).await;

    for body in [
        json!({}),
        json!({"access_control": null}),
        json!({"access_control": {}}),
        json!({"access_control": {"odd": 1}, "requires_auth": true}),
    ] {
        fixture.assert_setting(&fixture.put(body).await, None).await;
    }

    for (flags, requires_auth) in [
        (json!({"requires_auth": true}), true),
        (json!({"public_read": false}), true),
        (json!({"requires_auth": false}), false),
        (json!({"requires_auth": true, "public_read": true}), true),
        (json!({"requires_auth": false, "public_read": false}), true),
        (json!({"public_read": true}), false),
        (json!({}), false),
        (json!({"requires_auth": true, "public_read": false}), true),
        (json!({"requires_auth": false, "public_read": true}), false),
    ] {
        let changed = fixture.put(json!({"access_control": flags})).await;
        fixture.assert_setting(&changed, Some(requires_auth)).await;
    }
    let unchanged = fixture.put(json!({})).await;
    fixture.assert_setting(&unchanged, Some(false)).await;
}

#[stack_test]
async fn reset_removes_earlier_flags(stack: &Stack) {
    let fixture = FolderWithFile::new(stack).await;
    let protected = json!({"access_control": {"requires_auth": true, "public_read": false}});
    let public = json!({"access_control": {"public_read": true}});

    fixture.put(protected.clone()).await;
    for _ in 0..2 {
        fixture.assert_setting(&fixture.reset().await, None).await;
    }

    // A flag that was never set is not inherited.
    let of_space = format!("/spaces/{}/access-control", fixture.acme.id);
    fixture.acme.put_ok(&of_space, protected).await;
    let public = fixture.put(public).await;
    fixture.assert_setting(&public, Some(false)).await;
}

#[stack_test]
async fn invalid_access_control_reports_all_errors(acme: &TestSpace) {
    let photos = acme.folder("Photos").await;
    let path = format!("{}/access-control", folder_path(&photos));
    let message = |name: &str| {
        json!([format!(
            "The access control.{name} field must be true or false."
        )])
    };
    let no_object = json!({"access_control": ["The access control field must be an object."]});

    for (value, errors) in [
        (json!("public"), no_object.clone()),
        (json!([]), no_object.clone()),
        (json!(true), no_object),
        (
            json!({"requires_auth": "true", "public_read": null}),
            json!({
                "access_control.requires_auth": message("requires auth"),
                "access_control.public_read": message("public read"),
            }),
        ),
        (
            json!({"requires_auth": 1, "public_read": false}),
            json!({"access_control.requires_auth": message("requires auth")}),
        ),
    ] {
        let response = acme.put(&path, json!({"access_control": value})).await;
        assert_eq!(response.expect_error(422), errors, "{value}");
    }

    assert_eq!(get_folder(acme, &photos).await, photos);
}

#[stack_test]
async fn protected_delivery_type_overrides_folders(stack: &Stack, acme: &TestSpace) {
    let client = &acme.client;
    let viewer = acme.role("viewer").await;
    let photos = acme.folder("Photos").await;
    let folder_access = format!("{}/access-control", folder_path(&photos));
    let set = |protected: bool| json!({"access_control": {"requires_auth": protected}});
    for kind in ["private", "authenticated"] {
        client.put_ok(&folder_access, set(false)).await;
        let config = acme.upload_config(kind).with_delivery_type(kind).await["id"].clone();
        let file = upload_to(acme, &photos, kind).await;
        let path = format!("/files/{}", text(&file["id"]));
        let check = async |response: Value, expected: Value, anonymous: u16| {
            assert_eq!(response["access_control"], expected, "{kind}");
            assert_eq!(
                client.get_ok(&path).await["access_control"],
                expected,
                "{kind}"
            );
            stack
                .anonymous
                .get(&text(&file["url"]))
                .await
                .expect_status(anonymous);
            viewer.fetch(&text(&file["url"])).await;
        };
        let by_type = effective(true, "upload_config", &config);
        check(file.clone(), by_type.clone(), 403).await;
        let direct = client
            .put_ok(&format!("{path}/access-control"), set(false))
            .await;
        check(direct, with_setting(&by_type, false), 403).await;
        check(
            client
                .delete(&format!("{path}/access-control"))
                .await
                .expect_ok(),
            by_type.clone(),
            403,
        )
        .await;

        let public = client.put_ok(&path, json!({"type": "upload"})).await;
        check(public, effective(false, "folder", &photos["id"]), 200).await;
        client.put_ok(&folder_access, set(true)).await;
        check(
            client.get_ok(&path).await,
            effective(true, "folder", &photos["id"]),
            403,
        )
        .await;
        client.delete(&folder_access).await.expect_ok();
        check(
            client.get_ok(&path).await,
            effective(false, "space", &json!(acme.id)),
            200,
        )
        .await;
        check(
            client.put_ok(&path, json!({"type": kind})).await,
            by_type,
            403,
        )
        .await;
    }
}
