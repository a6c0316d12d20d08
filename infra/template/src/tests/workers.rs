//! Tests of functions, queues, alarms and rules against the model.

use super::{SCHEDULE, diagnostics, stack, texts};
use crate::{
    Alarm, AlarmMetric, Diagnostics, Function, Permission, QueueSpec, RecursiveLoop, Redrive,
    ResolvedTemplate, Schedule, Trigger,
};

/// A function with a role, and a queue that invokes it.
pub(super) const WORKER: &str = r"
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
      Environment: { Variables: { PLACE: here, QUEUE_URL: !Ref Jobs, PRESIGN_ROLE_ARN: !GetAtt UrlRole.Arn } }
      Role: !GetAtt WorkerRole.Arn
  WorkerJobs:
    Type: AWS::Lambda::EventSourceMapping
    Properties:
      FunctionName: !Ref Worker
      EventSourceArn: !GetAtt Jobs.Arn
      BatchSize: 5
      MaximumBatchingWindowInSeconds: 0
      ScalingConfig: { MaximumConcurrency: 2 }
      FunctionResponseTypes: [ReportBatchItemFailures]
  WorkerRole:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Version: '2012-10-17'
        Statement: { Effect: Allow, Action: sts:AssumeRole, Principal: { Service: lambda.amazonaws.com } }
      ManagedPolicyArns: [!Ref Receive]
      Policies:
        - PolicyName: own
          PolicyDocument: { Version: '2012-10-17', Statement: { Effect: Allow, Action: sqs:SendMessage, Resource: !GetAtt Dead.Arn } }
  UrlRole:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Version: '2012-10-17'
        Statement: { Effect: Allow, Action: sts:AssumeRole, Principal: { AWS: !GetAtt WorkerRole.Arn } }
      ManagedPolicyArns: [!Ref Receive]
  MayPresign:
    Type: AWS::IAM::ManagedPolicy
    Properties:
      Roles: [!Ref WorkerRole]
      PolicyDocument: { Version: '2012-10-17', Statement: { Effect: Allow, Action: sts:AssumeRole, Resource: !GetAtt UrlRole.Arn } }
  Receive:
    Type: AWS::IAM::ManagedPolicy
    Properties:
      PolicyDocument: { Version: '2012-10-17', Statement: [{ Effect: Allow, Action: [sqs:ReceiveMessage], Resource: '*' }] }
";

/// Returns a queue with the defaults of SQS.
fn queue(id: &str) -> QueueSpec {
    QueueSpec {
        logical_id: id.to_owned(),
        name: format!("larder-{id}"),
        visibility_timeout_seconds: 30,
        delay_seconds: 0,
        retention_seconds: 345_600,
        redrive: None,
    }
}

#[test]
fn worker_is_triggered_by_queue() -> Result<(), Diagnostics> {
    let trigger = Trigger {
        queue: "larder-Jobs".to_owned(),
        function: "Worker".to_owned(),
        batch_size: 5,
        maximum_concurrency: Some(2),
        reports_failures: true,
    };

    let stack = stack(WORKER)?;
    let expected = ResolvedTemplate {
        queues: stack.queues.clone(),
        functions: stack.functions.clone(),
        triggers: vec![trigger],
        ..ResolvedTemplate::default()
    };

    assert_eq!(stack, expected);

    Ok(())
}

#[test]
fn failed_messages_move_to_dead_letter_queue() -> Result<(), Diagnostics> {
    let dead = QueueSpec {
        retention_seconds: 1_209_600,
        ..queue("Dead")
    };
    let jobs = QueueSpec {
        visibility_timeout_seconds: 120,
        delay_seconds: 2,
        redrive: Some(Redrive {
            dead_letter_queue: "larder-Dead".to_owned(),
            max_receive_count: 3,
        }),
        ..queue("Jobs")
    };

    assert_eq!(stack(WORKER)?.queues, [dead, jobs]);

    Ok(())
}

#[test]
fn function_has_environment_and_permissions() -> Result<(), Diagnostics> {
    let environment = [
        ("LEVEL", "info"),
        ("PLACE", "here"),
        (
            "PRESIGN_ROLE_ARN",
            "arn:aws:iam::000000000000:role/larder-UrlRole",
        ),
        (
            "QUEUE_URL",
            "http://127.0.0.1:9324/000000000000/larder-Jobs",
        ),
    ];
    let send = Permission {
        actions: texts(["sqs:SendMessage"]),
        resources: texts(["arn:aws:sqs:eu-central-1:000000000000:larder-Dead"]),
    };
    let receive = Permission {
        actions: texts(["sqs:ReceiveMessage"]),
        resources: texts(["*"]),
    };
    let assume = Permission {
        actions: texts(["sts:AssumeRole"]),
        resources: texts(["arn:aws:iam::000000000000:role/larder-UrlRole"]),
    };
    let worker = Function {
        logical_id: "Worker".to_owned(),
        name: "larder-Worker".to_owned(),
        binary: "worker".to_owned(),
        timeout_seconds: 20,
        memory_mib: 256,
        environment: environment
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        permissions: vec![send, receive.clone(), assume],
        presign_permissions: Some(vec![receive]),
        has_url: false,
        recursive_loop: RecursiveLoop::Terminate,
    };

    assert_eq!(stack(WORKER)?.functions, [worker]);

    Ok(())
}

