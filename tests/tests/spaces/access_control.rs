//! `PUT` and `DELETE /spaces/:id/access-control`.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, seconds, stack_test};

/// Returns requests in sequence, and whether the space requires authentication after each.
fn access_settings() -> [(Value, bool); 12] {
    [
        (json!({"access_control": {"requires_auth": true}}), true),
        (json!({"access_control": {"requires_auth": false}}), false),
        (json!({"access_control": {"public_read": false}}), true),
        (json!({"access_control": {}}), true),
        (json!({"access_control": null}), true),
        (json!({}), true),
        (
            json!({"access_control": {"public_read": true, "unknown": 1}, "requires_auth": true}),
            false,
        ),
        (json!({"access_control": {}}), false),
        (
            json!({"access_control": {"requires_auth": true, "public_read": true}}),
            true,
        ),
        (
            json!({"access_control": {"requires_auth": false, "public_read": true}}),
            false,
        ),
        (
            json!({"access_control": {"requires_auth": false, "public_read": false}}),
            true,
        ),
        (
            json!({"access_control": {"requires_auth": true, "public_read": false}}),
            true,
        ),
    ]
}

#[stack_test]
async fn one_flag_implies_other_and_delivery_follows_at_once(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let space = acme.path();
    let path = format!("{space}/access-control");
    let file = acme.upload(PHOTO).await;
    let id = file["id"].as_str().expect("an id");
    let url = file["url"].as_str().expect("a URL");
    let viewer = acme.role("viewer").await;

    for (body, closed) in access_settings() {
        stack.clock.advance(seconds(1));
        let updated = acme.put_ok(&path, body.clone()).await;
        assert_eq!(
            updated["access_control"],
            json!({"requires_auth": closed, "public_read": !closed}),
            "{body}"
        );
        assert_eq!(acme.get_ok(&space).await, updated, "{body}");
        let anonymous_status = if closed { 403 } else { 200 };
        stack
            .anonymous
            .get(url)
            .await
            .expect_status(anonymous_status);
        other.get(url).await.expect_status(anonymous_status);
        for member in [&viewer, &stack.account()] {
            assert!(member.fetch(url).await.body == PHOTO, "{body}");
        }
        let effective = json!({
            "requires_auth": closed, "public_read": !closed, "source": "space", "inherited_from": acme.id,
            "setting": null,
        });
        assert_eq!(
            acme.get_ok(&format!("/files/{id}")).await["access_control"],
            effective,
            "{body}"
        );
    }

    let reset = acme.delete(&path).await.expect_ok();
    assert_eq!(
        reset["access_control"],
        json!({"requires_auth": false, "public_read": true})
    );
    assert_eq!(acme.get_ok(&space).await, reset);

    stack.anonymous.fetch(url).await;
}

#[stack_test]
async fn invalid_access_control_reports_all_errors(acme: &TestSpace) {
    let path = format!("/spaces/{}/access-control", acme.id);
    let message = |name: &str| json!([format!("The {name} field must be true or false.")]);

    for (value, errors) in [
        (
            json!("public"),
            json!({"access_control": ["The access control field must be an object."]}),
        ),
        (
            json!([]),
            json!({"access_control": ["The access control field must be an object."]}),
        ),
        (
            json!({"requires_auth": "true", "public_read": null}),
            json!({
                "access_control.requires_auth": message("access control.requires auth"),
                "access_control.public_read": message("access control.public read"),
            }),
        ),
        (
            json!({"requires_auth": 1, "public_read": false}),
            json!({"access_control.requires_auth": message("access control.requires auth")}),
        ),
    ] {
        let rejected: Value = acme
            .put_err(422, &path, json!({"access_control": value}))
            .await;
        assert_eq!(rejected, errors, "{value}");
    }

    let updated = acme.get_ok(&acme.path()).await;

    assert_eq!(
        updated["access_control"],
        json!({"requires_auth": false, "public_read": true})
    );
}
