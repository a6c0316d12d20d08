//! `GET /upload-configs` and `GET /upload-configs/all`.

use serde_json::Value;
use tests::{Stack, seconds, stack_test};

fn items(page: &Value) -> Vec<Value> {
    page["data"].as_array().expect("a list").clone()
}

/// Returns the configs of a space with four more configs, after asserting that all its lists are
/// equal.
async fn list_of_new_space(stack: &Stack, name: &str) -> Vec<Value> {
    stack.clock.advance(seconds(1));
    let space = stack.space(name).await;
    for number in 0..4 {
        stack.clock.advance(seconds(1));
        space.upload_config(&format!("config{number}")).await;
    }

    let path = format!("/upload-configs?space_id={}&limit=100", space.id);
    let configs = items(&stack.account().fetch(&path).await.json());
    let names: Vec<&Value> = configs.iter().map(|config| &config["name"]).collect();
    let expected = ["config3", "config2", "config1", "config0", "starter"];
    assert_eq!(names, expected);
    assert_eq!(configs[0].get("config"), None);

    for path in ["/upload-configs?limit=100", "/upload-configs/all?limit=100"] {
        let own = space.fetch(path).await.json();
        assert_eq!(items(&own), configs, "{path}");
    }

    configs
}

#[stack_test]
async fn lists_return_configs_without_rules(stack: &Stack) {
    let account = stack.account();
    let mut by_space = Vec::new();
    for name in ["One", "Two", "Three"] {
        by_space.push(list_of_new_space(stack, name).await);
    }

    let default_space = account.fetch("/upload-configs?limit=100").await.json();
    by_space.insert(0, items(&default_space));
    by_space.reverse();

    let expected = by_space.concat();

    for limit in [1, 3, 5, 100] {
        let page = async |cursor: &str| {
            let path = format!("/upload-configs/all?limit={limit}&cursor={cursor}");
            account.fetch(&path).await.json()
        };

        let mut last = page("").await;
        let mut forward = vec![items(&last)];
        while let Some(cursor) = last["next_cursor"].as_str() {
            last = page(cursor).await;
            forward.push(items(&last));
        }
        assert_eq!(forward.concat(), expected, "{limit}");

        let mut backward = vec![items(&last)];
        while let Some(cursor) = last["prev_cursor"].as_str() {
            last = page(cursor).await;
            backward.push(items(&last));
        }
        backward.reverse();
        assert_eq!(backward.concat(), expected, "{limit}");
    }
}
