//! `GET /upload-configs` and `GET /upload-configs/all`.

use serde_json::Value;
use tests::{Stack, column, seconds, stack_test, text};

use crate::support::pages::{List, all_ids};

/// Returns the ids of a list of configs.
fn ids(configs: &Value) -> Vec<String> {
    column(configs, "id").iter().map(text).collect()
}

/// Creates a space with four more configs, and asserts that all its lists are equal. Returns the ids of its configs.
async fn configs_of_new_space(stack: &Stack, name: &str) -> Vec<String> {
    stack.clock.advance(seconds(1));
    let space = stack.space(name).await;
    for number in 0..4 {
        stack.clock.advance(seconds(1));
        space.upload_config(&format!("config{number}")).await;
    }

    let path = format!("/upload-configs?space_id={}&limit=100", space.id);
    let configs = stack.account().get_ok(&path).await;
    let expected = ["config3", "config2", "config1", "config0", "starter"];
    assert_eq!(column(&configs, "name"), expected);
    assert_eq!(configs[0].get("config"), None);
    for path in ["/upload-configs?limit=100", "/upload-configs/all?limit=100"] {
        assert_eq!(space.get_ok(path).await, configs, "{path}");
    }
    ids(&configs)
}

#[stack_test]
async fn lists_return_configs_without_rules(stack: &Stack) {
    let account = stack.account();
    let default_space = account.get_ok("/upload-configs?limit=100").await;
    let mut expected = ids(&default_space);
    for name in ["One", "Two", "Three"] {
        let configs = configs_of_new_space(stack, name).await;
        expected = [configs, expected].concat();
    }

    for limit in [1, 3, 5, 100] {
        let all = List::new(&account, "/upload-configs/all", "", limit);
        let forward = all.forward().await;
        let last = forward.last().expect("at least one").clone();
        assert_eq!(all_ids(forward), expected, "{limit}");

        let backward = [all.backward(&last).await, vec![last]].concat();
        assert_eq!(all_ids(backward), expected, "{limit}");
    }
}
