//! A semaphore that tenants share fairly.
//!
//! Invariants:
//! - A tenant that holds permits acquires more only up to three quarters of all, so others can start while its
//!   work runs. A tenant that holds none can acquire all.
//! - Of the waiting tenants, the one that holds the fewest permits is next, then the one whose last turn is the longest ago,
//!   then the one that waits longest.
//!   Within a tenant, the first to wait is the first to acquire.
//! - The next one is not overtaken: permits that are too few for it stay free until it acquires them or gives up.

use std::{
    future::pending,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;

/// The part of all permits that a single tenant leaves to others, as a divisor.
const LEFT_TO_OTHERS_DIVISOR: u32 = 4;

/// The semaphore. `T` identifies a tenant. Clones share their permits.
#[derive(Clone, Debug)]
pub struct FairSemaphore<T: Copy + PartialEq>(Arc<Shared<T>>);

#[derive(Debug)]
struct Shared<T: Copy + PartialEq> {
    total: u32,
    state: Mutex<State<T>>,
}

#[derive(Debug)]
struct State<T: Copy + PartialEq> {
    /// Permits in use. Each entry is one acquisition.
    held: Vec<Share<T>>,
    /// Acquisitions that wait, in the order of their arrival.
    waiting: Vec<Waiting<T>>,
    /// Tenants that had a turn and still hold or wait for permits; the latest turn last.
    turns: Vec<T>,
}

/// Permits of a tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Share<T> {
    tenant: T,
    permits: u32,
}

#[derive(Debug)]
struct Waiting<T: Copy + PartialEq> {
    share: Share<T>,
    acquired: oneshot::Sender<FairPermit<T>>,
}

/// Acquired permits, which are released when it is dropped.
#[derive(Debug)]
pub struct FairPermit<T: Copy + PartialEq> {
    semaphore: FairSemaphore<T>,
    share: Share<T>,
}

impl<T: Copy + PartialEq> Drop for FairPermit<T> {
    fn drop(&mut self) {
        let mut state = self.semaphore.state();
        let position = state.held.iter().position(|held| *held == self.share);
        if let Some(position) = position {
            state.held.swap_remove(position);
        }
        drop(state);
        self.semaphore.grant();
    }
}

/// Lets others acquire the permits that a waiting acquisition no longer waits for.
struct GrantOnDrop<'a, T: Copy + PartialEq>(&'a FairSemaphore<T>);

impl<T: Copy + PartialEq> Drop for GrantOnDrop<'_, T> {
    fn drop(&mut self) {
        self.0.grant();
    }
}

impl<T: Copy + PartialEq> FairSemaphore<T> {
    /// Creates a semaphore with this number of permits.
    pub fn new(total: u32) -> FairSemaphore<T> {
        let state = State {
            held: Vec::new(),
            waiting: Vec::new(),
            turns: Vec::new(),
        };
        FairSemaphore(Arc::new(Shared {
            total,
            state: Mutex::new(state),
        }))
    }

    /// Waits for permits. Waits forever for more than all.
    pub async fn acquire(&self, tenant: T, permits: u32) -> FairPermit<T> {
        let (acquired, permit) = oneshot::channel();
        let share = Share { tenant, permits };
        self.state().waiting.push(Waiting { share, acquired });

        let granting = GrantOnDrop(self);
        self.grant();
        let Ok(permit) = permit.await else {
            // An acquisition that waits has not been dropped.
            return pending().await;
        };
        drop(granting);
        permit
    }

    /// Returns the tenant that holds the most permits; `None` if all are free.
    pub fn largest_holder(&self) -> Option<T> {
        let state = self.state();
        let tenants = state.held.iter().map(|held| held.tenant);
        tenants.max_by_key(|tenant| state.held_by(*tenant))
    }

