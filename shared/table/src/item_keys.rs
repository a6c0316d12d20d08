//! The keys of stored items, for code that reads or writes items directly: the tests.

pub use crate::key::{
    AUTHENTICATED_KEYS, FILE_LOOKUPS, FILES, FILES_IN_FOLDERS, FOLDER_LOOKUPS, FOLDER_NAMES,
    FOLDERS, HANDLES, IDEMPOTENCY_RESERVATIONS, Key, PATHS, RATE_COUNTERS, SPACE, SPACES,
    SUBFOLDERS, WEBHOOK_MESSAGES,
};
