//! Expected states of files after a step.

use emulators::AsyncClock;

use super::{
    World,
    model::{
        Content, File, FileState, SpaceState,
        State::{Active, Gone, Pending, Trashed},
    },
};

/// Time between the creation of a pending file and its confirm-check, in milliseconds.
const CHECKED_MS: i64 = 7_200_000;

/// Expected effect of a request.
pub(super) struct Effect {
    pub(super) status: u16,
    /// State of the file after it.
    pub(super) after: FileState,
}

impl Effect {
    fn new(status: u16, after: FileState) -> Effect {
        Effect { status, after }
    }
}

impl World {
    /// Returns what a confirmation of a file does.
    pub(super) fn confirmed(&self, file: &File) -> Effect {
        match (self.space_states[&file.space], file.state) {
            (SpaceState::Deleted, state) | (_, state @ (Gone | Trashed(_), _)) => {
                Effect::new(404, state)
            }
            (SpaceState::Disabled, state) => Effect::new(403, state),
            (SpaceState::Enabled, state @ (Active(_), _)) => Effect::new(200, state),
            (SpaceState::Enabled, state @ (Pending, None)) => Effect::new(409, state),
            (SpaceState::Enabled, (Pending, Some(Content::Program))) => {
                Effect::new(422, (Gone, None))
            }
            (SpaceState::Enabled, (Pending, Some(content))) => {
                Effect::new(200, (Active(content), Some(content)))
            }
        }
    }

    /// Returns what the deletion of a file does, which has no effect on what is in the trash.
    pub(super) fn deleted(&self, file: &File, is_permanent: bool) -> Effect {
        let has_trash = self.with_trash.contains(&file.space) && !is_permanent;
        match file.state {
            (Gone, _) => Effect::new(404, file.state),
            state if self.space_states[&file.space] == SpaceState::Deleted => {
                Effect::new(404, state)
            }
            (Active(content) | Trashed(content), staged) if has_trash => {
                Effect::new(200, (Trashed(content), staged))
            }
            (_, staged) => Effect::new(200, (Gone, staged)),
        }
    }

    /// Returns what a restoration of a file does.
    pub(super) fn restored(&self, file: &File) -> Effect {
        match file.state {
            (Gone, _) => Effect::new(404, file.state),
            state if self.space_states[&file.space] == SpaceState::Deleted => {
                Effect::new(404, state)
            }
            (Trashed(content), staged) => Effect::new(200, (Active(content), staged)),
            state => Effect::new(409, state),
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
