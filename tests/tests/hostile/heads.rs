//! Request lines and headers.

use tests::{CDN_DOMAIN, Observed, RawConnection, Stack, stack_test};

use super::{
    Outcome::{self, Answered, Rejected, Unheard},
    Row, Target, numbered,
};

/// Heads above the size limits.
pub(crate) fn too_long(target: &Target) -> Vec<Row> {
    let header = |bytes: usize| target.get(&format!("x-long: {}\r\n", "x".repeat(bytes)));
    let query = |query: String| target.request("GET", &format!("{}?{query}", target.path), "", "");

    vec![
        (target.get(&numbered(60, &"x".repeat(1_100))), Unheard),
        (target.get(&numbered(150, "x")), Unheard),
        (header(64 << 10), Unheard),
        (header(33_000), Rejected(431)),
        (header(20_000), target.either(Rejected(431), Answered(200))),
        (header(9_000), Answered(200)),
        (query("a=1&".repeat(10_000)), Rejected(414)),
        (query("a&".repeat(10_000)), Rejected(414)),
        (query("a".repeat(100_000)), Unheard),
        (query("&".repeat(8_000)), Answered(200)),
        (
            target.request("GET", &format!("/{}", "a/".repeat(4_050)), "", ""),
            Rejected(404),
        ),
    ]
}

/// Invalid, missing and repeated hosts.
pub(crate) fn hosts(target: &Target) -> Vec<Row> {
    let with = |version: &str, hosts: &str| {
        format!(
            "GET {} HTTP/{version}\r\n{hosts}authorization: Bearer {}\r\n\r\n",
            target.path, target.key
        )
        .into_bytes()
    };
    let host = target.host();
    let mut rows = vec![
        (with("1.1", ""), Rejected(400)),
        (with("1.0", ""), Rejected(400)),
        (with("1.0", &format!("host: {host}\r\n")), Answered(200)),
        (
            with("1.1", &format!("host: {host}\r\nhost: {host}\r\n")),
            Rejected(400),
        ),
        (
            with("1.1", &format!("host: {CDN_DOMAIN}\r\n")),
            Answered(200),
        ),
        (with("1.1", "host: [::1]:80\r\n"), Answered(200)),
    ];
    for malformed in [
        "",
        " ",
        "a b",
        "user@host",
        "[::1",
        "host:80:80",
        "host/path",
        "http://host",
        "host:port",
    ] {
        rows.push((
            with("1.1", &format!("host: {malformed}\r\n")),
            Rejected(400),
        ));
    }

    let mut bytes = with("1.1", "host: ?\r\n");
    let mark = bytes
        .iter()
        .position(|byte| *byte == b'?')
        .expect("it stands there");

    bytes[mark] = 0xff;
    rows.push((bytes, Rejected(400)));

    rows
}

/// Unusual request targets and methods.
pub(crate) fn targets(target: &Target) -> Vec<Row> {
    let path = &target.path;
    let host = target.host();
    let to = |method: &str, address: &str| target.request(method, address, "", "");

    vec![
        (to("GET", &format!("http://{host}{path}")), Answered(200)),
        (
            to("GET", &format!("http://elsewhere.example.com{path}")),
            Answered(200),
        ),
        (
            to("GET", &format!("ftp://user:password@{host}{path}")),
            Answered(200),
        ),
        (to("GET", host), Rejected(400)),
        (to("GET", "*"), Rejected(400)),
        (to("OPTIONS", "*"), Rejected(400)),
        (to("CONNECT", "example.com:443"), Rejected(400)),
        (to("CONNECT", path), Rejected(405)),
        (to("BREW", path), Rejected(405)),
        (to("get", path), Rejected(405)),
        (to(&"A".repeat(1_000), path), Rejected(405)),
        (to("TRACE", path), Rejected(405)),
        (to("G(T", path), Unheard),
        (to("", path), Unheard),
        (to("GET", ""), Unheard),
        (to("GET", "api"), Rejected(400)),
        (to("GET", &format!("{path} {path}")), Unheard),
        (to("GET", "//"), target.either(Rejected(404), Rejected(400))),
        (to("GET", &format!("{path}#fragment")), Answered(200)),
    ]
}

