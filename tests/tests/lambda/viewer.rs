//! Who sent a request, as the gateway tells its functions.

use axum::{Router, extract::Request, routing::get};
use local::Registry;
use runtime::Viewer;
use tests::{RawConnection, Stack, StackOptions, authority, parse_template, stack_test};

/// One function behind an HTTP API.
const TEMPLATE: &str = "
AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31
Resources:
  Api: { Type: AWS::Serverless::HttpApi, Properties: { StageName: $default } }
  Teller:
    Type: AWS::Serverless::Function
    Metadata: { BuildMethod: rust-cargolambda, BuildProperties: { Binary: teller } }
    Properties:
      Runtime: provided.al2023
      Handler: bootstrap
      CodeUri: .
      Timeout: 29
      Events:
        Default: { Type: HttpApi, Properties: { ApiId: !Ref Api } }
";

/// Tells who sent a request, and by which address.
fn teller() -> Router {
    let tell = async |request: Request| {
        let viewer = Viewer::of(request.extensions()).expect("the gateway says it");
        let base_url = viewer
            .base_url(request.headers())
            .expect("a request has a host");
        format!("{} {} {base_url}", viewer.address, viewer.is_secure)
    };
    Router::new().route("/", get(tell))
}

/// Options of a stack with the function alone.
fn options() -> StackOptions {
    StackOptions {
        template: parse_template(TEMPLATE),
        registry: Registry::default().http("teller", |_| Ok(teller())),
        ..StackOptions::default()
    }
}

#[stack_test(options = options())]
async fn viewer_address_ignores_untrusted_headers(stack: &Stack) {
    let url = stack.cloud.api_url();
    let host = authority(url);

    for headers in [
        "",
        "x-forwarded-for: 203.0.113.7\r\nx-forwarded-proto: https\r\nx-real-ip: 203.0.113.7\r\n",
        "forwarded: for=203.0.113.7;proto=https;host=example.com\r\nx-forwarded-host: example.com\r\n",
    ] {
        let request =
            format!("GET / HTTP/1.1\r\nhost: {host}\r\n{headers}connection: close\r\n\r\n");
        let response = RawConnection::request(url, request)
            .await
            .expect("an answer")
            .expect_status(200);

        assert_eq!(
            response.body,
            format!("127.0.0.1 true http://{host}"),
            "{headers}"
        );
    }
}
