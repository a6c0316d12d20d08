//! Tests of small templates against the model.

use super::{SCHEDULE, diagnostics, stack};
use crate::{
    AttributeType, Bucket, CorsRule, Diagnostics, Function, Key, LifecycleRule, Permission, Queue,
    QueueAlarm, RecursiveLoop, Redrive, Route, Schedule, Secret, Stack, Table, Trigger,
};

const WORKER: &str = r"
Globals:
  Function:
    Timeout: 20
    Environment: { Variables: { LEVEL: info, PLACE: cloud } }
Resources:
  Dead:
    Type: AWS::SQS::Queue
    Properties: { MessageRetentionPeriod: 1209600 }
  Jobs:
    Type: AWS::SQS::Queue
    Properties:
      VisibilityTimeout: 120
      DelaySeconds: 2
      RedrivePolicy: { deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 3 }
  Worker:
    Type: AWS::Serverless::Function
    Metadata: { BuildMethod: rust-cargolambda, BuildProperties: { Binary: worker } }
    Properties:
      MemorySize: 256
      Environment: { Variables: { PLACE: here, QUEUE_URL: !Ref Jobs } }
      Policies:
        - Statement: { Effect: Allow, Action: sqs:SendMessage, Resource: !GetAtt Dead.Arn }
      Events:
        Jobs:
          Type: SQS
          Properties:
            Queue: !GetAtt Jobs.Arn
            BatchSize: 5
            MaximumBatchingWindowInSeconds: 0
            ScalingConfig: { MaximumConcurrency: 2 }
            FunctionResponseTypes: [ReportBatchItemFailures]
";

fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}

#[test]
fn worker_is_triggered_by_queue_with_dead_letter_queue() -> Result<(), Diagnostics> {
    let jobs_arn = "arn:aws:sqs:eu-central-1:000000000000:larder-Jobs";
    let queue = |id: &str| Queue {
        logical_id: id.to_owned(),
        name: format!("larder-{id}"),
        visibility_timeout_seconds: 30,
        delay_seconds: 0,
        retention_seconds: 345_600,
        redrive: None,
    };
    let dead = Queue {
        retention_seconds: 1_209_600,
        ..queue("Dead")
    };
    let redrive = Some(Redrive {
        dead_letter_queue: "larder-Dead".to_owned(),
        max_receive_count: 3,
    });
    let jobs = Queue {
        visibility_timeout_seconds: 120,
        delay_seconds: 2,
        redrive,
        ..queue("Jobs")
    };
    let environment = [
        ("LEVEL", "info"),
        ("PLACE", "here"),
        (
            "QUEUE_URL",
            "http://127.0.0.1:9324/000000000000/larder-Jobs",
        ),
    ];
    let worker = Function {
        logical_id: "Worker".to_owned(),
        name: "larder-Worker".to_owned(),
        binary: "worker".to_owned(),
        timeout_seconds: 20,
        memory_mib: 256,
        environment: environment
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        permissions: vec![
            Permission {
                actions: texts(["sqs:SendMessage"]),
                resources: texts(["arn:aws:sqs:eu-central-1:000000000000:larder-Dead"]),
            },
            Permission {
                actions: texts([
                    "sqs:ReceiveMessage",
                    "sqs:DeleteMessage",
                    "sqs:GetQueueAttributes",
                ]),
                resources: texts([jobs_arn]),
            },
        ],
        has_url: false,
        recursive_loop: RecursiveLoop::Terminate,
    };
    let trigger = Trigger {
        queue: "larder-Jobs".to_owned(),
        function: "Worker".to_owned(),
        batch_size: 5,
        maximum_concurrency: Some(2),
        reports_failures: true,
    };
    let expected = Stack {
        queues: vec![dead, jobs],
        functions: vec![worker],
        triggers: vec![trigger],
        ..Stack::default()
    };

    assert_eq!(stack(WORKER)?, expected);

    Ok(())
}

#[test]
fn trigger_has_defaults_of_lambda() -> Result<(), Diagnostics> {
    let start = WORKER.find("            BatchSize").expect("a BatchSize");
    let end = WORKER
        .find("            FunctionResponseTypes")
        .expect("FunctionResponseTypes");
    let template =
        format!("{}{}", &WORKER[..start], &WORKER[end..]).replace("FunctionResponseTypes", "#");
    let trigger = &stack(&template)?.triggers[0];
    assert_eq!(trigger.batch_size, 10);
    assert_eq!(
        (trigger.maximum_concurrency, trigger.reports_failures),
        (None, false)
    );
    Ok(())
}

