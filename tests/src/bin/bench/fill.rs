//! Fills a space with files through the transactions that uploads use, with as many files per
//! transaction as fit.

use std::time::Duration;

use domain::{
    env::Env,
    files::File,
    id::{FileId, IdSequence},
};
use runtime::context::Settings;
use table::{Table, files::NewFileRecords};
use tests::{Stack, StackOptions, TestSpace};
use tokio::{task::JoinSet, time::Instant};

use crate::{log, record::FileGenerator, report::group_digits, tree::Tree};

/// Maximum number of items per write. A write with more items would create some index entries
/// before its transaction.
const MAX_ITEMS: usize = 99;
/// Number of items of a file without tags and reference: the record and the entries for id,
/// folder, path and name.
const ITEMS_PER_FILE: usize = 5;
/// Maximum number of concurrent writes.
const MAX_CONCURRENT_WRITES: usize = 4;
/// Time between two writes, so that later files have later ids.
const WRITE_INTERVAL: Duration = Duration::from_millis(1);
/// Number of writes between two progress messages.
const WRITES_PER_MESSAGE: usize = 1_000;

/// A space full of files.
pub(crate) struct Library {
    pub(crate) stack: Stack,
    pub(crate) tenant: TestSpace,
    pub(crate) tree: Tree,
    /// Ids of the files, by file number.
    pub(crate) ids: Vec<FileId>,
    generator: FileGenerator,
    table: Table,
    env: Env,
}

impl Library {
    /// Creates an empty space in a stack without effective rate limits.
    pub(crate) async fn new() -> Library {
        let stack = Stack::start_with(StackOptions::without_rate_limits()).await;
        let tenant = stack.space("Library").await;
        let context = stack.unrestricted_context();
        let table = Settings::of(&context).table();

        let uploaded = tenant.upload("text").named("a.txt", "text/plain").await;
        let id = uploaded.id.parse().expect("a file id");
        let found = table.files().get(tenant.space_id(), &[id]).await;
        let generator = FileGenerator {
            template: found.expect("a read")[&id].clone(),
            handle: tenant.handle.clone(),
        };
        tenant.delete_ok(uploaded.path()).await;
        let tree = Tree::new(&tenant).await;

        Library {
            tree,
            ids: Vec::new(),
            generator,
            table,
            env: context.env.clone(),
            tenant,
            stack,
        }
    }

    /// Adds files until there are `size` files.
    pub(crate) async fn fill(&mut self, size: usize) -> Result<(), String> {
        self.tree.grow(&self.tenant, size).await;

        let initial_count = self.ids.len();
        let started = Instant::now();
        let mut writes = JoinSet::new();
        let mut write_count = 0_usize;
        let mut carried_over = None;

        while self.ids.len() < size || carried_over.is_some() {
            let files = self.next_files(size, &mut carried_over);
            if writes.len() == MAX_CONCURRENT_WRITES {
                join_write(&mut writes).await.transpose()?;
            }

            let table = self.table.clone();
            writes.spawn(async move {
                let new = NewFileRecords {
                    files: &files,
                    ..NewFileRecords::default()
                };
                let created = table.files().create(new, None, None).await;
                created.map_err(|error| format!("cannot write files: {error:?}"))
            });
            self.stack.clock.advance(WRITE_INTERVAL);

            write_count += 1;
            if write_count.is_multiple_of(WRITES_PER_MESSAGE) {
                let ms = started.elapsed().as_millis().max(1);
                let rate = (self.ids.len() - initial_count) as u128 * 1_000 / ms;
                let [count, total] = [self.ids.len(), size].map(group_digits);
                log(&format!("{count} of {total} files, {rate} per second"));
            }
        }

        while let Some(result) = join_write(&mut writes).await {
            result?;
        }

        Ok(())
    }

    /// Returns as many files as fit into the next write. The first file that does not fit is
    /// carried over to the following write.
    fn next_files(&mut self, size: usize, carried_over: &mut Option<File>) -> Vec<File> {
        let mut files: Vec<File> = carried_over.take().into_iter().collect();
        let mut items: usize = files.iter().map(count_items).sum();
        let mut ids = IdSequence::new(&self.env);

        while self.ids.len() < size {
            let file = self
                .generator
                .file(self.ids.len(), &self.tree, &mut ids, &self.env);
            self.ids.push(file.id);
            items += count_items(&file);
            if items > MAX_ITEMS {
                *carried_over = Some(file);
                break;
            }
            files.push(file);
        }

        files
    }
}

/// Returns the number of items that creating a file writes.
fn count_items(file: &File) -> usize {
    ITEMS_PER_FILE + file.tags.len() + usize::from(file.reference.is_some())
}

/// Waits for one write to finish. Returns `None` if no write is in progress.
async fn join_write(writes: &mut JoinSet<Result<(), String>>) -> Option<Result<(), String>> {
    let joined = writes.join_next().await?;
    Some(joined.unwrap_or_else(|error| Err(error.to_string())))
}
