//! Start of a fuzz target.

use std::{
    collections::HashSet,
    panic::{PanicHookInfo, set_hook},
    path::Path,
    process::abort,
    sync::{LazyLock, Mutex, PoisonError},
};

/// Variable with the directory that the seeds of a target are written to.
const SEEDS_DIRECTORY: &str = "LARDER_FUZZ_SEEDS";
/// The decoder of AV1, which is built without sanitizers: they need options in its environment, and
/// more memory than it may use. What it runs does not count as coverage.
const AV1_DECODER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/debug/av1-decoder");
/// Part of the path of every dependency from a registry.
const DEPENDENCIES: &str = "/registry/src/";

/// Locations of panics that were logged.
static LOGGED: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);

/// Prepares a target: writes its seeds, and replaces the panic hook.
///
/// `media` converts panics of codecs to errors, so a panic of a dependency only fails the target if
/// it is not caught. A panic in our code always fails it.
pub fn init(seeds: fn() -> Vec<Vec<u8>>) {
    av1::use_program(AV1_DECODER.into());
    set_hook(Box::new(on_panic));

    if let Some(directory) = std::env::var_os(SEEDS_DIRECTORY) {
        for (number, seed) in seeds().into_iter().enumerate() {
            let path = Path::new(&directory).join(format!("seed-{number}"));
            std::fs::write(path, seed).expect("the directory of seeds is writable");
        }
    }
}

fn on_panic(info: &PanicHookInfo) {
    let location = info.location().map(ToString::to_string).unwrap_or_default();
    let mut logged = LOGGED.lock().unwrap_or_else(PoisonError::into_inner);
    if logged.insert(location.clone()) {
        eprintln!("{info}");
    }
    if !location.contains(DEPENDENCIES) {
        abort();
    }
}
