//! Refusals in each service's own shape.

use axum::body::Body;
use http::{HeaderValue, Method, Response, StatusCode, header::CONTENT_TYPE};
use serde_json::{Value, json};

use super::{
    Service, conflict::Kind, fault::InjectedError, operation::Operation,
    permission::RequiredPermission,
};
use crate::secrets;

/// What qualifies the types of DynamoDB's errors.
const DYNAMODB_NAMESPACE: &str = "com.amazonaws.dynamodb.v20120810";

/// What qualifies the types of SQS's errors.
const SQS_NAMESPACE: &str = "com.amazonaws.sqs";

/// Why a transaction may be cancelled without fault of its own, and what DynamoDB says of it.
const CANCELLATIONS: [(&str, &str); 3] = [
    (TRANSACTION_CONFLICT, "Transaction is ongoing for the item"),
    (
        "ProvisionedThroughputExceeded",
        "The level of configured provisioned throughput for the table was exceeded.",
    ),
    (
        "ThrottlingError",
        "Throughput exceeds the current throughput limit for your account or table.",
    ),
];

/// Two transactions, or a transaction and a write, met on an item.
const TRANSACTION_CONFLICT: &str = "TransactionConflict";

/// Why a request is refused before it reaches its service.
#[derive(Clone, Debug)]
pub(crate) struct Rejection {
    pub(super) status: StatusCode,
    pub(super) code: String,
    pub(super) message: String,
    /// Of a transaction, the members that it is about, counted from 0.
    members: Vec<usize>,
}

impl Rejection {
    /// Nobody holds the request's access key. DynamoDB and Secrets Manager answer 400 where the
    /// others answer 403.
    pub(super) fn unknown_key(service: Service) -> Rejection {
        let (status, code) = match service {
            Service::DynamoDb | Service::SecretsManager => {
                (StatusCode::BAD_REQUEST, "UnrecognizedClientException")
            }
            Service::S3 => (StatusCode::FORBIDDEN, "InvalidAccessKeyId"),
            Service::Sqs => (StatusCode::FORBIDDEN, "InvalidClientTokenId"),
        };
        Rejection::new(
            status,
            code,
            "The access key of this request is not known here.",
        )
    }

    /// The request carries no credentials.
    pub(super) fn anonymous(service: Service) -> Rejection {
        let (status, code) = match service {
            Service::DynamoDb | Service::SecretsManager => (
                StatusCode::BAD_REQUEST,
                "MissingAuthenticationTokenException",
            ),
            Service::S3 => (StatusCode::FORBIDDEN, "AccessDenied"),
            Service::Sqs => (StatusCode::FORBIDDEN, "MissingAuthenticationToken"),
        };
        Rejection::new(status, code, "The request carries no credentials.")
    }

    /// The principal's role does not allow it. DynamoDB and Secrets Manager answer 400 where the
    /// others answer 403.
    pub(super) fn denied(
        service: Service,
        principal: &str,
        need: &RequiredPermission,
    ) -> Rejection {
        let (status, code) = match service {
            Service::DynamoDb | Service::SecretsManager => {
                (StatusCode::BAD_REQUEST, "AccessDeniedException")
            }
            Service::S3 | Service::Sqs => (StatusCode::FORBIDDEN, "AccessDenied"),
        };
        let RequiredPermission { action, resource } = need;
        let message =
            format!("{principal} is not authorized to perform: {action} on resource: {resource}");
        Rejection::new(status, code, &message)
    }

