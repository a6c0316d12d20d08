//! The permissions that functions use, in a file that `scripts/check-permissions` evaluates.

use std::{
    collections::BTreeSet,
    env,
    fs::OpenOptions,
    io::{self, Write as _},
    sync::Mutex,
};

use emulators::{CallLog, UsedPermission};

/// Variable with the path of the file. `scripts/test` sets it.
const FILE: &str = "LARDER_USED_PERMISSIONS";

/// The permissions that this process has written.
static WRITTEN: Mutex<BTreeSet<UsedPermission>> = Mutex::new(BTreeSet::new());

/// Appends the permissions that calls of a stack used, one per line: `FUNCTION ACTION RESOURCE`.
pub(crate) fn write(log: &CallLog) -> io::Result<()> {
    #[expect(
        clippy::disallowed_methods,
        reason = "whether the file is written is up to who runs the tests"
    )]
    let Some(path) = env::var_os(FILE) else {
        return Ok(());
    };

    let mut written = WRITTEN.lock().expect("no thread panicked while it wrote");
    let mut lines = String::new();
    for used in log.used_permissions() {
        let line = format!("{} {} {}\n", used.principal, used.action, used.resource);
        if written.insert(used) {
            lines.push_str(&line);
        }
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(lines.as_bytes())
}
