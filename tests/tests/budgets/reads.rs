//! The number of AWS calls of reads of spaces, keys, files and upload configs.

use std::{collections::HashSet, pin::pin};

use emulators::Hold;
use futures::future;
use tests::{Client, Observed, PHOTO, Stack, TestSpace, stack_test};

use super::requests::warm;

/// A GET request and its calls.
struct Read<'a> {
    client: &'a Client,
    address: &'a str,
    calls: &'a [&'a str],
}

impl<'a> Read<'a> {
    fn new(client: &'a Client, address: &'a str, calls: &'a [&'a str]) -> Read<'a> {
        Read {
            client,
            address,
            calls,
        }
    }
}

async fn assert_reads(stack: &Stack, reads: &[Read<'_>]) {
    for read in reads {
        let Observed {
            output: response,
            calls,
        } = stack.calls_of(read.client.get(read.address)).await;
        let request_line = response.expect_status(200).request;
        assert_eq!(calls, read.calls, "{request_line}");
    }
}

#[stack_test]
async fn space_and_account_reads_stay_within_call_budget(stack: &Stack, acme: &TestSpace) {
    let account = stack.account();
    warm(stack, acme).await;

    let space = acme.path();
    let keys = format!("{space}/api-keys");
    let reads = [
        Read::new(
            &acme.client,
            &space,
            &["spaces GetItem", "spaces UpdateItem"],
        ),
        Read::new(
            &account,
            &space,
            &["spaces BatchGetItem", "spaces UpdateItem"],
        ),
        Read::new(
            &acme.client,
            &keys,
            &["spaces GetItem", "spaces Query", "spaces UpdateItem"],
        ),
        Read::new(
            &account,
            &keys,
            &["spaces BatchGetItem", "spaces Query", "spaces UpdateItem"],
        ),
        Read::new(
            &acme.client,
            "/spaces",
            &["spaces GetItem", "spaces UpdateItem"],
        ),
        Read::new(
            &account,
            "/spaces",
            &["spaces BatchGetItem", "spaces Query", "spaces UpdateItem"],
        ),
        Read::new(
            &acme.client,
            "/account",
            &["spaces BatchGetItem", "spaces UpdateItem"],
        ),
        Read::new(
            &account,
            "/account",
            &[
                "spaces BatchGetItem",
                "spaces BatchGetItem",
                "spaces UpdateItem",
            ],
        ),
    ];

    assert_reads(stack, &reads).await;
}

#[stack_test]
async fn file_and_upload_config_reads_stay_within_call_budget(stack: &Stack, acme: &TestSpace) {
    let record = acme.upload(PHOTO).await;
    let url = record["url"].as_str().expect("an address");
    let account = stack.account();
    warm(stack, acme).await;

    let file = format!("/files/{}", record["id"].as_str().expect("an id"));
    let config = format!(
        "/upload-configs/{}",
        record["upload_config_id"].as_str().expect("an id")
    );
    let reads = [
        Read::new(
            &acme.client,
            &file,
            &["files BatchGetItem", "files UpdateItem"],
        ),
        Read::new(
            &account,
            &file,
            &["files BatchGetItem", "files GetItem", "files UpdateItem"],
        ),
        Read::new(
            &acme.client,
            &config,
            &["upload-configs BatchGetItem", "upload-configs UpdateItem"],
        ),
        Read::new(
            &account,
            &config,
            &[
                "upload-configs BatchGetItem",
                "upload-configs GetItem",
                "upload-configs UpdateItem",
            ],
        ),
        Read::new(
            &stack.anonymous,
            url,
            &["delivery GetObject", "delivery TransactGetItems"],
        ),
        Read::new(
            &acme.client,
            url,
            &[
                "delivery GetItem",
                "delivery GetObject",
                "delivery TransactGetItems",
            ],
        ),
    ];

    assert_reads(stack, &reads).await;
}

/// A list of a space, and the number of its calls that wait only for the authentication.
struct List {
    function: &'static str,
    address: String,
    calls: u32,
}

impl List {
    fn new(function: &'static str, address: impl Into<String>, calls: u32) -> List {
        List {
            function,
            address: address.into(),
            calls,
        }
    }
}

#[stack_test]
async fn space_and_its_list_are_read_at_the_same_time(stack: &Stack, acme: &TestSpace) {
    let folder = acme.folder("outer").await;
    acme.upload(PHOTO).with_ref("cover").await;
    warm(stack, acme).await;

    for list in [
        List::new("files", "/files", 2),
        List::new("files", format!("/files?space_id={}", acme.id), 2),
        List::new("files", format!("/files?folder_id={}", folder.id), 3),
        List::new("files", "/files/by-ref?ref=cover", 2),
        List::new("folders", "/folders", 2),
        List::new("folders", format!("/folders?parent_id={}", folder.id), 3),
        List::new("upload-configs", "/upload-configs", 2),
        List::new("spaces", acme.keys_path(), 2),
        List::new(
            "spaces",
            format!("/spaces/{}/webhook-deliveries", acme.id),
            2,
        ),
    ] {
        // The first request of a function reads the master secret too.
        acme.get_ok(&list.address).await;
        let faults = stack.local.faults();
        // All calls after the authentication are paused, so a call that waits for another is not sent.
        let mut holds: Vec<Hold> = (1..=list.calls)
            .map(|skips| faults.hold(list.function, skips))
            .collect();
        let all_reached = future::join_all(holds.iter_mut().map(Hold::reached));
        let mut request = pin!(acme.get(&list.address));

        tokio::select! {
            _ = all_reached => {}
            response = &mut request => panic!("{}: {}", list.address, response.status),
        }
        // The SDK repeats a call that takes too long.
        let operations: HashSet<_> = holds.iter().filter_map(Hold::operation).collect();
        assert_eq!(
            operations.len(),
            holds.len(),
            "{}: {operations:?}",
            list.address
        );

        holds.into_iter().for_each(Hold::release);
        request.await.expect_ok();
    }
}