    /// The body is larger than any that the service takes.
    pub(super) fn too_large() -> Rejection {
        Rejection::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "RequestEntityTooLarge",
            "The request's body is too large.",
        )
    }

    /// The body ended early.
    pub(super) fn incomplete() -> Rejection {
        Rejection::new(
            StatusCode::BAD_REQUEST,
            "IncompleteBody",
            "The request's body ended before it was complete.",
        )
    }

    /// A planned error.
    pub(super) fn planned(error: &InjectedError) -> Rejection {
        let status =
            StatusCode::from_u16(error.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Rejection::new(status, &error.code, "This error was planned.")
    }

    /// Others are at work on these items of a call.
    pub(super) fn conflict(kind: Kind, members: Vec<usize>) -> Rejection {
        let code = if kind == Kind::Write {
            "TransactionConflictException"
        } else {
            TRANSACTION_CONFLICT
        };
        let rejection = Rejection::new(
            StatusCode::BAD_REQUEST,
            code,
            "Transaction is ongoing for the item",
        );
        Rejection {
            members,
            ..rejection
        }
    }

    fn new(status: StatusCode, code: &str, message: &str) -> Rejection {
        Rejection {
            status,
            code: code.to_owned(),
            message: message.to_owned(),
            members: vec![0],
        }
    }

    /// The answer to a request in the service's shape.
    pub(super) fn answer(
        &self,
        service: Service,
        method: &Method,
        operation: &Operation,
    ) -> Response<Body> {
        match service {
            Service::DynamoDb => self.json(
                DYNAMODB_NAMESPACE,
                &operation.name,
                operation.required.len(),
            ),
            Service::SecretsManager => secrets::rejection(self.status, &self.code, &self.message),
            Service::Sqs => self.query_compatible(&operation.name),
            Service::S3 => self.xml(method),
        }
    }

    /// AWS JSON; what befalls a member of a transaction cancels it with all that it `counts`.
    fn json(&self, namespace: &str, operation: &str, counts: usize) -> Response<Body> {
        let cancels = CANCELLATIONS.iter().find(|(code, _)| *code == self.code);
        let body = match cancels.filter(|_| operation.starts_with("Transact")) {
            Some(reason) => cancellation(namespace, *reason, &self.members, counts),
            None => {
                json!({ "__type": format!("{namespace}#{}", self.code), "message": self.message })
            }
        };
        with_status(
            self.status,
            "application/x-amz-json-1.0",
            Body::from(body.to_string()),
        )
    }

    /// AWS JSON for SQS, whose clients read the older protocol's code from a header.
    fn query_compatible(&self, operation: &str) -> Response<Body> {
        let mut answer = self.json(SQS_NAMESPACE, operation, 0);
        let fault = if self.status.is_server_error() {
            "Receiver"
        } else {
            "Sender"
        };
        if let Ok(error) = HeaderValue::try_from(format!("{};{fault}", self.code)) {
            answer.headers_mut().insert("x-amzn-query-error", error);
        }
        answer
    }

    /// S3's XML; an answer to HEAD has no body.
    pub(super) fn xml(&self, method: &Method) -> Response<Body> {
        let body = if *method == Method::HEAD {
            Body::empty()
        } else {
            let (code, message) = (escape(&self.code), escape(&self.message));
            Body::from(format!(
                r#"<?xml version="1.0" encoding="UTF-8"?><Error><Code>{code}</Code><Message>{message}</Message></Error>"#
            ))
        };
        with_status(self.status, "application/xml", body)
    }
}

/// A transaction some of whose members were cancelled; the others are as good as ever.
fn cancellation(
    namespace: &str,
    (code, message): (&str, &str),
    cancelled: &[usize],
    counts: usize,
) -> Value {
    let reason = |member: usize| {
        if cancelled.contains(&member) {
            json!({ "Code": code, "Message": message })
        } else {
            json!({ "Code": "None" })
        }
    };
    let reasons: Vec<_> = (0..counts.max(1)).map(reason).collect();
    let codes: Vec<_> = reasons
        .iter()
        .filter_map(|reason| reason["Code"].as_str())
        .collect();
    let codes = codes.join(", ");
    json!({
        "__type": format!("{namespace}#TransactionCanceledException"),
        "Message": format!("Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"),
        "CancellationReasons": reasons,
    })
}

fn with_status(status: StatusCode, content_type: &'static str, body: Body) -> Response<Body> {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    answer
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    answer
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
