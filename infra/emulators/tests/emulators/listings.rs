//! Listings and their pages.

use aws_sdk_s3::{operation::list_objects_v2::ListObjectsV2Output, types::EncodingType};

use crate::support::{Emulation, allow, code, media, principal, put_object};

fn keys(page: &ListObjectsV2Output) -> Vec<&str> {
    page.contents()
        .iter()
        .filter_map(|object| object.key())
        .collect()
}

fn common_prefixes(page: &ListObjectsV2Output) -> Vec<&str> {
    page.common_prefixes()
        .iter()
        .filter_map(|prefix| prefix.prefix())
        .collect()
}

#[tokio::test]
async fn pages_contain_every_key_once() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let mut all_keys: Vec<String> = (0..23).map(|number| format!("k/{number:02}")).collect();
    all_keys.extend(["k/é".to_owned(), "k/\u{10ffff}".to_owned(), "l".to_owned()]);
    for key in &all_keys {
        put_object(&client, key, "x").await.unwrap();
    }

    let mut seen = Vec::new();
    let mut token = None;

    loop {
        let page = client
            .list_objects_v2()
            .bucket("media")
            .prefix("k/")
            .max_keys(7);
        let page = page.set_continuation_token(token).send().await.unwrap();
        assert_eq!(page.key_count(), i32::try_from(page.contents().len()).ok());
        seen.extend(keys(&page).into_iter().map(str::to_owned));
        token = page.next_continuation_token;
        assert_eq!(page.is_truncated, Some(token.is_some()));
        if token.is_none() {
            break;
        }
        // A key before the current page is not listed.
        put_object(&client, "k/0", "x").await.unwrap();
    }

    assert_eq!(seen, all_keys[..25]);

    let garbled = client
        .list_objects_v2()
        .bucket("media")
        .continuation_token("!")
        .send()
        .await;

    assert_eq!(code(garbled.unwrap_err()), "InvalidArgument");
}

#[tokio::test]
async fn delimiter_groups_keys_into_common_prefixes() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    for key in [
        "a",
        "b/1",
        "b/2",
        "b/\u{10ffff}\u{10ffff}",
        "b0",
        "c/d/1",
        "c/d/2",
        "e",
    ] {
        put_object(&client, key, "x").await.unwrap();
    }

    let list = || client.list_objects_v2().bucket("media").delimiter("/");
    let root = list().send().await.unwrap();
    assert_eq!(keys(&root), ["a", "b0", "e"]);
    assert_eq!(common_prefixes(&root), ["b/", "c/"]);
    assert_eq!(root.key_count(), Some(5));

    let below_c = list().prefix("c/").send().await.unwrap();
    assert!(keys(&below_c).is_empty());
    assert_eq!(common_prefixes(&below_c), ["c/d/"]);

    let mut token = None;
    let mut seen = Vec::new();
    loop {
        let page = list()
            .max_keys(1)
            .set_continuation_token(token)
            .send()
            .await
            .unwrap();
        let listed = keys(&page).into_iter().chain(common_prefixes(&page));
        seen.extend(listed.map(str::to_owned));
        token = page.next_continuation_token;
        if token.is_none() {
            break;
        }
    }

    assert_eq!(seen, ["a", "b/", "b0", "c/", "e"]);
}

#[tokio::test]
async fn start_after_and_max_keys_limit_a_page() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    for key in ["a", "b", "b!", "c d"] {
        put_object(&client, key, "x").await.unwrap();
    }
    let list = || client.list_objects_v2().bucket("media");

    let after_b = list().start_after("b").send().await.unwrap();
    assert_eq!(keys(&after_b), ["b!", "c d"]);

    let full = list().max_keys(5000).send().await.unwrap();
    assert_eq!(full.key_count(), Some(4));
    assert_eq!(full.max_keys(), Some(1000));

    let encoded = list().encoding_type(EncodingType::Url).start_after("b");
    assert_eq!(keys(&encoded.send().await.unwrap()), ["b%21", "c%20d"]);

    let empty = list().max_keys(0).send().await.unwrap_err();
    assert_eq!(code(empty), "NotImplemented");
}

#[tokio::test]
async fn listing_requires_permission_on_the_bucket() {
    let emulation = Emulation::with(&media()).await;
    emulation.emulators.register_principal(principal(
        "lister",
        [allow("s3:ListBucket", "arn:aws:s3:::media")],
    ));
    emulation.emulators.register_principal(principal(
        "other",
        [
            allow("s3:ListBucket", "arn:aws:s3:::media/*"),
            allow("s3:GetObject", "*"),
        ],
    ));

    let list = |principal: &str| {
        emulation
            .s3(principal)
            .list_objects_v2()
            .bucket("media")
            .send()
    };

    assert_eq!(list("lister").await.unwrap().key_count(), Some(0));
    assert_eq!(code(list("other").await.unwrap_err()), "AccessDenied");
}
