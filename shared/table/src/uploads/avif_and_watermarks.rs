//! Counts of settings that exclude each other in a space: upload configs that convert images to AVIF, which
//! cannot be decoded, and watermarks that its own settings or those of its folders enable.
//!
//! Invariants:
//! - A transaction that adds such a setting requires that there are none of the other kind, and counts it in the
//!   same item. So no order of concurrent changes leaves both kinds in a space.
//! - A file that was converted to AVIF becomes active only while there is no watermark.

use domain::SpaceId;

use crate::{
    Key, Reason,
    condition::{Condition, number},
    transaction::Transaction,
};

/// A kind of setting.
struct Kind {
    /// Attribute with its number in the space.
    count: &'static str,
    /// Attribute with the number of the other kind.
    excluded: &'static str,
    /// Why it cannot be added.
    reason: Reason,
}

const AVIF_CONFIG: Kind = Kind {
    count: "avif_configs",
    excluded: "watermarks",
    reason: Reason::WatermarkEnabled,
};
const WATERMARK: Kind = Kind {
    count: "watermarks",
    excluded: "avif_configs",
    reason: Reason::AvifConfigs,
};

impl Kind {
    /// Also requires that there are no settings of the other kind.
    fn permitted(&self, condition: Condition) -> Condition {
        condition
            .and("(attribute_not_exists(#excluded) OR #excluded = :none)")
            .name("excluded", self.excluded)
            .value("none", number(0))
    }
}

/// Whether a setting was present before a change, and is afterwards.
#[derive(Clone, Copy)]
pub(crate) struct Presence {
    pub(crate) before: bool,
    pub(crate) after: bool,
}

impl Transaction<'_> {
    /// Counts an upload config that converts to AVIF. Fails with [`Reason::WatermarkEnabled`].
    pub(crate) fn count_avif_config(&mut self, space: SpaceId, presence: Presence) {
        self.count(space, presence, &AVIF_CONFIG);
    }

    /// Counts an enabled watermark. Fails with [`Reason::AvifConfigs`].
    pub(crate) fn count_watermark(&mut self, space: SpaceId, presence: Presence) {
        self.count(space, presence, &WATERMARK);
    }

    /// Requires that there is no watermark. Fails with [`Reason::WatermarkEnabled`].
    pub(crate) fn require_no_watermark(&mut self, space: SpaceId) {
        let key = Key::avif_and_watermarks(space);
        let condition = AVIF_CONFIG.permitted(Condition::default());
        self.check(key, &condition, AVIF_CONFIG.reason);
    }

    fn count(&mut self, space: SpaceId, presence: Presence, kind: &Kind) {
        if presence.before == presence.after {
            return;
        }
        let counted = Condition::default().name("count", kind.count);
        let condition = if presence.after {
            kind.permitted(counted.value("added", number(1)))
        } else {
            counted.value("added", number(-1))
        };

        let key = Key::avif_and_watermarks(space);
        self.update(key, "ADD #count :added", &condition, kind.reason);
    }
}
