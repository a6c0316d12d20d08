//! Measures and logs the calls of AWS clients.

use aws_sdk_dynamodb::operation::{
    batch_get_item::BatchGetItemOutput, batch_write_item::BatchWriteItemOutput,
};
use aws_sdk_s3::{operation::delete_objects::DeleteObjectsOutput, types::Error as S3Error};
use aws_sdk_sqs::operation::send_message_batch::SendMessageBatchOutput;
use aws_smithy_runtime_api::{
    box_error::BoxError,
    client::{
        interceptors::{
            Intercept,
            context::{
                BeforeSerializationInterceptorContextRef, BeforeTransmitInterceptorContextRef,
                FinalizerInterceptorContextRef, Output,
            },
        },
        orchestrator::{HttpResponse, Metadata},
        runtime_components::RuntimeComponents,
    },
};
use aws_smithy_types::config_bag::{ConfigBag, Storable, StoreReplace};
use serde::Deserialize;
use telemetry::AwsAttempt;
use tokio::time::Instant;

/// Status codes of throttling, for responses without an error code ("Error responses" in the Amazon
/// S3 API reference).
const THROTTLED_STATUSES: [u16; 2] = [429, 503];
/// Status code of S3's write conflicts.
const CONFLICT_STATUS: u16 = 409;

/// Interceptor that counts the attempts of each call for the current task, and logs the call.
#[derive(Debug)]
pub(crate) struct CallObserver;

/// Measurements of a call that is in progress.
#[derive(Clone, Copy, Debug)]
struct CallStats {
    started: Instant,
    attempt_started: Instant,
    attempts: u32,
    throttles: u32,
    conflicts: u32,
    /// Attempts without a response, or with a 5xx other than throttling.
    failures: u32,
}

impl Storable for CallStats {
    type Storer = StoreReplace<CallStats>;
}

impl Intercept for CallObserver {
    fn name(&self) -> &'static str {
        "CallObserver"
    }

    fn read_before_execution(
        &self,
        _: &BeforeSerializationInterceptorContextRef<'_>,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let now = Instant::now();
        let stats = CallStats {
            started: now,
            attempt_started: now,
            attempts: 0,
            throttles: 0,
            conflicts: 0,
            failures: 0,
        };
        config.interceptor_state().store_put(stats);
        Ok(())
    }

    fn read_before_attempt(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        if let Some(stats) = config.get_mut::<CallStats>() {
            stats.attempt_started = Instant::now();
        }
        Ok(())
    }

    fn read_after_attempt(
        &self,
        context: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        // Presigning ends without sending a request.
        let Some(outcome) = context.output_or_error() else {
            return Ok(());
        };
        let Some(stats) = config.get_mut::<CallStats>() else {
            return Ok(());
        };

        let latency = stats.attempt_started.elapsed();
        let mut rejection = context.response().map(AwsRejection::of).unwrap_or_default();
        rejection.is_throttled |= outcome.is_ok_and(is_partially_throttled);
        let is_failure = context
            .response()
            .is_none_or(|response| response.status().is_server_error());

        stats.attempts += 1;
        stats.throttles += u32::from(rejection.is_throttled);
        stats.conflicts += u32::from(rejection.is_conflict);
        stats.failures += u32::from(is_failure && !rejection.is_throttled);
        telemetry::count_aws_attempt(AwsAttempt {
            latency,
            is_throttled: rejection.is_throttled,
            is_conflict: rejection.is_conflict,
        });
        Ok(())
    }

    fn read_after_execution(
        &self,
        _: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let Some(&CallStats {
            started,
            attempts,
            throttles,
            conflicts,
            failures,
            ..
        }) = config.load::<CallStats>()
        else {
            return Ok(());
        };
        if attempts == 0 {
            return Ok(());
        }

        let metadata = config.load::<Metadata>();
        let service = metadata.map(Metadata::service);
        let operation = metadata.map(Metadata::name);
        let latency_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);

        if throttles > 0 {
            tracing::warn!(
                service,
                operation,
                attempts,
                latency_ms,
                throttles,
                conflicts,
                "AWS call was throttled"
            );
        } else if failures > 0 {
            tracing::warn!(
                service,
                operation,
                attempts,
                latency_ms,
                failures,
                "AWS call failed"
            );
        } else {
            tracing::debug!(
                service, operation, attempts, latency_ms, throttles, conflicts, "AWS call"
            );
        }
        Ok(())
    }
}

