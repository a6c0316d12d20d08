//! The binary of `uploads` outside of Lambda, in a container; and that of others.

use std::{net::TcpListener as StdTcpListener, process::Stdio, time::Duration};

use domain::env::Timestamp;
use serde_json::{Value, json};
use tests::{Client, RawConnection, Stack, TestSpace, assert_fields, form, stack_test, text};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    process::Command,
};

use super::log_capture::is_task_line;
use crate::{
    local_stack::program::program,
    support::{signer::Signer, sts::FakeSts},
    uploads::{
        presign::assert_signed_by_session,
        presign::{PendingFile, presign_body},
    },
};

/// The function that runs in containers too.
const BINARY: &str = "uploads";

/// Returns the command of its binary, with an empty environment.
fn uploads() -> Command {
    let mut command = Command::new(program().with_file_name(BINARY));
    command
        .env_clear()
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// Token of the container credentials endpoint.
const FILE_TOKEN: &str = "a token of a file";
/// Time after which a test ends a function.
const MAX_RUN: Duration = Duration::from_secs(30);
/// End of all sessions.
const EXPIRATION: &str = "2200-01-01T00:00:00Z";

/// Serves credentials to requests with the right path and token.
async fn serve_credentials(listener: TcpListener, access_key: &str, secret_key: &str) {
    let given = json!({
        "AccessKeyId": access_key, "SecretAccessKey": secret_key, "Token": "token", "Expiration": EXPIRATION,
    });
    let given = given.to_string();
    let length = given.len();
    let response = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{given}");

    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        let mut lines = BufReader::new(stream).lines();
        let mut head = Vec::new();
        while let Ok(Some(line)) = lines.next_line().await {
            if line.is_empty() {
                break;
            }
            head.push(line);
        }

        assert_eq!(head[0], "GET /v1/credentials?a=b HTTP/1.1");
        let token = format!("authorization: {FILE_TOKEN}");
        assert!(head.contains(&token), "{head:?}");
        let mut stream = lines.into_inner();
        let sent = stream.write_all(response.as_bytes()).await;
        sent.expect("sent");
    }
}

/// Some work, and the log of the function meanwhile.
struct Logged<T> {
    output: T,
    log: String,
}

/// Runs a function as a container, whose credentials are a session that may assume a role, while a
/// client works.
async fn run_while<T>(stack: &Stack, work: impl AsyncFnOnce(Client) -> T) -> Logged<T> {
    let environment = stack.local.environment_of(BINARY);
    let mut variables = environment.expect("a function").variables;
    let mut taken = |name: &str| variables.remove(name).expect("a variable");
    let access_key = taken("AWS_ACCESS_KEY_ID");
    let secret_key = taken("AWS_SECRET_ACCESS_KEY");
    let sts = FakeSts::start().await;
    sts.end_sessions_at(Timestamp::parse_rfc3339(EXPIRATION).expect("a time"));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let file = stack.directory().path().join("token");
    std::fs::write(&file, FILE_TOKEN).expect("written");

    let free = StdTcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    let free = free.expect("a free port");
    let credentials = format!("http://{address}/v1/credentials?a=b");
    let started = uploads()
        .envs(variables)
        .env("AWS_CONTAINER_CREDENTIALS_FULL_URI", credentials)
        .env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", file)
        .env("PORT", free.port().to_string())
        .envs(sts.variables(&access_key, &secret_key))
        .env("LOG_LEVEL", "trace")
        .spawn();
    let mut running = started.expect("the binaries are built");

    let journey = async {
        while TcpStream::connect(free).await.is_err() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        work(Client::new(&format!("http://{free}/api/v1"))).await
    };
    let output = tokio::select! {
        output = journey => output,
        () = serve_credentials(listener, &access_key, &secret_key) => unreachable!("it never ends"),
        () = tokio::time::sleep(MAX_RUN) => panic!("no answer"),
    };

    running.start_kill().expect("a running process");
    let ended = running.wait_with_output().await.expect("an exit status");
    let log = String::from_utf8(ended.stderr).expect("text");
    Logged { output, log }
}

#[stack_test]
async fn container_uses_its_credentials(stack: &Stack, acme: &TestSpace) {
    let key = acme.client.key.as_deref().expect("a key");
    let small = form(&acme.handle, "a.txt", "text/plain", "text");
    let work = async |client: Client| client.with_key(key).upload_form(small).await;
    let Logged { output, log } = run_while(stack, work).await;

    let lines = log.lines();
    let lines = lines.map(|line| serde_json::from_str(line).expect("JSON"));
    let tasks: Vec<Value> = lines.filter(is_task_line).collect();
    assert_eq!(tasks.len(), 1, "{log}");
    let response = output.expect_status(201);
    let id = response.header("x-request-id");
    let expected = json!({"request_id": id, "Function": "uploads"});
    assert_fields(&tasks[0], expected);
}

