//! Addresses that webhooks are not sent to, and how the log shows them.

use std::{
    io,
    net::{IpAddr, SocketAddr},
};

use safe_http::{Network, Stream};
use serde_json::{Value, json};
use tests::{PHOTO, Stack, StackOptions, TestSpace, assert_fields, seconds, stack_test};

use super::fixture::{Hooks, with_network};

/// A network whose only names resolve to private addresses. Connections are not expected.
struct PrivateNetwork;

#[async_trait::async_trait]
impl Network for PrivateNetwork {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let address = match host {
            "private.example.com" => "10.0.0.1",
            "loopback.example.com" => "127.0.0.1",
            "metadata.example.com" => "169.254.169.254",
            "mapped.example.com" => "::ffff:10.0.0.1",
            "localhost" => "192.168.0.1",
            _ => return Err(io::ErrorKind::NotFound.into()),
        };
        Ok(vec![address.parse().expect("an address")])
    }

    async fn connect(&self, address: SocketAddr) -> io::Result<Box<dyn Stream>> {
        panic!("{address} is private")
    }
}

/// Uploads the photo and returns the logged attempt to a URL.
async fn attempt_to(stack: &Stack, hooks: &Hooks, url: &str) -> Value {
    hooks.set_url(url).await;
    hooks.acme.upload(PHOTO).await;
    stack.run_for(seconds(0)).await;

    let message = hooks.messages().await[0].clone();
    assert_fields(&message, json!({"url": url, "status": "pending"}));
    message["attempts"][0].clone()
}

#[stack_test(options = with_network(PrivateNetwork), undrained)]
async fn names_that_resolve_to_private_addresses_are_refused_and_logged(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    stack.run_post_upload().await;
    let urls = [
        "https://private.example.com/",
        "https://loopback.example.com/",
        "https://metadata.example.com/latest/",
        "https://mapped.example.com/",
        "http://localhost:1/",
    ];

    for url in urls {
        let attempt = attempt_to(stack, &hooks, url).await;
        let error = "The host resolves to a private address.";
        let expected = json!({"error": error, "status_code": null, "response_excerpt": null});
        assert_fields(&attempt, expected);
        stack.clock.advance(seconds(1));
    }

    let attempt = attempt_to(stack, &hooks, "https://unknown.example.com/").await;
    assert_eq!(attempt["error"], "The host name cannot be resolved.");
}

/// `spaces::update` tests all reasons for the URL of a space, which is parsed in the same way.
#[stack_test]
async fn private_addresses_are_rejected_when_they_are_set(acme: &TestSpace) {
    for url in ["https://[::ffff:10.0.0.1]/", "http://example.com/"] {
        let config = json!({
            "space_id": acme.id, "name": "web", "config": {"notifications": {"webhook_url": url}},
        });
        let errors = acme.post_err(422, "/upload-configs", config).await;
        let errors = &errors["config.notifications.webhook_url"];
        assert!(errors.is_array(), "{url}");
    }
}

#[stack_test(options = StackOptions::default().with_parameters(&[("AllowLoopbackUrls", "false")]))]
async fn loopback_urls_need_the_parameter(stack: &Stack) {
    let acme = stack.space("Acme").await;
    for url in ["http://127.0.0.1:9000/hook", "http://localhost/hook"] {
        let body = json!({"name": "Acme", "webhook_url": url});
        acme.put_err(422, &acme.path(), body).await;
    }
}
