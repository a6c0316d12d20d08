//! Worker `blurhash`.

use runtime::{ConfigurationError, FunctionContext, Settings};
use tenant::BlurhashJob;
use worker::{BatchHandler, JobContext, JobError, Worker};

struct Blurhash;

/// Returns the function's handler.
pub fn handler(context: &FunctionContext) -> Result<BatchHandler, ConfigurationError> {
    let settings = Settings::of(context);
    settings.finish()?;

    let env = context.env.clone();
    Ok(BatchHandler::of(Blurhash, context.meter(), env))
}

impl Worker for Blurhash {
    type Job = BlurhashJob;

    async fn work(&self, job: BlurhashJob, _context: &JobContext) -> Result<(), JobError> {
        tracing::debug!(?job, "ignored");
        Ok(())
    }
}
