//! A worker that appends a mark to a file for each job that it receives, and that fails or sends
//! the job again as often as the job specifies.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::PathBuf,
};

use domain::id::SpaceId;
use runtime::context::{ConfigurationError, FunctionContext, Settings};
use serde::{Deserialize, Serialize};
use space_store::jobs::{DelayedJob, Job, Queue};
use worker::{BatchHandler, JobContext, JobError, Worker};

/// Template with this worker, its queue and its dead-letter queue.
pub const ECHO_TEMPLATE: &str = include_str!("../echo.yaml");

/// A job of the worker.
#[derive(Deserialize, Serialize)]
struct Echo {
    /// Name of the file for the marks.
    name: String,
    /// Number of failures before it succeeds.
    failures: usize,
    /// Whether it fails by panicking.
    #[serde(default)]
    panics: bool,
    /// Whether it never ends.
    #[serde(default)]
    hangs: bool,
    /// Number of further messages of the chain.
    #[serde(default)]
    resends: usize,
}

impl Job for Echo {
    fn space_id(&self) -> Option<SpaceId> {
        None
    }
}

struct Echoes {
    directory: PathBuf,
    jobs: Queue<Echo>,
}

impl Worker for Echoes {
    type Job = Echo;

    async fn work(&self, job: Echo, _: &JobContext) -> Result<(), JobError> {
        let path = self.directory.join(&job.name);
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(JobError::new)?;
        file.write_all(b".").map_err(JobError::new)?;
        if job.hangs {
            std::future::pending::<()>().await;
        }

        let marks = fs::read(&path).map_err(JobError::new)?.len();
        if job.resends > 0 {
            let next = Echo {
                resends: job.resends - 1,
                ..job
            };
            let delayed = DelayedJob {
                job: next,
                delay_seconds: 0,
            };
            return self.jobs.send(&[delayed]).await.map_err(JobError::new);
        }

        if marks > job.failures {
            return Ok(());
        }

        assert!(!job.panics, "on purpose");

        Err(JobError::new("on purpose"))
    }
}

/// Creates the handler of the worker.
pub fn echo_worker(context: &FunctionContext) -> Result<BatchHandler, ConfigurationError> {
    let mut settings = Settings::of(context);
    let directory = settings.text("DIRECTORY").into();
    let jobs: Queue<Echo> = settings.queue("JOBS_QUEUE_URL");
    settings.finish()?;

    let worker = Echoes {
        directory,
        jobs: jobs.clone(),
    };
    Ok(context.batch_handler(worker, jobs))
}
