//! `PUT` and `DELETE /spaces/:id/access-control`.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, seconds, stack_test};

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
async fn one_flag_implies_other_and_delivery_follows_at_once(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let other = stack.space("Other").await;
    let space = format!("/spaces/{}", acme.id);
    let path = format!("{space}/access-control");
    let file = acme.upload(PHOTO).await;
    let id = file["id"].as_str().expect("an id");
    let url = file["url"].as_str().expect("a URL");
    let viewer = acme.role("viewer").await;

    for (body, closed) in access_settings() {
        stack.clock.advance(seconds(1));
        let updated = acme.client.put(&path, body.clone()).await.expect_ok();
        assert_eq!(
            updated["access_control"],
            json!({"requires_auth": closed, "public_read": !closed}),
            "{body}"
        );
        assert_eq!(acme.client.get(&space).await.expect_ok(), updated, "{body}");
        let anonymous_status = if closed { 403 } else { 200 };
        stack
            .anonymous
            .get(url)
            .await
            .expect_status(anonymous_status);
        other.client.get(url).await.expect_status(anonymous_status);
        for member in [&viewer, &stack.account()] {
            assert!(
                member.get(url).await.expect_status(200).body == PHOTO,
                "{body}"
            );
        }
        let effective = json!({
            "requires_auth": closed, "public_read": !closed, "source": "space", "inherited_from": acme.id,
            "setting": null,
        });
        assert_eq!(
            acme.client.get(&format!("/files/{id}")).await.expect_ok()["access_control"],
            effective,
            "{body}"
        );
    }

    let reset = acme.client.delete(&path).await.expect_ok();
    assert_eq!(
        reset["access_control"],
        json!({"requires_auth": false, "public_read": true})
    );
    assert_eq!(acme.client.get(&space).await.expect_ok(), reset);

    stack.anonymous.get(url).await.expect_status(200);
}

#[stack_test]
async fn invalid_access_control_reports_all_errors(stack: &Stack) {
    let acme = stack.space("Acme").await;
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
            .client
            .put(&path, json!({"access_control": value}))
            .await
            .expect_error(422);
        assert_eq!(rejected, errors, "{value}");
    }

    let updated = acme
        .client
        .get(&format!("/spaces/{}", acme.id))
        .await
        .expect_ok();

    assert_eq!(
        updated["access_control"],
        json!({"requires_auth": false, "public_read": true})
    );
}
