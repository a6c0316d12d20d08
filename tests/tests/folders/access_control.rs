//! `PUT` and `DELETE` of `/spaces/:id/access-control`, `/folders/:id/access-control` and
//! `/files/:id/access-control`. `models::access` compares the settings of nested folders and of the
//! delivery types with a model.

use serde_json::{Value, json};
use tests::{
    Client, File, Folder, PHOTO, Stack, StackOptions, TestSpace, field_errors, rows, seconds,
    stack_test,
};

/// The settings of the levels: space, folder and file.
type Settings = [Option<bool>; 3];

/// A space, a folder in it, and a file in the folder.
struct Levels<'a> {
    stack: &'a Stack,
    acme: &'a TestSpace,
    folder: Folder,
    file: File,
    viewer: Client,
    other: &'a TestSpace,
}

impl Levels<'_> {
    fn paths(&self) -> [String; 3] {
        let paths = [&*self.acme.path(), self.folder.path(), self.file.path()];
        paths.map(str::to_owned)
    }

    /// Returns the access control of a level. The space reports only its flags.
    fn expected(&self, settings: Settings, level: usize) -> Value {
        let nearest = (0..=level).rev().find(|index| settings[*index].is_some());
        let nearest = nearest.unwrap_or(0);
        let requires_auth = settings[nearest].unwrap_or(false);
        let public_read = !requires_auth;
        if level == 0 {
            return json!({"requires_auth": requires_auth, "public_read": public_read});
        }

        let source = match nearest {
            0 => "space",
            own if own == level => "direct",
            _ => "folder",
        };
        let ids = [&self.acme.id, &self.folder.id, &self.file.id];
        json!({
            "requires_auth": requires_auth, "public_read": public_read, "source": source, "inherited_from": ids[nearest],
            "setting": settings[level],
        })
    }

    /// Asserts the response to a change of a level, the record of the file, and its delivery.
    async fn assert(&self, changed: &Value, level: usize, settings: Settings, case: &str) {
        let paths = self.paths();
        let expected = self.expected(settings, level);
        assert_eq!(changed["access_control"], expected, "{case}");
        assert_eq!(self.acme.get_ok(&paths[level]).await, *changed, "{case}");
        let file = self.acme.get_ok(self.file.path()).await;
        let expected = self.expected(settings, 2);
        assert_eq!(file["access_control"], expected, "{case}");

        let is_closed = expected["requires_auth"] == true;
        let status = if is_closed { 403 } else { 200 };
        for outsider in [&self.stack.anonymous, self.other] {
            outsider.fetch_as(status, self.file.url(), &[]).await;
        }
        for member in [&self.viewer, &self.stack.account()] {
            member.fetch(self.file.url()).await.expect_body(PHOTO);
        }
    }
}

/// Returns bodies that are sent in sequence to a level without a setting, and its setting after
/// each.
fn changes() -> Vec<(Value, Option<bool>)> {
    rows(json!([
        [{}, null],
        [{"access_control": null}, null],
        [{"access_control": {}}, null],
        [{"access_control": {"odd": 1}, "requires_auth": true}, null],
        [{"access_control": {"requires_auth": true}}, true],
        [{"access_control": {"requires_auth": false}}, false],
        [{"access_control": {"public_read": false}}, true],
        [{"access_control": {}}, true],
        [{"access_control": null}, true],
        [{"access_control": {"public_read": true, "unknown": 1}}, false],
        [{"access_control": {}}, false],
        [{"access_control": {"requires_auth": true, "public_read": true}}, true],
        [{"access_control": {"requires_auth": false, "public_read": true}}, false],
        [{"access_control": {"requires_auth": false, "public_read": false}}, true],
        [{"access_control": {"public_read": true}}, false],
        [{"access_control": {"requires_auth": true, "public_read": false}}, true],
        [{"requires_auth": false}, true],
        [{}, true],
    ]))
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn one_flag_implies_other_and_delivery_follows_at_once(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let folder = acme.folder("Photos").await;
    let levels = Levels {
        file: acme.upload(PHOTO).into(&folder).await,
        viewer: acme.role("viewer").await,
        stack,
        acme,
        folder,
        other,
    };

    for (level, path) in levels.paths().iter().enumerate() {
        let mut settings = [None; 3];
        let route = format!("{path}/access-control");
        for (body, setting) in changes() {
            stack.clock.advance(seconds(1));
            let changed = acme.put_ok(&route, &body).await;
            settings[level] = setting;
            let case = format!("{path} {body}");
            levels.assert(&changed, level, settings, &case).await;
        }
        for _ in 0..2 {
            let reset = acme.set_access(path, None).await;
            levels.assert(&reset, level, [None; 3], path).await;
        }
    }

    // A flag that was never set is not inherited.
    acme.set_access(&acme.path(), Some(true)).await;
    let public = json!({"access_control": {"public_read": true}});
    let route = format!("{}/access-control", levels.folder.path());
    let changed = acme.put_ok(&route, public).await;
    let settings = [Some(true), Some(false), None];
    levels.assert(&changed, 1, settings, "public_read").await;
}

#[stack_test]
async fn invalid_access_control_reports_all_errors(stack: &Stack, acme: &TestSpace) {
    let folder = acme.folder("Photos").await;
    let file = acme.upload(PHOTO).await;
    let before = stack.dump().await;
    let not_object = field_errors([("access_control", "must be an object")]);
    let not_bool = |name| (name, "must be true or false");
    let requires_auth = not_bool("access_control.requires_auth");
    let first = field_errors([requires_auth]);
    let both = field_errors([requires_auth, not_bool("access_control.public_read")]);

    for path in [&*acme.path(), folder.path(), file.path()] {
        let path = format!("{path}/access-control");
        for (value, expected) in [
            (json!("public"), &not_object),
            (json!([]), &not_object),
            (json!(true), &not_object),
            (json!({"requires_auth": "true", "public_read": null}), &both),
            (json!({"requires_auth": 1, "public_read": false}), &first),
        ] {
            let body = json!({ "access_control": value });
            let errors = acme.put_err(422, &path, body).await;
            assert_eq!(errors, *expected, "{path} {value}");
        }
    }

    stack.assert_unchanged(&before, "invalid flags").await;
}
