//! Worker `webhook-delivery`.

use runtime::{ConfigurationError, FunctionContext, Settings};
use tenant::WebhookJob;
use worker::{BatchHandler, JobContext, JobError, Worker};

struct WebhookDelivery;

/// Returns the function's handler.
pub fn handler(context: &FunctionContext) -> Result<BatchHandler, ConfigurationError> {
    let settings = Settings::of(context);
    settings.finish()?;

    let env = context.env.clone();
    Ok(BatchHandler::of(WebhookDelivery, context.meter(), env))
}

impl Worker for WebhookDelivery {
    type Job = WebhookJob;

    async fn work(&self, job: WebhookJob, _context: &JobContext) -> Result<(), JobError> {
        tracing::debug!(?job, "ignored");
        Ok(())
    }
}