#[test]
fn function_may_allow_recursive_loops() -> Result<(), Diagnostics> {
    for (value, expected) in [
        ("Allow", RecursiveLoop::Allow),
        ("Terminate", RecursiveLoop::Terminate),
    ] {
        let template = WORKER.replace("MemorySize: 256", &format!("RecursiveLoop: {value}"));
        assert_eq!(stack(&template)?.functions[0].recursive_loop, expected);
    }
    let shown = diagnostics(&WORKER.replace("MemorySize: 256", "RecursiveLoop: Perhaps"));
    assert!(
        shown.contains("`RecursiveLoop` must be Allow or Terminate"),
        "{shown}"
    );
    Ok(())
}

#[test]
fn alarm_names_its_queue() -> Result<(), Diagnostics> {
    let alarm = r"
  DeadAlarm:
    Type: AWS::CloudWatch::Alarm
    Properties:
      Namespace: AWS/SQS
      MetricName: ApproximateNumberOfMessagesVisible
      Dimensions: [{ Name: QueueName, Value: !GetAtt Dead.QueueName }]
      Statistic: Maximum
      Period: 300
      EvaluationPeriods: 1
      ComparisonOperator: GreaterThanThreshold
      Threshold: 0
";
    let expected = QueueAlarm {
        logical_id: "DeadAlarm".to_owned(),
        queue: "larder-Dead".to_owned(),
    };
    assert_eq!(stack(&format!("{WORKER}{alarm}"))?.alarms, [expected]);

    let shown = diagnostics(&format!(
        "{WORKER}{}",
        alarm.replace("Threshold: 0", "Threshold: 9")
    ));
    assert!(
        shown.contains("`Threshold` is supported as `0` only"),
        "{shown}"
    );
    Ok(())
}

/// AWS rejects such an event source mapping.
#[test]
fn visibility_timeout_shorter_than_function_timeout_is_rejected() {
    let shown = diagnostics(&WORKER.replace("VisibilityTimeout: 120", "VisibilityTimeout: 19"));
    assert!(
        shown.starts_with("template.yaml:10: `VisibilityTimeout` is shorter than"),
        "{shown}"
    );
}

#[test]
fn table() -> Result<(), Diagnostics> {
    let template = r"
Resources:
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: things
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions:
        - { AttributeName: pk, AttributeType: S }
        - { AttributeName: at, AttributeType: N }
      KeySchema: [{ AttributeName: pk, KeyType: HASH }, { AttributeName: at, KeyType: RANGE }]
      TimeToLiveSpecification: { AttributeName: gone_at, Enabled: true }
";

    let attributes = [("at", AttributeType::Number), ("pk", AttributeType::String)];
    let expected = Table {
        logical_id: "Table".to_owned(),
        name: "things".to_owned(),
        key: Key {
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
fn bucket_with_rules() -> Result<(), Diagnostics> {
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
    let expected = Bucket {
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
fn rule_sends_to_queue_periodically() -> Result<(), Diagnostics> {
    for (expression, period_seconds) in [
        ("1 day", 86_400),
        ("2 days", 172_800),
        ("1 hour", 3_600),
        ("12 hours", 43_200),
        ("5 minutes", 300),
    ] {
        let expected = Schedule {
            rule: "Daily".to_owned(),
            period_seconds,
            queue: "larder-Jobs".to_owned(),
            message: "{\"a\": 1}".to_owned(),
        };
        assert_eq!(
            stack(&SCHEDULE.replace("1 day", expression))?.schedules,
            [expected]
        );
    }

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
      Policies:
        - AWSSecretsManagerGetSecretValuePolicy: { SecretArn: !Ref Long }
";

    let stack = stack(template)?;
    let secret = |id: &str, length, excludes_punctuation| Secret {
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

    let actions = vec!["secretsmanager:GetSecretValue".to_owned()];
    assert_eq!(
        function.permissions,
        [Permission {
            actions,
            resources: vec![arn("Long")]
        }]
    );

    Ok(())
}

#[test]
fn routes_and_cdn_origin() -> Result<(), Diagnostics> {
    let template = r"
Resources:
  Api: { Type: AWS::Serverless::HttpApi, Properties: { StageName: $default } }
  Edge:
    Type: AWS::Serverless::Function
    Metadata: { BuildMethod: rust-cargolambda, BuildProperties: { Binary: edge } }
    Properties:
      FunctionUrlConfig: { AuthType: AWS_IAM, InvokeMode: BUFFERED }
      Events:
        One: { Type: HttpApi, Properties: { ApiId: !Ref Api, Method: get, Path: '/a/{id}' } }
        Rest: { Type: HttpApi, Properties: { ApiId: !Ref Api } }
  Cdn:
    Type: AWS::CloudFront::Distribution
    Properties:
      DistributionConfig:
        Enabled: true
        Origins:
          - { Id: edge, DomainName: !Select [2, !Split [/, !GetAtt EdgeUrl.FunctionUrl]] }
        DefaultCacheBehavior: { TargetOriginId: edge, ViewerProtocolPolicy: https-only }
";

    let stack = stack(template)?;
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
