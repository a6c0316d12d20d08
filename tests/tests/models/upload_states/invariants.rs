//! Invariants of the stored items, and of the final state.

use emulators::AsyncClock;
use serde_json::Value;
use table::item_keys;
use tests::{Dump, minutes, text};

use crate::{
    files::trash::DAY,
    support::seeded::invariants::{assert_file_records, assert_no_orphans},
};

use super::{
    STEPS, TRASH_DAYS, World,
    model::{SpaceState, State::Active},
};

impl World {
    /// Asserts the invariants of all stored items.
    pub(super) fn assert_invariants(&self, dump: &Dump) {
        assert_file_records(dump, self.place);
        if self.is_chaotic {
            return;
        }
        assert_no_orphans(dump, self.place);
        for id in dump
            .items
            .keys()
            .filter_map(|key| key.sort.strip_prefix(item_keys::FILES))
        {
            let is_known = self.files.iter().any(|file| file.id() == id);
            assert!(is_known, "{}: {id}", self.place);
        }
    }

    /// Asserts, three hours later, that no file is pending, that active files are delivered, that
    /// nothing of deleted spaces and expired files is stored, and that trashed files end. Stops the
    /// stack.
    pub(super) async fn end(mut self) {
        let before_ms = self.stack.clock.now_ms();
        for _ in 0..12 {
            self.stack.run_for(minutes(15)).await;
        }

        self.place.step = STEPS;
        self.assert_expected(before_ms).await;

        let dump = self.stack.dump().await;
        let place = self.place;
        let is_pending = |record: &&Value| record["status"] == "pending";
        assert_eq!(
            dump.items_with_prefix(item_keys::SPACES).find(is_pending),
            None,
            "{place}"
        );

        let is_deleted = |(_, state): &(&String, &SpaceState)| **state == SpaceState::Deleted;
        for (space, _) in self.space_states.iter().filter(is_deleted) {
            let partition = format!("{}{space}", item_keys::SPACES);
            let has_items = dump.items_with_prefix(&partition).next().is_some();
            let has_objects = dump.objects.keys().any(|key| key.contains(space));
            assert!(
                !has_items && !has_objects,
                "{place}: records or objects of {space} exist"
            );
        }

        for file in &self.files {
            let Active(content) = file.state.0 else {
                assert!(
                    file.state.1.is_none() || file.may_have_stale_bytes || self.is_chaotic,
                    "{place}: {file:?}"
                );
                continue;
            };
            let record = dump.file(&file.space, file.id()).expect("a record");
            let path = text(&record["storage_path"]);
            let url = format!("{}/{path}", self.stack.local.cdn_url());
            let delivered = self.stack.anonymous.get(&url).await;

            if self.space_states[&file.space] == SpaceState::Enabled {
                let delivered = delivered.expect_status(200);
                assert!(delivered.body == content.bytes(), "{place}: {file:?}");
            } else {
                delivered.expect_error(404);
            }
        }

        self.assert_trash_ends().await;
        self.stack.stop().await;
    }

    /// Asserts that nothing is left of trashed files after their days.
    async fn assert_trash_ends(&self) {
        for _ in 0..=TRASH_DAYS {
            self.stack.run_for(DAY).await;
        }

        let dump = self.stack.dump().await;
        self.assert_invariants(&dump);
        let is_trashed = |record: &&Value| record["status"] == "trashed";
        let trashed = dump.items_with_prefix(item_keys::SPACES).find(is_trashed);
        assert_eq!(trashed, None, "{}", self.place);
    }
}
