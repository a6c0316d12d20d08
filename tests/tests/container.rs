//! A function's binary outside of Lambda: a container.

use std::{net::TcpListener as StdTcpListener, process::Stdio, time::Duration};

use tests::{Client, Stack};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    process::Command,
};

/// A function's binary, with no variables but those to come.
fn function(binary: &str) -> Command {
    let mut command = Command::new(crate::persistence::program().with_file_name(binary));
    command.env_clear().stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}

/// Gives credentials to whoever asks at the right path with the right token.
async fn give_credentials(listener: TcpListener, access_key: String, secret_key: String) {
    let given = serde_json::json!({
        "AccessKeyId": access_key, "SecretAccessKey": secret_key, "Token": "token", "Expiration": "2200-01-01T00:00:00Z",
    });
    let given = given.to_string();
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
        assert_eq!(head.first().map(String::as_str), Some("GET /v1/credentials?a=b HTTP/1.1"));
        assert!(head.iter().any(|line| line == "authorization: a token of a file"), "{head:?}");
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{given}", given.len());
        lines.into_inner().write_all(answer.as_bytes()).await.expect("sent");
    }
}

#[tokio::test]
async fn a_container_answers_with_the_credentials_that_it_is_given() {
    let stack = Stack::start().await;
    let acme = stack.space("Acme").await;
    let mut variables = stack.cloud.environment_of("spaces").expect("a function").variables;
    let mut taken = |name: &str| variables.remove(name).expect("a variable");
    let (access_key, secret_key) = (taken("AWS_ACCESS_KEY_ID"), taken("AWS_SECRET_ACCESS_KEY"));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let address = format!("http://{}/v1/credentials?a=b", listener.local_addr().expect("an address"));
    let file = stack.data_dir().join("token");
    std::fs::write(&file, "a token of a file\n").expect("written");
    let free = StdTcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    let free = free.expect("a free port");
    let started = function("spaces")
        .envs(variables)
        .env("AWS_CONTAINER_CREDENTIALS_FULL_URI", address)
        .env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", file)
        .env("PORT", free.port().to_string())
        .spawn();
    let _running = started.expect("the binaries are built");
    let journey = async {
        while TcpStream::connect(free).await.is_err() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let client = Client::at(&format!("http://{free}/api/v1")).with_key(acme.client.key.as_deref().expect("a key"));
        client.get(&format!("/spaces/{}", acme.id)).await.ok();
    };
    tokio::select! {
        () = journey => {}
        () = give_credentials(listener, access_key, secret_key) => {}
        () = tokio::time::sleep(Duration::from_secs(30)) => panic!("no answer"),
    }
    stack.stop().await;
}

#[tokio::test]
async fn a_container_that_cannot_start_says_why() {
    for (variables, reason) in [
        (&[("PORT", "http")][..], "PORT is not the number of a port"),
        (&[("LOG_LEVEL", "loud")], "LOG_LEVEL is not a level of the log"),
        (
            &[("AWS_CONTAINER_CREDENTIALS_FULL_URI", "https://example.com/credentials")],
            "AWS_CONTAINER_CREDENTIALS_FULL_URI is no http:// address",
        ),
        (&[], "AWS_ACCESS_KEY_ID is not set"),
    ] {
        let output = function("spaces").envs(variables.iter().copied()).output().await.expect("the binaries are built");
        let log = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{log}");
        assert!(log.contains(reason), "{log}");
    }
}
