//! The supported resource types: their names, the values of references to them, and their
//! properties without a local effect.
//!
//! Invariant: a type that is not listed here is not supported.
//!
//! [`crate::scope::Scope`] fills the placeholders of patterns: `{name}` (the physical name), `{id}`
//! (the logical id), `{stack}`, `{region}`, `{account}`, `{queue_url_base}` and `{secret_suffix}`.

/// The role of a resource in the local stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Table,
    Bucket,
    Queue,
    Secret,
    Function,
    /// A function URL, which SAM creates from `FunctionUrlConfig`.
    FunctionUrl,
    HttpApi,
    Distribution,
    /// An EventBridge rule that sends messages to a queue.
    Rule,
    /// A resource policy of a queue.
    QueuePolicy,
    /// A CloudWatch alarm.
    Alarm,
    /// The role of a function.
    Role,
    /// A policy that roles share.
    ManagedPolicy,
    /// An event source mapping: a queue that invokes a function.
    Trigger,
    /// Supported, but without a local effect.
    Inert,
}

impl Kind {
    /// Returns the noun of a resource that others refer to.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Kind::Bucket => "bucket",
            Kind::Function => "function",
            Kind::ManagedPolicy => "managed policy",
            Kind::Queue => "queue",
            Kind::Role => "role",
            _ => "resource",
        }
    }
}

/// An attribute of a resource.
#[derive(Debug)]
pub(crate) struct Attribute {
    pub(crate) name: &'static str,
    /// Pattern of the value; `None` if only a deployment knows the value.
    pub(crate) pattern: Option<&'static str>,
}

impl Attribute {
    const fn derived(name: &'static str, pattern: &'static str) -> Self {
        Self {
            name,
            pattern: Some(pattern),
        }
    }

    const fn after_deployment(name: &'static str) -> Self {
        Self {
            name,
            pattern: None,
        }
    }
}

/// One resource type.
#[derive(Debug)]
pub(crate) struct ResourceDefinition {
    /// `AWS::SQS::Queue`.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// The property that sets the physical name.
    pub(crate) name_property: Option<&'static str>,
    /// Pattern of the physical name if no property sets it.
    pub(crate) default_name: &'static str,
    /// Pattern of the value of `!Ref`.
    pub(crate) reference: &'static str,
    /// Attributes that `!GetAtt` returns.
    pub(crate) attributes: &'static [Attribute],
    /// Properties without a local effect.
    pub(crate) without_effect: &'static [&'static str],
}

const INERT: ResourceDefinition = ResourceDefinition {
    name: "",
    kind: Kind::Inert,
    name_property: None,
    default_name: "{stack}-{id}",
    reference: "{name}",
    attributes: &[],
    without_effect: &[],
};

const SECRET_ARN: &str = "arn:aws:secretsmanager:{region}:{account}:secret:{name}-{secret_suffix}";

/// Types that only the distribution uses, which finds them by name.
pub(crate) const PUBLIC_KEY: &str = "AWS::CloudFront::PublicKey";
pub(crate) const KEY_GROUP: &str = "AWS::CloudFront::KeyGroup";
pub(crate) const CACHE_POLICY: &str = "AWS::CloudFront::CachePolicy";
pub(crate) const RESPONSE_HEADERS_POLICY: &str = "AWS::CloudFront::ResponseHeadersPolicy";
pub(crate) const PERMISSION: &str = "AWS::Lambda::Permission";
pub(crate) const BUCKET_POLICY: &str = "AWS::S3::BucketPolicy";

