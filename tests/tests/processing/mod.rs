//! The jobs that process a file after its upload: metadata, thumbnails, blurhashes.

mod duplicates;
mod failures;
mod fault_sweep;
pub(crate) mod images;
mod killed_functions;
mod large_images;
mod retries;
mod rules;
mod thumbnails;

use runtime::Settings;
use space_store::{DelayedJob, Job};
use tests::Stack;

/// Sends a job to the queue that this variable of the worker `processing` names.
async fn send<J: Job>(stack: &Stack, variable: &str, job: J) {
    let context = stack
        .local
        .unrestricted_context("processing")
        .expect("a worker");
    let mut settings = Settings::of(&context);
    let queue = settings.queue(variable);
    settings.finish().expect("the variable");

    queue
        .send(&[DelayedJob::immediate(job)])
        .await
        .expect("a sent job");
}
