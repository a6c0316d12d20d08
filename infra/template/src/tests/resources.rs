//! Tests of tables, buckets, secrets, routes and the CDN against the model.

use super::{stack, texts};
use crate::{
    AttributeType, BucketSpec, CorsRule, Diagnostics, LifecycleRule, PrimaryKey, Route, SecretSpec,
    TableSpec,
};

#[test]
fn table_with_sort_key_and_time_to_live() -> Result<(), Diagnostics> {
    let template = r"
Resources:
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: things
      BillingMode: PAY_PER_REQUEST
      WarmThroughput: { ReadUnitsPerSecond: 20000 }
      AttributeDefinitions:
        - { AttributeName: pk, AttributeType: S }
        - { AttributeName: at, AttributeType: N }
      KeySchema: [{ AttributeName: pk, KeyType: HASH }, { AttributeName: at, KeyType: RANGE }]
      TimeToLiveSpecification: { AttributeName: gone_at, Enabled: true }
";

    let attributes = [("at", AttributeType::Number), ("pk", AttributeType::String)];
    let expected = TableSpec {
        logical_id: "Table".to_owned(),
        name: "things".to_owned(),
        key: PrimaryKey {
            partition: "pk".to_owned(),
            sort: Some("at".to_owned()),
        },
        attributes: attributes
            .map(|(name, kind)| (name.to_owned(), kind))
            .into(),
        time_to_live: Some("gone_at".to_owned()),
    };

    assert_eq!(stack(template)?.tables, [expected]);

    assert_eq!(
        stack(&template.replace("Enabled: true", "Enabled: false"))?.tables[0].time_to_live,
        None
    );

    Ok(())
}

#[test]
fn bucket_with_cors_and_lifecycle_rules() -> Result<(), Diagnostics> {
    let template = r"
Resources:
  Bucket:
    Type: AWS::S3::Bucket
    Properties:
      CorsConfiguration:
        CorsRules:
          - { AllowedOrigins: ['*'], AllowedMethods: [PUT], AllowedHeaders: [x-a], ExposedHeaders: [ETag], MaxAge: 60 }
      LifecycleConfiguration:
        Rules:
          - { Status: Enabled, Prefix: staging/, ExpirationInDays: 2 }
          - { Status: Enabled, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } }
          - { Status: Disabled, ExpirationInDays: 1 }
";

    let expired = LifecycleRule {
        prefix: "staging/".to_owned(),
        expiration_days: Some(2),
        abort_multipart_days: None,
    };
    let unfinished = LifecycleRule {
        prefix: String::new(),
        expiration_days: None,
        abort_multipart_days: Some(1),
    };
    let expected = BucketSpec {
        logical_id: "Bucket".to_owned(),
        name: "larder-bucket-000000000000".to_owned(),
        cors: vec![CorsRule {
            allowed_origins: texts(["*"]),
            allowed_methods: texts(["PUT"]),
            allowed_headers: texts(["x-a"]),
            exposed_headers: texts(["ETag"]),
            max_age_seconds: Some(60),
        }],
        lifecycle: vec![expired, unfinished],
    };

    assert_eq!(stack(template)?.buckets, [expected]);

    Ok(())
}

#[test]
fn reference_to_secret_is_its_arn() -> Result<(), Diagnostics> {
    let template = r"
Resources:
  Long:
    Type: AWS::SecretsManager::Secret
    DeletionPolicy: Retain
    Metadata: { Anything: goes }
    Properties:
      Description: Long, of letters and digits.
      GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true }
  Short: { Type: AWS::SecretsManager::Secret, Properties: { GenerateSecretString: {} } }
  Worker:
    Type: AWS::Serverless::Function
    Metadata: { BuildMethod: rust-cargolambda, BuildProperties: { Binary: worker } }
    Properties:
      Environment: { Variables: { LONG: !Ref Long, SHORT: !GetAtt Short.Id } }
";
    let stack = stack(template)?;

    let secret = |id: &str, length, excludes_punctuation| SecretSpec {
        logical_id: id.to_owned(),
        name: format!("larder-{id}"),
        length,
        excludes_punctuation,
    };

    assert_eq!(
        stack.secrets,
        [secret("Long", 64, true), secret("Short", 32, false)]
    );

    let arn = |id: &str| {
        format!("arn:aws:secretsmanager:eu-central-1:000000000000:secret:larder-{id}-abcdef")
    };

    let function = &stack.functions[0];
    assert_eq!(
        [
            &function.environment["LONG"],
            &function.environment["SHORT"]
        ],
        [&arn("Long"), &arn("Short")]
    );

    Ok(())
}

/// A function behind an HTTP API and a CDN.
pub(super) const EDGE: &str = r"
Resources:
  Api:
    Type: AWS::Serverless::HttpApi
    Properties:
      StageName: $default
      DefinitionBody:
        openapi: 3.0.1
        components:
          x-amazon-apigateway-integrations:
            Edge: { type: aws_proxy, httpMethod: POST, payloadFormatVersion: '2.0', uri: !Sub 'arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Edge.Arn}/invocations' }
        paths:
          /a/{id}:
            get: { x-amazon-apigateway-integration: { $ref: '#/components/x-amazon-apigateway-integrations/Edge' } }
          $default:
            x-amazon-apigateway-any-method: { isDefaultRoute: true, x-amazon-apigateway-integration: { $ref: '#/components/x-amazon-apigateway-integrations/Edge' } }
  ApiMayInvokeEdge:
    Type: AWS::Lambda::Permission
    Properties: { Action: lambda:InvokeFunction, FunctionName: !Ref Edge, Principal: apigateway.amazonaws.com, SourceArn: !Sub 'arn:aws:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/*' }
  Edge:
    Type: AWS::Serverless::Function
    Metadata: { BuildMethod: rust-cargolambda, BuildProperties: { Binary: edge } }
    Properties:
      FunctionUrlConfig: { AuthType: AWS_IAM, InvokeMode: BUFFERED }
  Cdn:
    Type: AWS::CloudFront::Distribution
    Properties:
      DistributionConfig:
        Enabled: true
        Origins:
          - { Id: edge, DomainName: !Select [2, !Split [/, !GetAtt EdgeUrl.FunctionUrl]] }
        DefaultCacheBehavior: { TargetOriginId: edge, ViewerProtocolPolicy: https-only }
";

#[test]
fn routes_and_cdn_origin() -> Result<(), Diagnostics> {
    let stack = stack(EDGE)?;

    let route = |method: &str, path: &str| Route {
        method: method.to_owned(),
        path: path.to_owned(),
        function: "Edge".to_owned(),
    };

    assert_eq!(
        stack.routes,
        [route("GET", "/a/{id}"), route("ANY", "$default")]
    );

    assert_eq!(stack.cdn_origin.as_deref(), Some("Edge"));
    assert!(stack.functions[0].has_url);

    Ok(())
}