/// Returns whether the response of a batch operation has entries that were throttled, or entries
/// that DynamoDB left unprocessed without a reason ("Error handling with
/// DynamoDB" in the Amazon DynamoDB developer guide: retry them with exponential backoff).
fn is_partially_throttled(output: &Output) -> bool {
    if let Some(read) = output.downcast_ref::<BatchGetItemOutput>() {
        read.unprocessed_keys().is_some_and(|keys| !keys.is_empty())
    } else if let Some(written) = output.downcast_ref::<BatchWriteItemOutput>() {
        written
            .unprocessed_items()
            .is_some_and(|items| !items.is_empty())
    } else if let Some(sent) = output.downcast_ref::<SendMessageBatchOutput>() {
        sent.failed()
            .iter()
            .any(|entry| telemetry::is_throttling(entry.code()))
    } else if let Some(deleted) = output.downcast_ref::<DeleteObjectsOutput>() {
        deleted
            .errors()
            .iter()
            .filter_map(S3Error::code)
            .any(telemetry::is_throttling)
    } else {
        false
    }
}

/// Reasons for which a service rejected a request; both are false for other reasons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct AwsRejection {
    is_throttled: bool,
    is_conflict: bool,
}

/// Error of a service with a JSON protocol.
#[derive(Deserialize)]
struct JsonError {
    #[serde(rename = "__type")]
    code: String,
    /// Reasons of a cancelled transaction, one for each of its operations.
    #[serde(rename = "CancellationReasons", default)]
    reasons: Vec<CancellationReason>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct CancellationReason {
    code: String,
}

impl AwsRejection {
    fn of(response: &HttpResponse) -> AwsRejection {
        let status = response.status();
        if status.is_success() {
            return AwsRejection::default();
        }

        let body = response.body().bytes().unwrap_or_default();
        let Ok(error) = serde_json::from_slice::<JsonError>(body) else {
            let status = status.as_u16();
            return AwsRejection {
                is_throttled: THROTTLED_STATUSES.contains(&status),
                is_conflict: status == CONFLICT_STATUS,
            };
        };

        let code = error.code.rsplit('#').next().unwrap_or_default();
        let codes: Vec<&str> = error
            .reasons
            .iter()
            .map(|reason| reason.code.as_str())
            .chain([code])
            .collect();
        AwsRejection {
            is_throttled: codes.iter().any(|code| telemetry::is_throttling(code)),
            is_conflict: codes.iter().any(|code| telemetry::is_conflict(code)),
        }
    }
}

#[cfg(test)]
mod tests {
    use aws_smithy_types::body::SdkBody;

    use super::*;

    const OTHER: AwsRejection = AwsRejection {
        is_throttled: false,
        is_conflict: false,
    };
    const THROTTLED: AwsRejection = AwsRejection {
        is_throttled: true,
        ..OTHER
    };
    const CONFLICT: AwsRejection = AwsRejection {
        is_conflict: true,
        ..OTHER
    };

    fn rejection(status: u16, body: &str) -> AwsRejection {
        let status = status.try_into().unwrap();
        AwsRejection::of(&HttpResponse::new(status, SdkBody::from(body)))
    }

    #[test]
    fn json_errors_are_classified_by_code() {
        let dynamodb = |code: &str| {
            format!(r#"{{"__type":"com.amazonaws.dynamodb.v20120810#{code}","message":"m"}}"#)
        };
        assert_eq!(rejection(200, &dynamodb("ThrottlingException")), OTHER);
        for (code, expected) in [
            ("ThrottlingException", THROTTLED),
            ("ProvisionedThroughputExceededException", THROTTLED),
            ("TransactionConflictException", CONFLICT),
            ("ConditionalCheckFailedException", OTHER),
        ] {
            assert_eq!(rejection(400, &dynamodb(code)), expected, "{code}");
        }
    }

    #[test]
    fn cancelled_transactions_are_classified_by_reason() {
        for (code, expected) in [
            ("ThrottlingError", THROTTLED),
            ("TransactionConflict", CONFLICT),
            ("ConditionalCheckFailed", OTHER),
        ] {
            let reasons = format!(r#"[{{"Code":"None"}},{{"Code":"{code}","Message":"m"}}]"#);
            let body = format!(
                r#"{{"__type":"a#TransactionCanceledException","CancellationReasons":{reasons}}}"#
            );
            assert_eq!(rejection(400, &body), expected, "{code}");
        }
    }

    #[test]
    fn other_errors_are_classified_by_status() {
        for (status, body, expected) in [
            (503, "<Error><Code>SlowDown</Code></Error>", THROTTLED),
            (
                409,
                "<Error><Code>ConditionalRequestConflict</Code></Error>",
                CONFLICT,
            ),
            (404, "", OTHER),
        ] {
            assert_eq!(rejection(status, body), expected, "{status} {body}");
        }
    }
}
