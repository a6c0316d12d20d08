//! Pauses one attempt of a principal, so that a test can act between two calls of a request.
//!
//! Invariants:
//! - A hold pauses at most one attempt, for as long as its [`Hold`] exists.
//! - A paused attempt has had no effect yet.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

/// An attempt to pause.
#[derive(Debug)]
struct PlannedHold {
    principal: String,
    /// Attempts that are let through before.
    skips_left: u32,
    /// The operation of the attempt, once it is paused.
    operation: watch::Sender<Option<String>>,
    released: watch::Receiver<bool>,
}

/// The attempts to pause. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Holds {
    planned: Arc<Mutex<Vec<PlannedHold>>>,
}

/// A planned pause of one attempt. Dropping it resumes the attempt, or cancels a pause that has not
/// begun.
#[derive(Debug)]
pub struct Hold {
    operation: watch::Receiver<Option<String>>,
    released: watch::Sender<bool>,
}

impl Hold {
    /// Waits until the attempt is paused. Never returns if the principal makes fewer attempts.
    pub async fn reached(&mut self) {
        if self.operation.wait_for(Option::is_some).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Returns the operation of the attempt; `None` until it is paused.
    pub fn operation(&self) -> Option<String> {
        self.operation.borrow().clone()
    }

    pub fn release(self) {
        self.released.send_replace(true);
    }
}

impl Holds {
    /// Plans to pause one attempt of a principal, after `skips` more attempts.
    pub(super) fn plan(&self, principal: &str, skips: u32) -> Hold {
        let (operation_sender, operation) = watch::channel(None);
        let (released_sender, released) = watch::channel(false);
        let planned = PlannedHold {
            principal: principal.to_owned(),
            skips_left: skips,
            operation: operation_sender,
            released,
        };

        self.planned
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(planned);

        Hold {
            operation,
            released: released_sender,
        }
    }

    /// Counts an attempt of a principal, and waits if it is held.
    pub(super) async fn wait(&self, principal: &str, operation: &str) {
        let Some(mut hold) = self.take(principal) else {
            return;
        };
        hold.operation.send_replace(Some(operation.to_owned()));

        // An error means that the `Hold` was dropped.
        let _ = hold.released.wait_for(|released| *released).await;
    }

    /// Removes and returns the hold that applies to this attempt.
    fn take(&self, principal: &str) -> Option<PlannedHold> {
        let mut all_planned = self.planned.lock().unwrap_or_else(PoisonError::into_inner);
        all_planned.retain(|planned| planned.released.has_changed().is_ok());

        let mut due = None;
        for (index, planned) in all_planned.iter_mut().enumerate() {
            if planned.principal != principal {
                continue;
            }
            match planned.skips_left.checked_sub(1) {
                Some(skips_left) => planned.skips_left = skips_left,
                None => due = due.or(Some(index)),
            }
        }

        due.map(|index| all_planned.remove(index))
    }
}
