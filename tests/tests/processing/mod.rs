//! The jobs that process a file after its upload: metadata, thumbnails, blurhashes.

mod duplicates;
mod failures;
mod fault_sweep;
pub(crate) mod images;
mod killed_functions;
mod large_images;
mod photos;
mod retries;
mod rules;
#[path = "../../../shared/renditions/src/slow_jpeg.rs"]
mod slow_jpeg;
mod thumbnails;

use domain::{id::FileId, uploads::ProcessingRules};
use runtime::context::Settings;
use space_store::jobs::{DelayedJob, ProcessingJob};
use tests::{Stack, TestSpace};

/// Returns a job without rules.
fn job(stack: &Stack, acme: &TestSpace, file_id: FileId) -> ProcessingJob {
    ProcessingJob {
        space_id: acme.space_id(),
        file_id,
        revision: None,
        announced_at: stack.now(),
        rules: ProcessingRules::default(),
    }
}

/// Sends a job to its queue.
async fn send(stack: &Stack, job: ProcessingJob) {
    let context = stack.local.unrestricted_context("processing");
    let context = context.expect("a worker");
    let mut settings = Settings::of(&context);
    let queue = settings.queue("PROCESSING_QUEUE_URL");
    settings.finish().expect("the variable");

    let sent = queue.send(&[DelayedJob::immediate(job)]).await;
    sent.expect("a sent job");
}
