//! Invariants of the stored items, and of the final state.

use std::collections::BTreeSet;

use emulators::AsyncClock;
use serde_json::Value;
use table::keys;
use tests::{Dump, minutes};

use super::{
    STEPS, World,
    model::{SpaceState, State::Active, string_field},
};

impl World {
    /// Asserts the invariants of all stored items.
    pub(super) fn assert_invariants(&self, dump: &Dump) {
        let place = self.place;
        let mut active = BTreeSet::new();
        for path in dump.files_with_bytes() {
            let space = string_field(path, "space_id");
            let id = string_field(path, "id");
            assert!(
                active.insert(id),
                "{place:?}: {id} is delivered from two places"
            );
            assert_eq!(dump.file(space, id), Some(path), "{place:?}");
        }

        let mut records = 0;
        for (key, record) in &dump.items {
            let Some(id) = key.sort.strip_prefix(keys::FILES) else {
                continue;
            };
            records += 1;

            let is_known = self.is_chaotic || self.files.iter().any(|file| file.id == id);
            let is_active = record["status"] == "active";
            assert!(
                is_known && is_active == active.contains(id),
                "{place:?}: {record}"
            );

            for detected_by_bytes in ["revision", "checksum_sha256"] {
                assert_eq!(
                    record[detected_by_bytes].is_null(),
                    !is_active,
                    "{place:?}: {detected_by_bytes} of {record}"
                );
            }
        }

        let owners = dump
            .items_with_prefix(keys::FILE_LOOKUPS)
            .filter(|owner| !owner["space_id"].is_null())
            .count();
        assert_eq!(
            owners, records,
            "{place:?}: number of lookup items of files"
        );

        let originals = dump
            .objects
            .keys()
            .filter(|key| key.contains("/originals/"))
            .count();
        assert!(
            self.is_chaotic || originals == active.len(),
            "{place:?}: {originals} originals of {active:?}"
        );
    }

    /// Asserts, three hours later, that no file is pending, that active files are delivered, and that
    /// nothing of deleted spaces and expired files is stored. Stops the stack.
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
            dump.items_with_prefix(keys::SPACES).find(is_pending),
            None,
            "{place:?}"
        );

        for (space, _) in self
            .space_states
            .iter()
            .filter(|(_, space_state)| **space_state == SpaceState::Deleted)
        {
            let is_left = dump
                .items_with_prefix(&format!("{}{space}", keys::SPACES))
                .next()
                .is_some();
            assert!(
                !is_left && !dump.objects.keys().any(|key| key.contains(space)),
                "{place:?}: records or objects of {space} exist"
            );
        }

        for file in &self.files {
            let Active(content) = file.state.0 else {
                assert!(
                    file.state.1.is_none() || file.may_have_stale_bytes || self.is_chaotic,
                    "{place:?}: {file:?}"
                );
                continue;
            };
            let record = dump.file(&file.space, &file.id).expect("a record");
            let url = format!(
                "{}/{}",
                self.stack.local.cdn_url(),
                string_field(record, "storage_path")
            );
            let delivered = self.stack.anonymous.get(&url).await;

            if self.space_states[&file.space] == SpaceState::Enabled {
                assert!(
                    delivered.expect_status(200).body == content.bytes(),
                    "{place:?}: {file:?}"
                );
            } else {
                delivered.expect_error(404);
            }
        }

        self.stack.stop().await;
    }
}
