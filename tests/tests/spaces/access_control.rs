//! `PUT` and `DELETE /spaces/:id/access-control`.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, assert_fields, rows, seconds, stack_test};

/// Returns settings that are sent in sequence, and whether the space requires authentication after each.
fn settings() -> Vec<(Value, bool)> {
    rows(json!([
        [{"requires_auth": true}, true],
        [{"requires_auth": false}, false],
        [{"public_read": false}, true],
        [{}, true],
        [null, true],
        [{"public_read": true, "unknown": 1}, false],
        [{}, false],
        [{"requires_auth": true, "public_read": true}, true],
        [{"requires_auth": false, "public_read": true}, false],
        [{"requires_auth": false, "public_read": false}, true],
        [{"requires_auth": true, "public_read": false}, true],
    ]))
}

#[stack_test]
async fn one_flag_implies_other_and_delivery_follows_at_once(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let path = format!("{}/access-control", acme.path());
    let file = acme.upload(PHOTO).await;
    let viewer = acme.role("viewer").await;

    for (setting, closed) in settings() {
        stack.clock.advance(seconds(1));
        let body = json!({"access_control": setting});
        let updated = acme.put_ok(&path, body).await;

        let effective = json!({"requires_auth": closed, "public_read": !closed});
        assert_eq!(updated["access_control"], effective, "{setting}");
        assert_eq!(acme.get_ok(&acme.path()).await, updated, "{setting}");
        for outsider in [&stack.anonymous, other] {
            let status = if closed { 403 } else { 200 };
            outsider.get(file.url()).await.expect_status(status);
        }
        for member in [&viewer, &stack.account()] {
            member.fetch(file.url()).await.expect_body(PHOTO);
        }
        let record = acme.get_ok(file.path()).await;
        assert_fields(&record["access_control"], effective);
        let inherited = json!({"source": "space", "inherited_from": acme.id, "setting": null});
        assert_fields(&record["access_control"], inherited);
    }

    let before = acme.get_ok(&acme.path()).await;
    let unchanged = acme.put_ok(&path, json!({"requires_auth": false})).await;
    assert_eq!(unchanged["access_control"], before["access_control"]);

    let reset = acme.set_access(&acme.path(), None).await;
    let open = json!({"requires_auth": false, "public_read": true});
    assert_eq!(reset["access_control"], open);
    assert_eq!(acme.get_ok(&acme.path()).await, reset);
    stack.anonymous.fetch(file.url()).await;
}

#[stack_test]
async fn invalid_access_control_reports_all_errors(acme: &TestSpace) {
    let path = format!("{}/access-control", acme.path());
    let before = acme.get_ok(&acme.path()).await;
    let not_object = json!({"access_control": ["The access control field must be an object."]});
    let requires_auth = "The access control.requires auth field must be true or false.";
    let public_read = "The access control.public read field must be true or false.";
    let first = json!({"access_control.requires_auth": [requires_auth]});
    let both = json!({
        "access_control.requires_auth": [requires_auth], "access_control.public_read": [public_read],
    });

    for (value, errors) in [
        (json!("public"), &not_object),
        (json!([]), &not_object),
        (json!({"requires_auth": "true", "public_read": null}), &both),
        (json!({"requires_auth": 1, "public_read": false}), &first),
    ] {
        let body = json!({"access_control": value});
        assert_eq!(acme.put_err(422, &path, body).await, *errors, "{value}");
    }

    assert_eq!(acme.get_ok(&acme.path()).await, before);
}
