//! What the calls of AWS clients cost: counted for the task that makes them, and logged.

use std::time::Duration;

use aws_sdk_dynamodb::operation::{
    batch_get_item::BatchGetItemOutput, batch_write_item::BatchWriteItemOutput,
};
use aws_sdk_s3::{operation::delete_objects::DeleteObjectsOutput, types::Error};
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

/// Status codes of requests to slow down, of responses without a code ("Error responses" in the
/// Amazon S3 API reference).
const THROTTLED_STATUS: [u16; 2] = [429, 503];
/// Status code of S3's conflicts.
const CONFLICT_STATUS: u16 = 409;

/// Counts the attempts of a client's calls for the task that runs, and logs each call.
#[derive(Debug)]
pub(crate) struct CallObserver;

/// What is known of a call so far.
#[derive(Clone, Copy, Debug)]
struct Call {
    started: Instant,
    attempt_started: Instant,
    attempts: u32,
    throttles: u32,
    conflicts: u32,
    /// Attempts without a response, or with one of a server error that is no throttle.
    failures: u32,
}

impl Storable for Call {
    type Storer = StoreReplace<Call>;
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
        let call = Call {
            started: now,
            attempt_started: now,
            attempts: 0,
            throttles: 0,
            conflicts: 0,
            failures: 0,
        };
        config.interceptor_state().store_put(call);
        Ok(())
    }

    fn read_before_attempt(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        if let Some(call) = config.get_mut::<Call>() {
            call.attempt_started = Instant::now();
        }
        Ok(())
    }

    fn read_after_attempt(
        &self,
        context: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        // A request that is only presigned is not sent.
        let Some(outcome) = context.output_or_error() else {
            return Ok(());
        };
        let Some(call) = config.get_mut::<Call>() else {
            return Ok(());
        };

        let latency = call.attempt_started.elapsed();
        let mut refusal = context.response().map(Refusal::of).unwrap_or_default();
        refusal.is_throttled |= outcome.is_ok_and(is_throttled_in_part);
        let is_failure = context
            .response()
            .is_none_or(|response| response.status().is_server_error());
        call.attempts += 1;
        call.throttles += u32::from(refusal.is_throttled);
        call.conflicts += u32::from(refusal.is_conflict);
        call.failures += u32::from(is_failure && !refusal.is_throttled);
        telemetry::count_aws_attempt(AwsAttempt {
            latency,
            is_throttled: refusal.is_throttled,
            is_conflict: refusal.is_conflict,
        });
        Ok(())
    }

    fn read_after_execution(
        &self,
        _: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let Some(&Call {
            started,
            attempts,
            throttles,
            conflicts,
            failures,
            ..
        }) = config.load::<Call>()
        else {
            return Ok(());
        };
        if attempts == 0 {
            return Ok(());
        }

        let metadata = config.load::<Metadata>();
        let service = metadata.map(Metadata::service);
        let operation = metadata.map(Metadata::name);
        let latency_ms = milliseconds(started.elapsed());
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

/// Whether a batch was done in part for want of capacity, as far as its response says why ("Error
/// handling with DynamoDB" in the Amazon DynamoDB developer guide: what is unprocessed is to be
/// requested again after a pause).
fn is_throttled_in_part(output: &Output) -> bool {
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
            .filter_map(Error::code)
            .any(telemetry::is_throttling)
    } else {
        false
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Why a service refused a request, as far as it is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Refusal {
    is_throttled: bool,
    is_conflict: bool,
}

/// An error of a service that speaks JSON.
#[derive(Deserialize)]
struct JsonError {
    #[serde(rename = "__type")]
    code: String,
    /// Of a cancelled transaction: one reason for each of its operations.
    #[serde(rename = "CancellationReasons", default)]
    reasons: Vec<Reason>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Reason {
    code: String,
}

impl Refusal {
    fn of(response: &HttpResponse) -> Refusal {
        let status = response.status();
        if status.is_success() {
            return Refusal::default();
        }
        let body = response.body().bytes().unwrap_or_default();
        let Ok(error) = serde_json::from_slice::<JsonError>(body) else {
            let status = status.as_u16();
            return Refusal {
                is_throttled: THROTTLED_STATUS.contains(&status),
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
        Refusal {
            is_throttled: codes.iter().any(|code| telemetry::is_throttling(code)),
            is_conflict: codes.iter().any(|code| telemetry::is_conflict(code)),
        }
    }
}

#[cfg(test)]
mod tests {
    use aws_smithy_types::body::SdkBody;

    use super::*;

    fn refusal(status: u16, body: &str) -> Refusal {
        Refusal::of(&HttpResponse::new(
            status.try_into().unwrap(),
            SdkBody::from(body),
        ))
    }

    #[test]
    fn throttles_and_conflicts_are_told_by_code_or_status() {
        let dynamodb = |code: &str| {
            format!(r#"{{"__type":"com.amazonaws.dynamodb.v20120810#{code}","message":"m"}}"#)
        };
        let cancelled = |code: &str| {
            let reasons = format!(r#"[{{"Code":"None"}},{{"Code":"{code}","Message":"m"}}]"#);
            format!(
                r#"{{"__type":"a#TransactionCanceledException","CancellationReasons":{reasons}}}"#
            )
        };
        let throttled = Refusal {
            is_throttled: true,
            is_conflict: false,
        };
        let conflict = Refusal {
            is_throttled: false,
            is_conflict: true,
        };
        for (status, body, expected) in [
            (200, dynamodb("ThrottlingException"), Refusal::default()),
            (400, dynamodb("ThrottlingException"), throttled),
            (
                400,
                dynamodb("ProvisionedThroughputExceededException"),
                throttled,
            ),
            (400, dynamodb("TransactionConflictException"), conflict),
            (
                400,
                dynamodb("ConditionalCheckFailedException"),
                Refusal::default(),
            ),
            (400, cancelled("ThrottlingError"), throttled),
            (400, cancelled("TransactionConflict"), conflict),
            (400, cancelled("ConditionalCheckFailed"), Refusal::default()),
            (
                503,
                "<Error><Code>SlowDown</Code></Error>".to_owned(),
                throttled,
            ),
            (
                409,
                "<Error><Code>ConditionalRequestConflict</Code></Error>".to_owned(),
                conflict,
            ),
            (404, String::new(), Refusal::default()),
        ] {
            assert_eq!(refusal(status, &body), expected, "{status} {body}");
        }
    }
}
