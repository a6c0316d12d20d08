//! Warns that a release build has no assembly code for JPEG images: `mozjpeg-sys` leaves it out
//! silently without nasm, which halves its speed on `x86_64`.

use std::{env, process::Command};

#[expect(
    clippy::disallowed_methods,
    reason = "Cargo names the target and the profile in variables"
)]
fn main() {
    // Not on changes of PATH, which would compile this crate and all that use it again.
    println!("cargo::rerun-if-changed=build.rs");

    let is_x86_64 = env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let has_nasm = || Command::new("nasm").arg("-v").output().is_ok();

    if is_x86_64 && is_release && !has_nasm() {
        println!(
            "cargo::warning=nasm is missing: JPEG images take twice the time. Install it, and run `cargo clean --release -p mozjpeg-sys -p media`"
        );
    }
}
