//! The resource types that are understood: what they are called, how others refer to them, and
//! which of their properties change nothing on one machine.
//!
//! Invariant: a type that is not listed here does not exist. Patterns are filled by
//! [`crate::scope::Scope`]: `{name}` is the physical name, `{stack}`, `{id}`, `{region}`,
//! `{account}`, `{queue_url_base}` and `{secret_suffix}` say what they are.

/// What a resource is to the local stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Table,
    Bucket,
    Queue,
    Secret,
    Function,
    /// The address of a function, which SAM makes of `FunctionUrlConfig`.
    FunctionUrl,
    HttpApi,
    Distribution,
    /// A rule of EventBridge that sends messages.
    Rule,
    /// Who may send to a queue beside the functions' roles.
    QueuePolicy,
    /// An alarm on a queue.
    Alarm,
    /// Known, and nothing of it runs locally.
    Inert,
}

/// One resource type.
#[derive(Debug)]
pub(crate) struct ResourceType {
    /// `AWS::SQS::Queue`.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// The property that sets the physical name.
    pub(crate) name_property: Option<&'static str>,
    /// The physical name where no property sets it.
    pub(crate) default_name: &'static str,
    /// What `!Ref` gives.
    pub(crate) reference: &'static str,
    /// What `!GetAtt` gives; `None` is known to a deployment alone.
    pub(crate) attributes: &'static [(&'static str, Option<&'static str>)],
    /// Properties without local effect.
    pub(crate) without_effect: &'static [&'static str],
}

const INERT: ResourceType = ResourceType {
    name: "",
    kind: Kind::Inert,
    name_property: None,
    default_name: "{stack}-{id}",
    reference: "{name}",
    attributes: &[],
    without_effect: &[],
};

const SECRET_ARN: &str = "arn:aws:secretsmanager:{region}:{account}:secret:{name}-{secret_suffix}";

