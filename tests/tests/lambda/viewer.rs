//! The viewer of a request, as the gateway reports it to functions.

use axum::{Router, extract::Request, routing::get};
use local_stack::Registry;
use runtime::http::Viewer;
use tests::{RawConnection, Stack, StackOptions, authority, parse_template, stack_test};

/// One function behind an HTTP API.
const TEMPLATE: &str = "
AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31
Resources:
  Api:
    Type: AWS::Serverless::HttpApi
    Properties:
      StageName: $default
      DefinitionBody:
        components:
          x-amazon-apigateway-integrations:
            Viewer:
              type: aws_proxy
              httpMethod: POST
              payloadFormatVersion: '2.0'
              uri: !Sub 'arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Viewer.Arn}/invocations'
        paths:
          $default:
            x-amazon-apigateway-any-method:
              isDefaultRoute: true
              x-amazon-apigateway-integration: { $ref: '#/components/x-amazon-apigateway-integrations/Viewer' }
  ApiMayInvokeViewer:
    Type: AWS::Lambda::Permission
    Properties:
      Action: lambda:InvokeFunction
      FunctionName: !Ref Viewer
      Principal: apigateway.amazonaws.com
      SourceArn: !Sub 'arn:aws:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/*'
  Viewer:
    Type: AWS::Serverless::Function
    Metadata: { BuildMethod: rust-cargolambda, BuildProperties: { Binary: viewer } }
    Properties:
      Runtime: provided.al2023
      Handler: bootstrap
      CodeUri: .
      MemorySize: 128
      Timeout: 29
";

/// Responds with the viewer and the base URL of a request.
fn viewer_function() -> Router {
    let respond = async |request: Request| {
        let viewer = Viewer::of(request.extensions()).expect("a viewer");
        let base_url = viewer
            .base_url(request.headers())
            .expect("a request has a host");
        format!("{} {} {base_url}", viewer.address, viewer.is_secure)
    };
    Router::new().route("/viewer", get(respond))
}

/// Options of a stack with only the function.
fn options() -> StackOptions {
    StackOptions {
        template: parse_template(TEMPLATE),
        registry: Registry::default().http("viewer", |_| Ok(viewer_function())),
        ..StackOptions::default()
    }
}

#[stack_test(options = options())]
async fn viewer_address_ignores_untrusted_headers(stack: &Stack) {
    let url = stack.local.api_url();
    let host = authority(url);

    for headers in [
        "",
        "x-forwarded-for: 203.0.113.7\r\nx-forwarded-proto: https\r\nx-real-ip: 203.0.113.7\r\n",
        "forwarded: for=203.0.113.7;proto=https;host=example.com\r\nx-forwarded-host: example.com\r\n",
    ] {
        let request =
            format!("GET /viewer HTTP/1.1\r\nhost: {host}\r\n{headers}connection: close\r\n\r\n");
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
