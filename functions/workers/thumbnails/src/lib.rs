//! Worker `thumbnails`.

use runtime::{ConfigurationError, FunctionContext, Settings};
use tenant::ThumbnailsJob;
use worker::{BatchHandler, JobContext, JobError, Worker};

struct Thumbnails;

/// Returns the function's handler.
pub fn handler(context: &FunctionContext) -> Result<BatchHandler, ConfigurationError> {
    let settings = Settings::of(context);
    settings.finish()?;

    let env = context.env.clone();
    Ok(BatchHandler::of(Thumbnails, context.meter(), env))
}

impl Worker for Thumbnails {
    type Job = ThumbnailsJob;

    async fn work(&self, job: ThumbnailsJob, _context: &JobContext) -> Result<(), JobError> {
        tracing::debug!(?job, "ignored");
        Ok(())
    }
}