    /// Grants free permits to the acquisitions that are next.
    fn grant(&self) {
        loop {
            let Some(next) = self.state().take_next(self.0.total) else {
                return;
            };
            let permit = FairPermit {
                semaphore: self.clone(),
                share: next.share,
            };
            // Dropped, and so released, if nothing waits for it any more.
            let _ = next.acquired.send(permit);
        }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        let state = self.0.state.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Copy + PartialEq> State<T> {
    /// Removes the acquisition that is next, and counts its permits as held. Returns `None` if its permits are
    /// not free.
    fn take_next(&mut self, total: u32) -> Option<Waiting<T>> {
        self.waiting.retain(|waiting| !waiting.acquired.is_closed());
        let most = total - total / LEFT_TO_OTHERS_DIVISOR;
        let is_within_share = |share: &Share<T>| {
            let held = self.held_by(share.tenant);
            held == 0 || held + share.permits <= most
        };

        let is_first = |index: usize, share: &Share<T>| {
            let mut earlier = self.waiting.iter().take(index);
            earlier.all(|one| one.share.tenant != share.tenant)
        };

        let candidates = self.waiting.iter().enumerate();
        let (index, next) = candidates
            .filter(|(index, waiting)| is_first(*index, &waiting.share))
            .filter(|(_, waiting)| is_within_share(&waiting.share))
            .min_by_key(|(_, waiting)| {
                let tenant = waiting.share.tenant;
                (self.held_by(tenant), self.last_turn(tenant))
            })?;
        let free = total - self.held.iter().map(|held| held.permits).sum::<u32>();
        if next.share.permits > free {
            return None;
        }

        let next = self.waiting.remove(index);
        self.held.push(next.share);
        self.record_turn(next.share.tenant);
        Some(next)
    }

    /// Returns the position of a tenant among the last turns; `None`, which is less, if it had none.
    fn last_turn(&self, tenant: T) -> Option<usize> {
        self.turns.iter().position(|other| *other == tenant)
    }

    fn record_turn(&mut self, tenant: T) {
        let waiting = self.waiting.iter().map(|waiting| waiting.share.tenant);
        let held = self.held.iter().map(|held| held.tenant);
        let active: Vec<T> = waiting.chain(held).collect();

        self.turns
            .retain(|other| *other != tenant && active.contains(other));
        self.turns.push(tenant);
    }

    fn held_by(&self, tenant: T) -> u32 {
        let of_tenant = self.held.iter().filter(|held| held.tenant == tenant);
        of_tenant.map(|held| held.permits).sum()
    }
}

#[cfg(test)]
mod tests {
    use domain::SpaceId;
    use futures::{FutureExt, future::BoxFuture};

    use super::*;

    /// An acquisition in progress.
    type Permit = FairPermit<SpaceId>;
    type Acquiring = BoxFuture<'static, Permit>;

    const LOUD: SpaceId = SpaceId::MIN;
    const QUIET: SpaceId = SpaceId::MAX;

    /// Begins to acquire permits.
    fn begin(semaphore: &FairSemaphore<SpaceId>, space: SpaceId, permits: u32) -> Acquiring {
        let semaphore = semaphore.clone();
        let mut acquiring = async move { semaphore.acquire(space, permits).await }.boxed();
        match acquired(&mut acquiring) {
            Some(permit) => async { permit }.boxed(),
            None => acquiring,
        }
    }

    /// Returns the permit if it is acquired.
    fn acquired(acquiring: &mut Acquiring) -> Option<Permit> {
        acquiring.now_or_never()
    }

    #[test]
    fn tenant_acquires_three_quarters_and_leaves_the_rest_to_others() {
        let semaphore = FairSemaphore::new(8);
        let mut all: Vec<Acquiring> = (0..8).map(|_| begin(&semaphore, LOUD, 1)).collect();
        let held: Vec<Permit> = all.iter_mut().filter_map(acquired).collect();
        assert_eq!(held.len(), 6);

        let mut quiet = begin(&semaphore, QUIET, 2);
        let quiet = acquired(&mut quiet);
        assert!(quiet.is_some());
        assert_eq!(semaphore.largest_holder(), Some(LOUD));
    }

    #[test]
    fn tenant_that_holds_the_fewest_permits_is_next() {
        let semaphore = FairSemaphore::new(4);
        let first = acquired(&mut begin(&semaphore, LOUD, 2)).expect("free");
        let second = acquired(&mut begin(&semaphore, QUIET, 2)).expect("free");
        let mut loud = begin(&semaphore, LOUD, 1);
        let mut loud_again = begin(&semaphore, LOUD, 1);
        let mut quiet = begin(&semaphore, QUIET, 2);

        drop(second);
        let quiet = acquired(&mut quiet);
        assert!(quiet.is_some() && acquired(&mut loud).is_none());

        drop(first);
        assert!(acquired(&mut loud).is_some() && acquired(&mut loud_again).is_some());
    }

    #[test]
    fn tenants_take_turns_for_a_single_permit() {
        let semaphore = FairSemaphore::new(1);
        let other = "01JDA7M0Q5W8E2R4T6Y9V1B3N5".parse().expect("an id");
        let mut held = acquired(&mut begin(&semaphore, LOUD, 1));
        let mut waiting =
            [LOUD, other, LOUD, other, QUIET].map(|space| begin(&semaphore, space, 1));

        let mut turns = Vec::new();
        while held.take().is_some() {
            let next = waiting.iter_mut().enumerate().find_map(|(index, waiting)| {
                (!turns.contains(&index))
                    .then(|| acquired(waiting).map(|permit| (index, permit)))?
            });
            turns.extend(next.as_ref().map(|(index, _)| *index));
            held = next.map(|(_, permit)| permit);
        }
        assert_eq!(turns, [1, 4, 0, 3, 2]);
    }

    #[test]
    fn large_acquisition_is_not_overtaken_until_it_gives_up() {
        let semaphore = FairSemaphore::new(4);
        let held = acquired(&mut begin(&semaphore, LOUD, 4)).expect("a tenant that holds nothing");
        let large = begin(&semaphore, QUIET, 4);
        let mut small = begin(&semaphore, LOUD, 1);

        drop(held);
        assert!(acquired(&mut small).is_none());
        drop(large);
        assert!(acquired(&mut small).is_some());
    }

    #[test]
    fn acquisition_over_three_quarters_is_not_overtaken_by_its_tenant() {
        let semaphore = FairSemaphore::new(8);
        let held = acquired(&mut begin(&semaphore, LOUD, 4)).expect("free");
        let mut large = begin(&semaphore, LOUD, 4);
        let mut small = begin(&semaphore, LOUD, 1);
        assert!(acquired(&mut small).is_none());

        drop(held);
        let large = acquired(&mut large);
        assert!(large.is_some() && acquired(&mut small).is_some());
    }

    #[test]
    fn granted_permit_whose_future_is_dropped_is_free() {
        let semaphore = FairSemaphore::new(4);
        let held = acquired(&mut begin(&semaphore, LOUD, 4)).expect("free");
        let granted = begin(&semaphore, QUIET, 4);

        drop(held);
        drop(granted);
        assert!(acquired(&mut begin(&semaphore, LOUD, 4)).is_some());
    }
}