const TYPES: &[ResourceDefinition] = &[
    ResourceDefinition {
        name: "AWS::DynamoDB::Table",
        kind: Kind::Table,
        name_property: Some("TableName"),
        attributes: &[Attribute::derived(
            "Arn",
            "arn:aws:dynamodb:{region}:{account}:table/{name}",
        )],
        without_effect: &[
            "BillingMode",
            "DeletionProtectionEnabled",
            "PointInTimeRecoverySpecification",
            "ProvisionedThroughput",
            "SSESpecification",
            "TableClass",
            "Tags",
            "WarmThroughput",
        ],
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::S3::Bucket",
        kind: Kind::Bucket,
        name_property: Some("BucketName"),
        default_name: "{stack}-{id}-{account}",
        attributes: &[
            Attribute::derived("Arn", "arn:aws:s3:::{name}"),
            Attribute::derived("DomainName", "{name}.s3.amazonaws.com"),
            Attribute::derived("RegionalDomainName", "{name}.s3.{region}.amazonaws.com"),
        ],
        without_effect: &[
            "BucketEncryption",
            "OwnershipControls",
            "PublicAccessBlockConfiguration",
            "Tags",
        ],
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::SQS::Queue",
        kind: Kind::Queue,
        name_property: Some("QueueName"),
        reference: "{queue_url_base}/{account}/{name}",
        attributes: &[
            Attribute::derived("Arn", "arn:aws:sqs:{region}:{account}:{name}"),
            Attribute::derived("QueueName", "{name}"),
            Attribute::derived("QueueUrl", "{queue_url_base}/{account}/{name}"),
        ],
        without_effect: &["SqsManagedSseEnabled", "Tags"],
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::SQS::QueuePolicy",
        kind: Kind::QueuePolicy,
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::Events::Rule",
        kind: Kind::Rule,
        name_property: Some("Name"),
        attributes: &[Attribute::derived(
            "Arn",
            "arn:aws:events:{region}:{account}:rule/{name}",
        )],
        without_effect: &["Description"],
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::CloudWatch::Alarm",
        kind: Kind::Alarm,
        name_property: Some("AlarmName"),
        attributes: &[Attribute::derived(
            "Arn",
            "arn:aws:cloudwatch:{region}:{account}:alarm:{name}",
        )],
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::CloudWatch::Dashboard",
        without_effect: &["DashboardBody", "DashboardName"],
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::Budgets::Budget",
        without_effect: &["Budget", "NotificationsWithSubscribers"],
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::SecretsManager::Secret",
        kind: Kind::Secret,
        reference: SECRET_ARN,
        attributes: &[Attribute::derived("Id", SECRET_ARN)],
        without_effect: &["Description", "Tags"],
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::Serverless::Function",
        kind: Kind::Function,
        name_property: Some("FunctionName"),
        attributes: &[Attribute::derived(
            "Arn",
            "arn:aws:lambda:{region}:{account}:function:{name}",
        )],
        without_effect: &[
            "Architectures",
            "CodeUri",
            "Description",
            "Handler",
            "LoggingConfig",
            "ReservedConcurrentExecutions",
            "Runtime",
            "Tags",
            "Tracing",
        ],
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::Lambda::EventSourceMapping",
        kind: Kind::Trigger,
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::IAM::Role",
        kind: Kind::Role,
        attributes: &[Attribute::derived(
            "Arn",
            "arn:aws:iam::{account}:role/{name}",
        )],
        without_effect: &["Description", "Tags"],
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::IAM::ManagedPolicy",
        kind: Kind::ManagedPolicy,
        reference: "arn:aws:iam::{account}:policy/{name}",
        without_effect: &["Description"],
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::Serverless::HttpApi",
        kind: Kind::HttpApi,
        attributes: &[
            Attribute::after_deployment("ApiEndpoint"),
            Attribute::derived("ApiId", "{name}"),
        ],
        without_effect: &[
            "AccessLogSettings",
            "DefaultRouteSettings",
            "Description",
            "Name",
            "Tags",
        ],
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::ApiGatewayV2::DomainName",
        attributes: &[Attribute::after_deployment("RegionalDomainName")],
        without_effect: &["DomainName", "DomainNameConfigurations"],
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::ApiGatewayV2::ApiMapping",
        without_effect: &["ApiId", "DomainName", "Stage"],
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::CloudFront::Distribution",
        kind: Kind::Distribution,
        attributes: &[
            Attribute::after_deployment("DomainName"),
            Attribute::derived("Id", "{name}"),
        ],
        without_effect: &["Tags"],
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::CloudFront::OriginAccessControl",
        attributes: &[Attribute::derived("Id", "{name}")],
        without_effect: &["OriginAccessControlConfig"],
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::CloudFront::Function",
        reference: "arn:aws:cloudfront::{account}:function/{name}",
        attributes: &[Attribute::derived(
            "FunctionARN",
            "arn:aws:cloudfront::{account}:function/{name}",
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
    ResourceDefinition {
        name: PUBLIC_KEY,
        attributes: &[Attribute::derived("Id", "{name}")],
        without_effect: &["PublicKeyConfig"],
        ..INERT
    },
    ResourceDefinition {
        name: KEY_GROUP,
        attributes: &[Attribute::derived("Id", "{name}")],
        without_effect: &["KeyGroupConfig"],
        ..INERT
    },
    ResourceDefinition {
        name: CACHE_POLICY,
        attributes: &[Attribute::derived("Id", "{name}")],
        without_effect: &["CachePolicyConfig"],
        ..INERT
    },
    ResourceDefinition {
        name: RESPONSE_HEADERS_POLICY,
        attributes: &[Attribute::derived("Id", "{name}")],
        without_effect: &["ResponseHeadersPolicyConfig"],
        ..INERT
    },
    ResourceDefinition {
        name: BUCKET_POLICY,
        without_effect: &["Bucket", "PolicyDocument"],
        ..INERT
    },
    ResourceDefinition {
        name: PERMISSION,
        without_effect: &[
            "Action",
            "FunctionName",
            "InvokedViaFunctionUrl",
            "Principal",
            "SourceAccount",
            "SourceArn",
        ],
        ..INERT
    },
    ResourceDefinition {
        name: "AWS::Logs::LogGroup",
        name_property: Some("LogGroupName"),
        attributes: &[Attribute::derived(
            "Arn",
            "arn:aws:logs:{region}:{account}:log-group:{name}:*",
        )],
        without_effect: &["DeletionProtectionEnabled", "RetentionInDays", "Tags"],
        ..INERT
    },
];

/// The resource that SAM creates from `FunctionUrlConfig`; its logical id is the function's and `Url`.
pub(crate) const FUNCTION_URL: ResourceDefinition = ResourceDefinition {
    name: "AWS::Lambda::Url",
    kind: Kind::FunctionUrl,
    attributes: &[Attribute::derived(
        "FunctionUrl",
        "https://{name}.lambda-url.{region}.on.aws/",
    )],
    ..INERT
};

/// Returns the type of that name, if it is supported.
pub(crate) fn resource_type(name: &str) -> Option<&'static ResourceDefinition> {
    TYPES
        .iter()
        .find(|resource_type| resource_type.name == name)
}