#[stack_test(undrained)]
async fn logs_contain_no_keys_or_signatures_at_any_level(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let key = signer.acme.client.key.as_deref().expect("a key");
    let presigned = presign_body(&signer.acme, json!({}));
    let sign = async |client: Client| {
        let client = client.with_key(key);
        let generated = signer.generate(&client, json!({})).await.expect_ok();
        let pending = PendingFile::by(&client, presigned).await;
        let secrets = format!("/upload?api_key={key}&signature=0123456789abcdef");
        client.get(&secrets).await.expect_error(405);
        [text(&generated["url"]), pending.url().to_owned()]
    };
    let Logged { output, log } = run_while(stack, sign).await;

    let [signature, of_storage] = output.map(|url| {
        let (_, signature) = url.rsplit_once("ignature=").expect("a signature");
        signature.to_owned()
    });
    let is_detailed = log.contains("AWS call") && log.contains("/upload/presign");
    assert!(is_detailed, "it is logged in detail: {log}");
    let environment = stack.local.environment_of(BINARY);
    let own = &environment.expect("a function").variables["AWS_SECRET_ACCESS_KEY"];
    let made_up = "0123456789abcdef";
    let secrets = [&signature, &of_storage, own, key, made_up, FILE_TOKEN];
    for secret in secrets {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}

/// Headers of the largest form, and of one that may be as large.
const LARGEST: &str = "content-length: 524288000";
const CHUNKED: &str = "transfer-encoding: chunked";

/// Sends the head of an upload of a form, whose bytes the client keeps until the server asks for
/// them.
async fn send_head_of_form(client: &Client, size: &str) -> RawConnection {
    let request = client.request("POST", "/upload").build();
    let url = request.expect("a valid request").url().to_string();
    let mut connection = RawConnection::connect(&url).await;
    let key = client.key.as_deref().expect("a key");
    let head = format!(
        "POST /api/v1/upload HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {key}\r\n\
         content-type: multipart/form-data; boundary=b\r\nexpect: 100-continue\r\n\
         {size}\r\n\r\n"
    );
    connection.send(head).await;
    connection
}

#[stack_test]
async fn forms_that_send_nothing_keep_no_other_from_being_received(
    stack: &Stack,
    acme: &TestSpace,
) {
    let work = async |client: Client| {
        let client = client.with_key(acme.client.key.as_deref().expect("a key"));
        let mut silent = Vec::new();
        for size in [LARGEST, CHUNKED, LARGEST, CHUNKED] {
            let mut connection = send_head_of_form(&client, size).await;
            connection.expect_continue().await;
            silent.push(connection);
        }

        let small = form(&acme.handle, "a.txt", "text/plain", "text");
        client.upload_form(small).await.expect_created();
    };
    run_while(stack, work).await;
}

#[stack_test(undrained)]
async fn container_presigns_with_a_session_of_its_role(stack: &Stack, acme: &TestSpace) {
    let key = acme.client.key.as_deref().expect("a key");
    let body = presign_body(acme, json!({}));
    let work = async |client: Client| PendingFile::by(&client.with_key(key), body).await;
    let Logged { output, .. } = run_while(stack, work).await;
    assert_signed_by_session(output.url());
}

#[tokio::test]
async fn container_start_failure_names_its_cause() {
    for (variable, value, reason) in [
        ("PORT", "http", "PORT is not a port number"),
        ("LOG_LEVEL", "loud", "LOG_LEVEL is not a log level"),
        (
            "TRUSTED_PROXIES",
            "two",
            "TRUSTED_PROXIES is not an integer from 0 to 255",
        ),
        ("UNUSED", "", "AWS_ACCESS_KEY_ID is not set"),
        (
            "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            "https://127.0.0.1/credentials",
            "AWS_CONTAINER_CREDENTIALS_FULL_URI is not an http:// URL",
        ),
        (
            "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            "http://127.0.0.1/credentials",
            "PRESIGN_ROLE_ARN is not set",
        ),
    ] {
        let output = uploads().env(variable, value).output().await;
        let output = output.expect("the binaries are built");
        let log = String::from_utf8_lossy(&output.stderr);

        assert_eq!(output.status.code(), Some(1), "{log}");
        assert!(log.contains(reason), "{log}");
    }
}

#[stack_test]
async fn container_without_credentials_does_not_start(stack: &Stack) {
    let environment = stack.local.environment_of(BINARY);
    let mut variables = environment.expect("a function").variables;
    variables.remove("AWS_ACCESS_KEY_ID");
    variables.insert("PRESIGN_ROLE_ARN".to_owned(), "a role".to_owned());

    let mut function = uploads();
    function.envs(variables);
    function.env("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://192.0.2.2/");
    let ended = tokio::time::timeout(MAX_RUN, function.output()).await;
    let output = ended.expect("it ends").expect("the binaries are built");
    let log = String::from_utf8_lossy(&output.stderr);

    assert_eq!(output.status.code(), Some(1), "{log}");
    assert!(log.contains("the container has no credentials"), "{log}");
    assert!(log.contains("did not refer to an allowed IP"), "{log}");
}

#[tokio::test]
async fn other_functions_start_in_lambda_only() {
    for binary in ["files", "purge"] {
        let mut function = Command::new(program().with_file_name(binary));
        let output = function.env_clear().output().await;
        let output = output.expect("the binaries are built");
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(log.contains("AWS_LAMBDA_RUNTIME_API is not set"), "{log}");
    }
}
