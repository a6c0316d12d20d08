//! Listings and their pages.

use aws_sdk_s3::{
    operation::list_objects_v2::{ListObjectsV2Output, builders::ListObjectsV2FluentBuilder},
    types::EncodingType,
};

use crate::support::{Emulation, code};

impl Emulation {
    async fn put_all(&self, keys: &[&str]) {
        for key in keys {
            self.put_object(key, "x").await.unwrap();
        }
    }

    fn list(&self) -> ListObjectsV2FluentBuilder {
        self.s3("unrestricted").list_objects_v2().bucket("media")
    }

    /// Lists page by page. Returns the keys of each page, then its common prefixes. Between pages,
    /// an object is put whose key is before them.
    async fn list_pages(
        &self,
        earlier_key: &str,
        list: impl Fn() -> ListObjectsV2FluentBuilder,
    ) -> Vec<String> {
        let mut seen = Vec::new();
        let mut token = None;
        loop {
            let page = list().set_continuation_token(token).send().await.unwrap();
            let listed = [keys(&page), common_prefixes(&page)].concat();
            assert_eq!(page.key_count(), i32::try_from(listed.len()).ok());
            seen.extend(listed.into_iter().map(str::to_owned));
            token = page.next_continuation_token;
            assert_eq!(page.is_truncated, Some(token.is_some()));
            if token.is_none() {
                return seen;
            }
            self.put_object(earlier_key, "x").await.unwrap();
        }
    }
}

fn keys(page: &ListObjectsV2Output) -> Vec<&str> {
    let contents = page.contents().iter();
    contents.filter_map(|object| object.key()).collect()
}

fn common_prefixes(page: &ListObjectsV2Output) -> Vec<&str> {
    let prefixes = page.common_prefixes().iter();
    prefixes.filter_map(|prefix| prefix.prefix()).collect()
}

#[tokio::test]
async fn pages_contain_every_key_once_in_byte_order() {
    let emulation = Emulation::start().await;
    let numbered: Vec<String> = (0..23).map(|number| format!("k/{number:02}")).collect();
    let mut expected: Vec<&str> = numbered.iter().map(String::as_str).collect();
    expected.extend(["k/é", "k/\u{10ffff}"]);
    emulation.put_all(&["l", "j"]).await;
    emulation.put_all(&expected).await;

    let list = || emulation.list().prefix("k/").max_keys(7);
    assert_eq!(emulation.list_pages("k/0", list).await, expected);

    let garbled = emulation.list().continuation_token("!").send().await;
    assert_eq!(code(garbled.unwrap_err()), "InvalidArgument");
}

#[tokio::test]
async fn delimiter_groups_keys_into_common_prefixes() {
    let emulation = Emulation::start().await;
    let below_b = ["b/1", "b/2", "b/\u{10ffff}\u{10ffff}"];
    emulation.put_all(&below_b).await;
    let others = ["a", "b0", "c/d/1", "c/d/2", "e"];
    emulation.put_all(&others).await;
    let list = || emulation.list().delimiter("/");

    let root = list().send().await.unwrap();
    assert_eq!(keys(&root), ["a", "b0", "e"]);
    assert_eq!(common_prefixes(&root), ["b/", "c/"]);
    assert_eq!(root.key_count(), Some(5));

    let below_c = list().prefix("c/").send().await.unwrap();
    assert!(keys(&below_c).is_empty());
    assert_eq!(common_prefixes(&below_c), ["c/d/"]);

    let by_one = emulation.list_pages("A", || list().max_keys(1)).await;
    assert_eq!(by_one, ["a", "b/", "b0", "c/", "e"]);
}

#[tokio::test]
async fn start_after_and_max_keys_limit_a_page() {
    let emulation = Emulation::start().await;
    emulation.put_all(&["a", "b", "b!", "c d"]).await;
    let list = || emulation.list();

    let after_b = list().start_after("b").send().await.unwrap();
    assert_eq!(keys(&after_b), ["b!", "c d"]);

    let full = list().max_keys(5000).send().await.unwrap();
    assert_eq!(full.key_count(), Some(4));
    assert_eq!(full.max_keys(), Some(1000));

    let encoded = list().encoding_type(EncodingType::Url).start_after("b");
    assert_eq!(keys(&encoded.send().await.unwrap()), ["b%21", "c%20d"]);
}
