//! Expected states of files after a step.

use emulators::AsyncClock;

use super::{
    World,
    model::{
        Content, File, FileState, SpaceState,
        State::{Active, Gone, Pending},
    },
};

/// Time between the creation of a pending file and its confirm-check, in milliseconds.
const CHECKED_MS: i64 = 7_200_000;

/// Expected effect of a confirmation.
pub(super) struct Confirmation {
    pub(super) status: u16,
    /// State of the file after it.
    pub(super) after: FileState,
}

impl Confirmation {
    fn new(status: u16, after: FileState) -> Confirmation {
        Confirmation { status, after }
    }
}

impl World {
    /// Returns what a confirmation of a file does.
    pub(super) fn confirmed(&self, file: &File) -> Confirmation {
        match (self.space_states[&file.space], file.state) {
            (SpaceState::Deleted, state) | (_, state @ (Gone, _)) => Confirmation::new(404, state),
            (SpaceState::Disabled, state) => Confirmation::new(403, state),
            (SpaceState::Enabled, state @ (Active(_), _)) => Confirmation::new(200, state),
            (SpaceState::Enabled, state @ (Pending, None)) => Confirmation::new(409, state),
            (SpaceState::Enabled, (Pending, Some(Content::Program))) => {
                Confirmation::new(422, (Gone, None))
            }
            (SpaceState::Enabled, (Pending, Some(content))) => {
                Confirmation::new(200, (Active(content), Some(content)))
            }
        }
    }

    /// Returns the state of a file after the jobs that are due.
    fn after_checks(&self, file: &File, state: FileState) -> FileState {
        let is_enabled = self.space_states[&file.space] == SpaceState::Enabled;
        let is_due = self.stack.clock.now_ms() >= file.presigned_ms + CHECKED_MS;

        match state {
            (_, staged) if self.space_states[&file.space] == SpaceState::Deleted => (Gone, staged),
            (Pending, Some(content)) if is_due && is_enabled && content != Content::Program => {
                (Active(content), Some(content))
            }
            (Pending, _) if is_due => (Gone, None),
            state => state,
        }
    }

    /// Asserts that each file is in a possible state.
    pub(super) async fn assert_expected(&mut self, before_ms: i64) {
        let dump = self.stack.dump().await;
        self.assert_invariants(&dump);

        for (id, space_state) in &mut self.space_states {
            *space_state = SpaceState::of(&dump, id);
        }

        let has_advanced = self.stack.clock.now_ms() > before_ms;
        for index in 0..self.files.len() {
            let file = &self.files[index];
            let mut possible = file.possible.clone();
            if has_advanced {
                let later = file
                    .possible
                    .iter()
                    .map(|state| self.after_checks(file, *state));
                // A failed job may run later.
                possible = if self.is_chaotic {
                    possible.iter().copied().chain(later).collect()
                } else {
                    later.collect()
                };
            }

            let state = file.read_state(&dump);
            // Staged bytes expire by themselves. They matter only while the file is pending.
            let matches = |expected: &FileState| {
                expected.0 == state.0 && (state.0 != Pending || expected.1 == state.1)
            };
            assert!(
                possible.iter().any(matches),
                "{}: {state:?} is none of {possible:?}: {file:?}",
                self.place
            );

            let file = &mut self.files[index];
            file.state = state;
            file.possible = vec![state];
        }
    }
}
