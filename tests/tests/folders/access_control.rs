//! `PUT` and `DELETE /folders/:id/access-control`: the nearest setting of file, folders and space
//! decides, from the next request on.

use serde_json::{Value, json};
use tests::{File, Folder, PHOTO, Stack, TestSpace, seconds, stack_test};

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
fn effective(requires_auth: bool, source: &str, inherited_from: &str) -> Value {
    let public_read = !requires_auth;
    let setting = (source == "direct").then_some(requires_auth);
    json!({
        "requires_auth": requires_auth, "public_read": public_read, "source": source,
        "inherited_from": inherited_from, "setting": setting,
    })
}

/// Returns the effective setting of a level.
fn expected(ids: [&str; LEVELS], settings: [Option<bool>; LEVELS], level: usize) -> Value {
    let mut levels = (1..=level).rev();
    let nearest = levels.find(|index| settings[*index].is_some());
    let index = nearest.unwrap_or(0);
    let source = match index {
        0 => "space",
        own if own == level => "direct",
        _ => "folder",
    };
    effective(settings[index].unwrap_or(false), source, ids[index])
}

#[stack_test]
async fn nearest_access_setting_takes_effect_at_once(stack: &Stack, acme: &TestSpace) {
    let outer = acme.folder("Outer").await;
    let middle = acme.folder("Middle").inside(&outer).await;
    let inner = acme.folder("Inner").inside(&middle).await;
    let file = acme.upload(PHOTO).into(&inner).await;
    let space = acme.path();
    let paths = [
        &space,
        outer.path(),
        middle.path(),
        inner.path(),
        file.path(),
    ];
    let ids = [&*acme.id, &outer.id, &middle.id, &inner.id, &file.id];
    let mut settings = [None; LEVELS];

    for (level, to) in CHANGES {
        settings[level] = to;
        let response = acme.set_access(paths[level], to).await;

        for (index, path) in paths.iter().enumerate().skip(1) {
            let found = acme.get_ok(path).await;
            let expected = expected(ids, settings, index);
            assert_eq!(found["access_control"], expected, "{index}: {settings:?}");
            assert!(index != level || found == response, "{response}");
        }
        let is_closed = expected(ids, settings, FILE)["requires_auth"] == true;
        let status = if is_closed { 403 } else { 200 };
        stack.anonymous.fetch_as(status, file.url(), &[]).await;
        acme.fetch(file.url()).await;
    }
}

/// A folder with a file, in a space without settings.
struct FolderWithFile<'a> {
    stack: &'a Stack,
    acme: &'a TestSpace,
    folder: Folder,
    file: File,
}

impl FolderWithFile<'_> {
    async fn new<'a>(stack: &'a Stack, acme: &'a TestSpace) -> FolderWithFile<'a> {
        let folder = acme.folder("Photos").await;
        FolderWithFile {
            stack,
            acme,
            file: acme.upload(PHOTO).into(&folder).await,
            folder,
        }
    }

    /// Changes the setting of the folder, a second after the last change. Asserts the response, and the
    /// effect on the file. `None` stands for the setting of the space.
    async fn assert_put(&self, body: Value, requires_auth: Option<bool>) {
        self.stack.clock.advance(seconds(1));
        let path = format!("{}/access-control", self.folder.path());
        let changed = self.acme.put_ok(&path, body).await;
        self.assert_setting(&changed, requires_auth).await;
    }

    async fn assert_setting(&self, changed: &Value, requires_auth: Option<bool>) {
        let expected = |source: &str| match requires_auth {
            None => effective(false, "space", &self.acme.id),
            Some(requires_auth) => effective(requires_auth, source, &self.folder.id),
        };
        assert_eq!(changed["access_control"], expected("direct"));
        assert_eq!(&get_folder(self.acme, &self.folder).await, changed);

        let file = self.acme.get_ok(self.file.path()).await;
        assert_eq!(file["access_control"], expected("folder"));
        let is_closed = requires_auth == Some(true);
        let status = if is_closed { 403 } else { 200 };
        let anonymous = &self.stack.anonymous;
        anonymous.fetch_as(status, self.file.url(), &[]).await;
    }
}

