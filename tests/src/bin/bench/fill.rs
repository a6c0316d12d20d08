//! The library, and its filling: by the writes that uploads make, as many files to each as one of
//! them may hold.

use std::{
    io::{self, Write},
    time::Duration,
};

use domain::{Env, File, FileId, IdSequence, KeyId};
use runtime::Settings;
use table::Table;
use tests::{Stack, StackOptions, Tenant};
use tokio::{
    task::{JoinError, JoinSet},
    time::Instant,
};

use crate::{record::Owner, report::grouped, tree::Tree};

/// More requests in a minute than are made.
const UNLIMITED: &str = "100000000";
/// Most items of a write that holds all that is written of its files; one more would send their
/// entries ahead.
const TOGETHER: usize = 99;
/// Items of every file, whatever is known of it: by its id, whose it is, its folder, its path, its
/// name.
const ITEMS: usize = 5;
/// Writes at once.
const AT_ONCE: usize = 4;
/// How much later each write is than the one before: later files have later ids.
const PAUSE: Duration = Duration::from_millis(1);
/// How many writes are made from one word about them to the next.
const SILENT_WRITES: usize = 1_000;

/// A space full of files.
pub(crate) struct Library {
    pub(crate) stack: Stack,
    pub(crate) tenant: Tenant,
    pub(crate) tree: Tree,
    /// The ids of the files, by their numbers.
    pub(crate) ids: Vec<FileId>,
    owner: Owner,
    table: Table,
    env: Env,
}

impl Library {
    /// An empty one, in a stack whose limits nothing here reaches.
    pub(crate) async fn new() -> Library {
        let unlimited = ["AdminRequestsPerMinute", "UploadRequestsPerMinute"];
        let parameters = unlimited
            .map(|name| (name.to_owned(), UNLIMITED.to_owned()))
            .into();
        let stack = Stack::start_with(StackOptions {
            parameters,
            ..StackOptions::default()
        })
        .await;
        let tenant = stack.space("Library").await;
        let configs = tenant
            .client
            .get("/upload-configs")
            .await
            .expect_status(200)
            .json();
        let config = configs["data"][0]["id"]
            .as_str()
            .and_then(|id| id.parse().ok())
            .expect("the starter config");
        let environment = stack.admin_environment();
        let mut settings = Settings::of(&environment);
        let table = settings.table();
        let space = tenant.id.parse().expect("an id");
        let owner = Owner {
            space,
            handle: tenant.handle.clone(),
            config,
            key: KeyId(tenant.key_id),
        };
        let tree = Tree::new(&tenant).await;

        Library {
            tree,
            ids: Vec::new(),
            owner,
            table,
            env: environment.env.clone(),
            tenant,
            stack,
        }
    }

    /// Adds files until there are so many.
    pub(crate) async fn fill(&mut self, size: usize) -> Result<(), String> {
        self.tree.grow(&self.tenant, size).await;

        let began = self.ids.len();
        let started = Instant::now();
        let mut writing = JoinSet::new();
        let mut writes = 0_usize;
        let mut kept = None;

        while self.ids.len() < size || kept.is_some() {
            let files = self.next_files(size, &mut kept);
            if writing.len() == AT_ONCE {
                ended(writing.join_next().await)?;
            }
            let table = self.table.clone();
            writing.spawn(async move {
                let written = table.create_files(&files, None, None).await;
                written.map_err(|refused| format!("files cannot be written: {refused:?}"))
            });
            self.stack.clock.advance(PAUSE);
            writes += 1;
            if writes.is_multiple_of(SILENT_WRITES) {
                let ms = started.elapsed().as_millis().max(1);
                let rate = (self.ids.len() - began) as u128 * 1_000 / ms;
                // Nobody may be reading, which is no failure of ours.
                let made = grouped(self.ids.len());
                let all = grouped(size);
                let _ = writeln!(io::stderr(), "bench: {made} of {all}, {rate} a second");
            }
        }

        while let Some(written) = writing.join_next().await {
            ended(Some(written))?;
        }

        Ok(())
    }

    /// The files of the next write: as many as fit. The first one that does not is kept for the one
    /// after it.
    fn next_files(&mut self, size: usize, kept: &mut Option<File>) -> Vec<File> {
        let mut files: Vec<File> = kept.take().into_iter().collect();
        let mut items: usize = files.iter().map(items_of).sum();
        let mut chosen = IdSequence::new(&self.env);

        while self.ids.len() < size {
            let file = self
                .owner
                .file(self.ids.len(), &self.tree, &mut chosen, &self.env);
            self.ids.push(file.id);
            items += items_of(&file);
            if items > TOGETHER {
                *kept = Some(file);
                break;
            }
            files.push(file);
        }

        files
    }
}

/// How many items are written of a file.
fn items_of(file: &File) -> usize {
    ITEMS + file.tags.len() + usize::from(file.reference.is_some())
}

fn ended(written: Option<Result<Result<(), String>, JoinError>>) -> Result<(), String> {
    written.map_or(Ok(()), |written| {
        written.map_err(|error| error.to_string())?
    })
}
