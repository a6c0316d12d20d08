//! The number of AWS calls of reads of spaces, keys, files and upload configs.

use tests::{Client, Observed, PHOTO, Stack, stack_test};

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
async fn space_and_account_reads_stay_within_call_budget(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let account = stack.account();
    warm(stack, &acme).await;

    let space = format!("/spaces/{}", acme.id);
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
async fn file_and_upload_config_reads_stay_within_call_budget(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let record = acme.upload(PHOTO).await;
    let url = record["url"].as_str().expect("an address");
    let account = stack.account();
    warm(stack, &acme).await;

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