#[stack_test]
async fn one_flag_implies_other_and_empty_change_keeps_both(stack: &Stack, acme: &TestSpace) {
    let fixture = FolderWithFile::new(stack, acme).await;

    for body in [
        json!({}),
        json!({"access_control": null}),
        json!({"access_control": {}}),
        json!({"access_control": {"odd": 1}, "requires_auth": true}),
    ] {
        fixture.assert_put(body, None).await;
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
        let body = json!({ "access_control": flags });
        fixture.assert_put(body, Some(requires_auth)).await;
    }
    fixture.assert_put(json!({}), Some(false)).await;
}

#[stack_test]
async fn reset_removes_earlier_flags(stack: &Stack, acme: &TestSpace) {
    let fixture = FolderWithFile::new(stack, acme).await;
    let protected = json!({"access_control": {"requires_auth": true, "public_read": false}});

    fixture.assert_put(protected, Some(true)).await;
    for _ in 0..2 {
        let reset = acme.set_access(fixture.folder.path(), None).await;
        fixture.assert_setting(&reset, None).await;
    }

    // A flag that was never set is not inherited.
    acme.set_access(&acme.path(), Some(true)).await;
    let public = json!({"access_control": {"public_read": true}});
    fixture.assert_put(public, Some(false)).await;
}

#[stack_test]
async fn invalid_access_control_reports_all_errors(acme: &TestSpace) {
    let photos = acme.folder("Photos").await;
    let path = format!("{}/access-control", photos.path());
    let no_object = json!({"access_control": ["The access control field must be an object."]});
    let auth = "The access control.requires auth field must be true or false.";
    let read = "The access control.public read field must be true or false.";
    let no_flag = json!({"access_control.requires_auth": [auth]});
    let no_flags =
        json!({"access_control.requires_auth": [auth], "access_control.public_read": [read]});

    for (value, expected) in [
        (json!("public"), &no_object),
        (json!([]), &no_object),
        (json!(true), &no_object),
        (
            json!({"requires_auth": "true", "public_read": null}),
            &no_flags,
        ),
        (json!({"requires_auth": 1, "public_read": false}), &no_flag),
    ] {
        let body = json!({ "access_control": value });
        let errors = acme.put_err(422, &path, body).await;
        assert_eq!(errors, *expected, "{value}");
    }

    assert_eq!(get_folder(acme, &photos).await, photos);
}

#[stack_test]
async fn protected_delivery_type_overrides_folders(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await;
    for kind in ["private", "authenticated"] {
        acme.set_access(photos.path(), Some(false)).await;
        let config = acme.upload_config(kind).with_delivery_type(kind).await;
        let file = acme.upload(PHOTO).into(&photos).of_type(kind).await;
        let check = async |changed: &Value, expected: Value| {
            assert_eq!(changed["access_control"], expected, "{kind}");
            let found = acme.get_ok(file.path()).await;
            assert_eq!(found["access_control"], expected, "{kind}");
            let is_closed = expected["requires_auth"] == true;
            let status = if is_closed { 403 } else { 200 };
            stack.anonymous.fetch_as(status, file.url(), &[]).await;
            acme.fetch(file.url()).await;
        };
        let set_type = async |kind: &str| {
            let body = json!({ "type": kind });
            acme.put_ok(file.path(), body).await
        };

        let by_type = effective(true, "upload_config", &config.id);
        check(&file, by_type.clone()).await;
        let mut with_setting = by_type.clone();
        with_setting["setting"] = json!(false);
        let direct = acme.set_access(file.path(), Some(false)).await;
        check(&direct, with_setting).await;
        let reset = acme.set_access(file.path(), None).await;
        check(&reset, by_type.clone()).await;

        let public = set_type("upload").await;
        check(&public, effective(false, "folder", &photos.id)).await;
        acme.set_access(photos.path(), Some(true)).await;
        let closed = acme.get_ok(file.path()).await;
        check(&closed, effective(true, "folder", &photos.id)).await;
        acme.set_access(photos.path(), None).await;
        let inherited = acme.get_ok(file.path()).await;
        check(&inherited, effective(false, "space", &acme.id)).await;
        check(&set_type(kind).await, by_type).await;
    }
}
