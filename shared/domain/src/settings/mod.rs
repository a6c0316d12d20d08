//! Settings that several kinds of records have: access control, watermarks, notifications,
//! statuses.

mod access_control;
mod lifecycle;
mod notifications;
mod watermark;

pub use access_control::{AccessControl, DeliveryType};
pub use lifecycle::{DeleteLock, FileStatus, FolderMode, TrashDays};
pub use notifications::{NotificationRules, WebhookEndpoint, WebhookEvent, WebhookSource};
pub use watermark::{
    AppliedWatermark, FolderSecurity, Gravity, Opacity, Security, StoredWatermark,
    TransformationPolicy, Watermark,
};