#[test]
fn trigger_has_defaults_of_lambda() -> Result<(), Diagnostics> {
    let start = WORKER.find("      BatchSize").expect("a BatchSize");
    let end = WORKER.find("  WorkerRole").expect("a role");
    let template = format!("{}{}", &WORKER[..start], &WORKER[end..]);

    let trigger = &stack(&template)?.triggers[0];
    assert_eq!(trigger.batch_size, 10);
    assert_eq!(trigger.maximum_concurrency, None);
    assert!(!trigger.reports_failures);

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

const ALARM: &str = r"
  DeadAlarm:
    Type: AWS::CloudWatch::Alarm
    Properties:
      AlarmDescription: Dead.
      Namespace: AWS/SQS
      MetricName: ApproximateNumberOfMessagesVisible
      Dimensions: [{ Name: QueueName, Value: !GetAtt Dead.QueueName }]
      Statistic: Maximum
      Period: 300
      EvaluationPeriods: 2
      ComparisonOperator: GreaterThanThreshold
      Threshold: 0
      TreatMissingData: notBreaching
";

const EXPRESSION_ALARM: &str = r#"
  DeadAlarm:
    Type: AWS::CloudWatch::Alarm
    Properties: { AlarmDescription: Dead.,
      Metrics: [
        { Id: value, Expression: "SUM(FILL(METRICS(), 0))" },
        { Id: dead, ReturnData: false, MetricStat: { Metric: { Namespace: AWS/SQS, MetricName: A }, Period: 60, Stat: p95 } },
        { Id: jobs, ReturnData: false, MetricStat: { Metric: { Namespace: AWS/SQS, MetricName: B }, Period: 60, Stat: Sum } }
      ],
      EvaluationPeriods: 2, DatapointsToAlarm: 1, ComparisonOperator: GreaterThanThreshold, Threshold: 9, TreatMissingData: notBreaching }
"#;

#[test]
fn alarm_has_a_metric_or_an_expression_over_several() -> Result<(), Diagnostics> {
    let metric = |id: &str, name: &str, dimensions: &[(&str, &str)], statistic: &str| {
        let dimensions = dimensions.iter();
        AlarmMetric {
            id: id.to_owned(),
            namespace: "AWS/SQS".to_owned(),
            name: name.to_owned(),
            dimensions: dimensions
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            statistic: statistic.to_owned(),
        }
    };
    let dead = [("QueueName", "larder-Dead")];
    let visible = "ApproximateNumberOfMessagesVisible";
    let simple = Alarm {
        logical_id: "DeadAlarm".to_owned(),
        description: "Dead.".to_owned(),
        metrics: vec![metric("value", visible, &dead, "Maximum")],
        expression: None,
        period_seconds: 300,
        evaluation_periods: 2,
        datapoints_to_alarm: 2,
        threshold: 0,
        has_actions: false,
    };
    let with_expression = Alarm {
        metrics: vec![
            metric("dead", "A", &[], "p95"),
            metric("jobs", "B", &[], "Sum"),
        ],
        expression: Some("SUM(FILL(METRICS(), 0))".to_owned()),
        period_seconds: 60,
        datapoints_to_alarm: 1,
        threshold: 9,
        has_actions: false,
        ..simple.clone()
    };

    for (alarm, expected) in [(ALARM, simple), (EXPRESSION_ALARM, with_expression)] {
        assert_eq!(stack(&format!("{WORKER}{alarm}"))?.alarms, [expected]);
    }
    Ok(())
}

#[test]
fn alarm_that_the_model_cannot_represent_is_rejected() {
    for (alarm, from, to, expected) in [
        (
            ALARM,
            "notBreaching",
            "missing",
            "`TreatMissingData` is supported as `notBreaching` only",
        ),
        (
            ALARM,
            "GreaterThan",
            "LessThan",
            "`ComparisonOperator` is supported as",
        ),
        (
            ALARM,
            "Threshold: 0",
            "Threshold: 0.5",
            "`Threshold` must be a whole number",
        ),
        (
            ALARM,
            "Statistic: Maximum",
            "Unit: Count",
            "`Statistic` of AWS::CloudWatch::Alarm is missing",
        ),
        (
            EXPRESSION_ALARM,
            "Period: 60, Stat: Sum",
            "Period: 300, Stat: Sum",
            "must have one `Period`",
        ),
        (
            EXPRESSION_ALARM,
            "{ Id: value, Expression: \"SUM(FILL(METRICS(), 0))\" },",
            "",
            "with one `Expression` only",
        ),
        (
            EXPRESSION_ALARM,
            "Id: dead, ReturnData: false",
            "Id: dead",
            "`ReturnData` of an item of Metrics is missing",
        ),
    ] {
        let shown = diagnostics(&format!("{WORKER}{}", alarm.replace(from, to)));
        assert!(shown.contains(expected), "{from}: {shown}");
    }
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
