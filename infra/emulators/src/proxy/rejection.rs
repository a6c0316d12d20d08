//! Error responses of the proxy in the format of each service.

use axum::body::Body;
use http::{HeaderValue, Method, Response, StatusCode, header::CONTENT_TYPE};
use serde_json::{Value, json};

use super::{
    attempt::AwsOperation, conflict::AccessKind, fault::InjectedError,
    permission::RequiredPermission, service::Service,
};
use crate::aws_json::{self, AwsJson};

/// Namespace of DynamoDB's error types.
const DYNAMODB_NAMESPACE: &str = "com.amazonaws.dynamodb.v20120810";

/// Namespace of SQS's error types.
const SQS_NAMESPACE: &str = "com.amazonaws.sqs";

/// A transaction met another transaction or a write on an item.
const TRANSACTION_CONFLICT: &str = "TransactionConflict";
const CONFLICT_MESSAGE: &str = "Transaction is ongoing for the item";

/// An item or the table of a transaction has no throughput left.
const THROTTLING_ERROR: &str = "ThrottlingError";
const THROTTLING_MESSAGE: &str =
    "Throughput exceeds the current throughput limit for your account or table.";

/// Why DynamoDB cancels a transaction that may succeed if it is retried.
struct CancellationReason {
    code: &'static str,
    message: &'static str,
}

const CANCELLATION_REASONS: [CancellationReason; 3] = [
    CancellationReason {
        code: TRANSACTION_CONFLICT,
        message: CONFLICT_MESSAGE,
    },
    CancellationReason {
        code: "ProvisionedThroughputExceeded",
        message: "The level of configured provisioned throughput for the table was exceeded.",
    },
    CancellationReason {
        code: THROTTLING_ERROR,
        message: THROTTLING_MESSAGE,
    },
];

/// An error that the proxy returns instead of forwarding the request.
#[derive(Clone, Debug)]
pub(crate) struct ProxyRejection {
    pub(super) status: StatusCode,
    code: String,
    message: String,
    /// Zero-based indexes of the transaction items that the error is about.
    item_indexes: Vec<usize>,
}

impl ProxyRejection {
    /// The access key is not registered. DynamoDB and Secrets Manager return 400 where the others
    /// return 403.
    pub(super) fn unknown_key(service: Service) -> ProxyRejection {
        let message = "The access key of the request is not registered.";
        match service {
            Service::DynamoDb | Service::SecretsManager => {
                Self::bad_request("UnrecognizedClientException", message)
            }
            Service::S3 => Self::forbidden("InvalidAccessKeyId", message),
            Service::Sqs => Self::forbidden("InvalidClientTokenId", message),
        }
    }

    /// The signature does not match. DynamoDB and Secrets Manager return 400 where the others
    /// return 403.
    pub(super) fn invalid_signature(service: Service) -> ProxyRejection {
        let message = "The signature of the request does not match.";
        match service {
            Service::DynamoDb | Service::SecretsManager => {
                Self::bad_request("InvalidSignatureException", message)
            }
            Service::S3 | Service::Sqs => Self::forbidden("SignatureDoesNotMatch", message),
        }
    }

    /// The request has no credentials.
    pub(super) fn missing_credentials(service: Service) -> ProxyRejection {
        let message = "The request has no credentials.";
        match service {
            Service::DynamoDb | Service::SecretsManager => {
                Self::bad_request("MissingAuthenticationTokenException", message)
            }
            Service::S3 => Self::forbidden("AccessDenied", message),
            Service::Sqs => Self::forbidden("MissingAuthenticationToken", message),
        }
    }

    /// No statement of the principal allows the action. DynamoDB and Secrets Manager return 400
    /// where the others return 403.
    pub(super) fn denied(
        service: Service,
        principal: &str,
        required: &RequiredPermission,
    ) -> ProxyRejection {
        let RequiredPermission { action, resource } = required;
        let message =
            format!("{principal} is not authorized to perform: {action} on resource: {resource}");
        match service {
            Service::DynamoDb | Service::SecretsManager => {
                Self::bad_request("AccessDeniedException", &message)
            }
            Service::S3 | Service::Sqs => Self::forbidden("AccessDenied", &message),
        }
    }