const TYPES: &[ResourceType] = &[
    ResourceType {
        name: "AWS::DynamoDB::Table",
        kind: Kind::Table,
        name_property: Some("TableName"),
        attributes: &[(
            "Arn",
            Some("arn:aws:dynamodb:{region}:{account}:table/{name}"),
        )],
        without_effect: &[
            "BillingMode",
            "ContributorInsightsSpecification",
            "DeletionProtectionEnabled",
            "PointInTimeRecoverySpecification",
            "ProvisionedThroughput",
            "SSESpecification",
            "TableClass",
            "Tags",
        ],
        ..INERT
    },
    ResourceType {
        name: "AWS::S3::Bucket",
        kind: Kind::Bucket,
        name_property: Some("BucketName"),
        default_name: "{stack}-{id}-{account}",
        attributes: &[
            ("Arn", Some("arn:aws:s3:::{name}")),
            ("DomainName", Some("{name}.s3.amazonaws.com")),
            (
                "RegionalDomainName",
                Some("{name}.s3.{region}.amazonaws.com"),
            ),
        ],
        without_effect: &[
            "BucketEncryption",
            "LoggingConfiguration",
            "MetricsConfigurations",
            "OwnershipControls",
            "PublicAccessBlockConfiguration",
            "Tags",
        ],
        ..INERT
    },
    ResourceType {
        name: "AWS::SQS::Queue",
        kind: Kind::Queue,
        name_property: Some("QueueName"),
        reference: "{queue_url_base}/{account}/{name}",
        attributes: &[
            ("Arn", Some("arn:aws:sqs:{region}:{account}:{name}")),
            ("QueueName", Some("{name}")),
            ("QueueUrl", Some("{queue_url_base}/{account}/{name}")),
        ],
        without_effect: &[
            "KmsDataKeyReusePeriodSeconds",
            "KmsMasterKeyId",
            "RedriveAllowPolicy",
            "SqsManagedSseEnabled",
            "Tags",
        ],
        ..INERT
    },
    ResourceType {
        name: "AWS::SQS::QueuePolicy",
        kind: Kind::QueuePolicy,
        ..INERT
    },
    ResourceType {
        name: "AWS::Events::Rule",
        kind: Kind::Rule,
        name_property: Some("Name"),
        attributes: &[("Arn", Some("arn:aws:events:{region}:{account}:rule/{name}"))],
        without_effect: &["Description"],
        ..INERT
    },
    ResourceType {
        name: "AWS::CloudWatch::Alarm",
        kind: Kind::Alarm,
        name_property: Some("AlarmName"),
        attributes: &[(
            "Arn",
            Some("arn:aws:cloudwatch:{region}:{account}:alarm:{name}"),
        )],
        without_effect: &[
            "ActionsEnabled",
            "AlarmActions",
            "AlarmDescription",
            "DatapointsToAlarm",
            "EvaluationPeriods",
            "OKActions",
            "Period",
            "Statistic",
            "Tags",
            "TreatMissingData",
        ],
        ..INERT
    },
    ResourceType {
        name: "AWS::SecretsManager::Secret",
        kind: Kind::Secret,
        reference: SECRET_ARN,
        attributes: &[("Id", Some(SECRET_ARN))],
        without_effect: &["Description", "Tags"],
        ..INERT
    },
    ResourceType {
        name: "AWS::Serverless::Function",
        kind: Kind::Function,
        name_property: Some("FunctionName"),
        attributes: &[(
            "Arn",
            Some("arn:aws:lambda:{region}:{account}:function:{name}"),
        )],
        without_effect: &[
            "Architectures",
            "CodeUri",
            "Description",
            "EphemeralStorage",
            "Handler",
            "KmsKeyArn",
            "LoggingConfig",
            "PermissionsBoundary",
            "ReservedConcurrentExecutions",
            "Runtime",
            "Tags",
            "Tracing",
        ],
        ..INERT
    },
    ResourceType {
        name: "AWS::Serverless::HttpApi",
        kind: Kind::HttpApi,
        attributes: &[("ApiEndpoint", None), ("ApiId", Some("{name}"))],
        without_effect: &[
            "AccessLogSettings",
            "DefaultRouteSettings",
            "Description",
            "FailOnWarnings",
            "Name",
            "Tags",
        ],
        ..INERT
    },
    ResourceType {
        name: "AWS::CloudFront::Distribution",
        kind: Kind::Distribution,
        attributes: &[("DomainName", None), ("Id", Some("{name}"))],
        without_effect: &["Tags"],
        ..INERT
    },
    ResourceType {
        name: "AWS::CloudFront::OriginAccessControl",
        attributes: &[("Id", Some("{name}"))],
        without_effect: &["OriginAccessControlConfig"],
        ..INERT
    },
    ResourceType {
        name: "AWS::CloudFront::Function",
        reference: "arn:aws:cloudfront::{account}:function/{name}",
        attributes: &[(
            "FunctionARN",
            Some("arn:aws:cloudfront::{account}:function/{name}"),
        )],
        without_effect: &[
            "AutoPublish",
            "FunctionCode",
            "FunctionConfig",
            "Name",
            "Tags",
        ],
        ..INERT
    },
    ResourceType {
        name: "AWS::CloudFront::CachePolicy",
        attributes: &[("Id", Some("{name}"))],
        without_effect: &["CachePolicyConfig"],
        ..INERT
    },
    ResourceType {
        name: "AWS::CloudFront::OriginRequestPolicy",
        attributes: &[("Id", Some("{name}"))],
        without_effect: &["OriginRequestPolicyConfig"],
        ..INERT
    },
    ResourceType {
        name: "AWS::CloudFront::ResponseHeadersPolicy",
        attributes: &[("Id", Some("{name}"))],
        without_effect: &["ResponseHeadersPolicyConfig"],
        ..INERT
    },
    ResourceType {
        name: "AWS::S3::BucketPolicy",
        without_effect: &["Bucket", "PolicyDocument"],
        ..INERT
    },
    ResourceType {
        name: "AWS::Lambda::Permission",
        without_effect: &[
            "Action",
            "FunctionName",
            "FunctionUrlAuthType",
            "InvokedViaFunctionUrl",
            "Principal",
            "SourceAccount",
            "SourceArn",
        ],
        ..INERT
    },
    ResourceType {
        name: "AWS::Logs::LogGroup",
        name_property: Some("LogGroupName"),
        attributes: &[(
            "Arn",
            Some("arn:aws:logs:{region}:{account}:log-group:{name}:*"),
        )],
        without_effect: &[
            "DeletionProtectionEnabled",
            "KmsKeyId",
            "LogGroupClass",
            "RetentionInDays",
            "Tags",
        ],
        ..INERT
    },
    ResourceType {
        name: "AWS::KMS::Key",
        attributes: &[
            ("Arn", Some("arn:aws:kms:{region}:{account}:key/{name}")),
            ("KeyId", Some("{name}")),
        ],
        without_effect: &[
            "Description",
            "EnableKeyRotation",
            "KeyPolicy",
            "PendingWindowInDays",
            "Tags",
        ],
        ..INERT
    },
    ResourceType {
        name: "AWS::KMS::Alias",
        name_property: Some("AliasName"),
        without_effect: &["TargetKeyId"],
        ..INERT
    },
];

/// What SAM makes of `FunctionUrlConfig`, under the function's logical id and `Url`.
pub(crate) const FUNCTION_URL: ResourceType = ResourceType {
    name: "AWS::Lambda::Url",
    kind: Kind::FunctionUrl,
    attributes: &[(
        "FunctionUrl",
        Some("https://{name}.lambda-url.{region}.on.aws/"),
    )],
    ..INERT
};

/// What SAM makes of `Policies`, under the function's logical id and `Role`.
pub(crate) const FUNCTION_ROLE: ResourceType = ResourceType {
    name: "AWS::IAM::Role",
    attributes: &[("Arn", Some("arn:aws:iam::{account}:role/{name}"))],
    ..INERT
};

/// The type of that name, if it is understood.
pub(crate) fn resource_type(name: &str) -> Option<&'static ResourceType> {
    TYPES.iter().find(|known| known.name == name)
}
