//! Pauses one attempt of a principal, so that a test can act between two calls of a request instead
//! of racing it.
//!
//! Invariants: a hold pauses one attempt at most, and only for as long as its [`Hold`] exists; the
//! attempt has had no effect when it is paused.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

/// An attempt to be paused.
#[derive(Debug)]
struct Plan {
    principal: String,
    /// Attempts that pass before.
    passes_left: u32,
    reached: watch::Sender<bool>,
    released: watch::Receiver<bool>,
}

/// The attempts to be paused. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Holds(Arc<Mutex<Vec<Plan>>>);

/// A planned pause of one attempt. Dropping it lets the attempt go on, or cancels the pause if it
/// has not begun.
#[derive(Debug)]
pub struct Hold {
    reached: watch::Receiver<bool>,
    released: watch::Sender<bool>,
}

impl Hold {
    /// Waits until the attempt is paused; for ever if the principal makes fewer attempts.
    pub async fn reached(&mut self) {
        if self.reached.wait_for(|reached| *reached).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Lets the attempt go on.
    pub fn release(self) {
        self.released.send_replace(true);
    }
}

impl Holds {
    /// Plans to pause a principal's next attempt but `passes`.
    pub(super) fn plan(&self, principal: &str, passes: u32) -> Hold {
        let (reached, is_reached) = watch::channel(false);
        let (released, is_released) = watch::channel(false);
        let plan = Plan {
            principal: principal.to_owned(),
            passes_left: passes,
            reached,
            released: is_released,
        };
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(plan);
        Hold {
            reached: is_reached,
            released,
        }
    }

    /// Counts an attempt of a principal, and returns when it may be made.
    pub(super) async fn pass(&self, principal: &str) {
        let Some(mut plan) = self.take(principal) else {
            return;
        };
        plan.reached.send_replace(true);

        // An error means that the hold was dropped.
        let _ = plan.released.wait_for(|released| *released).await;
    }

    /// Takes the plan that speaks of this attempt.
    fn take(&self, principal: &str) -> Option<Plan> {
        let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        plans.retain(|plan| plan.released.has_changed().is_ok());

        let mut due = None;
        for (index, plan) in plans
            .iter_mut()
            .enumerate()
            .filter(|(_, plan)| plan.principal == principal)
        {
            match plan.passes_left.checked_sub(1) {
                Some(left) => plan.passes_left = left,
                None => due = due.or(Some(index)),
            }
        }
        due.map(|index| plans.remove(index))
    }
}