    /// The body exceeds the limit of the service, or is shorter than declared.
    pub(super) fn unreadable_body(reason: &str) -> ProxyRejection {
        Self::bad_request("IncompleteBody", reason)
    }

    /// A fault of a test or of chaos.
    pub(super) fn injected(error: &InjectedError) -> ProxyRejection {
        let status =
            StatusCode::from_u16(error.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        ProxyRejection::new(status, &error.code, "This error was injected.")
    }

    /// Concurrent calls access these items, by their zero-based index in the request.
    pub(super) fn conflict(kind: AccessKind, item_indexes: Vec<usize>) -> ProxyRejection {
        let code = if kind == AccessKind::Write {
            "TransactionConflictException"
        } else {
            TRANSACTION_CONFLICT
        };
        ProxyRejection {
            item_indexes,
            ..Self::bad_request(code, CONFLICT_MESSAGE)
        }
    }

    fn bad_request(code: &str, message: &str) -> ProxyRejection {
        ProxyRejection::new(StatusCode::BAD_REQUEST, code, message)
    }

    fn forbidden(code: &str, message: &str) -> ProxyRejection {
        ProxyRejection::new(StatusCode::FORBIDDEN, code, message)
    }

    fn new(status: StatusCode, code: &str, message: &str) -> ProxyRejection {
        ProxyRejection {
            status,
            code: code.to_owned(),
            message: message.to_owned(),
            item_indexes: vec![0],
        }
    }

    /// Creates the error response in the format of the service.
    pub(super) fn response(
        &self,
        service: Service,
        method: &Method,
        operation: &AwsOperation,
    ) -> Response<Body> {
        match service {
            Service::DynamoDb => {
                AwsJson::V1_0.response(self.status, &self.dynamodb_body(operation))
            }
            Service::SecretsManager => {
                let body = json!({ "__type": self.code, "Message": self.message });
                AwsJson::V1_1.response(self.status, &body)
            }
            Service::Sqs => {
                let body = self.typed_body(SQS_NAMESPACE);
                let mut response = AwsJson::V1_0.response(self.status, &body);
                aws_json::set_query_error(&mut response, &self.code);
                response
            }
            Service::S3 => self.xml(method),
        }
    }

    /// An error about one item of a transaction cancels the whole transaction.
    fn dynamodb_body(&self, operation: &AwsOperation) -> Value {
        let reason = CANCELLATION_REASONS
            .iter()
            .find(|reason| reason.code == self.code)
            .filter(|_| operation.name.starts_with("Transact"));
        match reason {
            Some(reason) => cancellation(reason, &self.item_indexes, operation.required.len()),
            None => self.typed_body(DYNAMODB_NAMESPACE),
        }
    }

    fn typed_body(&self, namespace: &str) -> Value {
        json!({ "__type": format!("{namespace}#{}", self.code), "message": self.message })
    }

    /// Creates the XML error response of S3. A response to HEAD has no body.
    pub(super) fn xml(&self, method: &Method) -> Response<Body> {
        let body = if *method == Method::HEAD {
            Body::empty()
        } else {
            let code = escape(&self.code);
            let message = escape(&self.message);
            Body::from(format!(
                r#"<?xml version="1.0" encoding="UTF-8"?><Error><Code>{code}</Code><Message>{message}</Message></Error>"#
            ))
        };

        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/xml"));
        response
    }
}

/// Creates the body of a `TransactionCanceledException`. Items that are not in `cancelled_indexes`
/// have the reason `None`.
fn cancellation(
    reason: &CancellationReason,
    cancelled_indexes: &[usize],
    item_count: usize,
) -> Value {
    let reason_of = |index: usize| {
        if cancelled_indexes.contains(&index) {
            json!({ "Code": reason.code, "Message": reason.message })
        } else {
            json!({ "Code": "None" })
        }
    };

    let reasons: Vec<_> = (0..item_count.max(1)).map(reason_of).collect();
    let codes: Vec<_> = reasons
        .iter()
        .filter_map(|reason| reason["Code"].as_str())
        .collect();
    let code_list = codes.join(", ");

    json!({
        "__type": format!("{DYNAMODB_NAMESPACE}#TransactionCanceledException"),
        "Message": format!("Transaction cancelled, please refer cancellation reasons for specific reasons [{code_list}]"),
        "CancellationReasons": reasons,
    })
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