/// Bytes that are not text, raw and encoded.
pub(crate) fn not_text(target: &Target) -> Vec<Row> {
    let to = |address: &str| target.request("GET", address, "", "");
    let raw = |address: &str, byte: u8| with_byte(to(address), byte);
    let path = &target.path;
    let below = target.either("/api/v1/spaces", "");
    let mut rows = vec![
        (to(&format!("{below}/%ff")), Rejected(400)),
        (to(&format!("{below}/%C3%28")), Rejected(400)),
        (to(&format!("{below}/%ED%A0%80")), Rejected(400)),
        (
            to(&format!("{below}/%00")),
            target.either(Rejected(404), Rejected(400)),
        ),
        (
            to(&format!("{below}/a%00b")),
            target.either(Rejected(404), Rejected(400)),
        ),
        (to(&format!("{below}/%")), Rejected(404)),
        (to(&format!("{below}/%zz")), Rejected(404)),
        (to(&format!("{below}/%F0%9F%A6%80")), Rejected(404)),
        (to(&format!("{below}/\u{1f980}")), Rejected(404)),
        (to(&format!("{path}?a=%ff&%ff=%00&=&a")), Answered(200)),
        (to(&format!("{path}?api_key=%ff")), Answered(200)),
    ];
    for byte in [0x00, 0x01, 0x7f, 0xff, b'\n', b'\r'] {
        rows.push((raw(&format!("{below}/~"), byte), Unheard));
        rows.push((raw(&format!("{path}?~"), byte), Unheard));
    }

    for byte in [0x00, 0x01, 0x7f, b'\r'] {
        rows.push((raw_header(target, byte), Unheard));
    }

    // A Lambda event contains text: it cannot represent such a header.
    rows.push((raw_header(target, 0xff), Rejected(400)));
    rows.push((target.get("x-name: caf\u{e9}\r\n"), Answered(200)));

    rows
}

fn raw_header(target: &Target, byte: u8) -> Vec<u8> {
    with_byte(target.get("x-odd: a~b\r\n"), byte)
}

/// Replaces the tilde of a request by a byte.
fn with_byte(mut request: Vec<u8>, byte: u8) -> Vec<u8> {
    let mark = request
        .iter()
        .position(|byte| *byte == b'~')
        .expect("it stands there");
    request[mark] = byte;
    request
}

/// Requests that are not HTTP/1.1.
pub(crate) fn no_requests(target: &Target) -> Vec<Row> {
    let path = &target.path;
    let host = target.host();
    let lines =
        |lines: &str| format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n{lines}\r\n").into_bytes();
    let mut rows = vec![
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(), Unheard),
        (
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
            Unheard,
        ),
        (
            format!("GET {path} HTTP/3.0\r\nhost: {host}\r\n\r\n").into_bytes(),
            Unheard,
        ),
        (
            format!("GET {path} HTTP/1.10\r\nhost: {host}\r\n\r\n").into_bytes(),
            Unheard,
        ),
        (format!("GET {path}\r\n\r\n").into_bytes(), Unheard),
        (b"\0".repeat(70_000), Unheard),
    ];
    for malformed in [
        "x-a b: c\r\n",
        "x-a : b\r\n",
        "x-a\r\n",
        ": b\r\n",
        "x-a: b\r\n folded\r\n",
        "\u{e9}: b\r\n",
        "x\0: b\r\n",
    ] {
        rows.push((lines(malformed), Unheard));
    }

    rows
}

#[stack_test]
async fn malformed_heads_are_rejected(stack: &Stack) {
    for target in Target::of_stack(stack).await {
        for rows in [
            too_long(&target),
            hosts(&target),
            targets(&target),
            not_text(&target),
            no_requests(&target),
        ] {
            target.check(rows).await;
        }
    }
}

#[stack_test]
async fn two_authorization_headers_are_rejected(stack: &Stack) {
    let [api, cdn] = Target::of_stack(stack).await;
    for scheme in ["Bearer", "Basic"] {
        let second = format!("authorization: {scheme} {}\r\n", api.key);
        api.check(vec![(api.get(&second), Rejected(401))]).await;
        // The file is public. No read of a key shows that none was recognized.
        let Observed {
            output: response,
            calls,
        } = stack
            .calls_of(RawConnection::request(&cdn.url, cdn.get(&second)))
            .await;
        assert_eq!(Outcome::of(response), Answered(200));
        assert_eq!(calls, ["delivery GetObject", "delivery TransactGetItems"]);
    }
}

#[stack_test]
async fn stalled_head_does_not_block_other_clients(stack: &Stack) {
    for target in Target::of_stack(stack).await {
        let whole = target.get("");
        for sent in [1, whole.len() / 2, whole.len() - 1] {
            let mut silent = RawConnection::connect(&target.url).await;
            silent.send(&whole[..sent]).await;
            target.is_well().await;
            silent.shutdown_write().await;
            assert_eq!(Outcome::of(silent.response().await), Unheard);
        }

        let mut slow = RawConnection::connect(&target.url).await;
        for byte in &whole {
            slow.send([*byte]).await;
            tokio::task::yield_now().await;
        }

        assert_eq!(Outcome::of(slow.response().await), Answered(200));
    }
}

#[stack_test]
async fn pipelined_requests_are_answered_in_order(stack: &Stack) {
    for target in Target::of_stack(stack).await {
        let fine = target.get("");
        let rejected = target.request("GET", "/%ff", "", "");
        let mut connection = RawConnection::connect(&target.url).await;

        connection
            .send([fine.clone(), rejected].concat().repeat(50))
            .await;

        for _ in 0..50 {
            assert_eq!(Outcome::of(connection.response().await), Answered(200));
            assert_eq!(Outcome::of(connection.response().await), Rejected(400));
        }

        // An invalid request closes the connection, and the bytes after it are not read.
        connection
            .send([b"no request\r\n\r\n".to_vec(), fine].concat())
            .await;
        assert_eq!(Outcome::of(connection.response().await), Unheard);
        assert!(connection.response().await.is_none());
    }
}
