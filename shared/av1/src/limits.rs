//! What the decoding process may use.

use std::{
    fs, io,
    os::fd::RawFd,
    path::{Path, PathBuf},
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::protocol::invalid;

/// Processor time of all pictures of an image, in seconds. Less than the time that callers permit,
/// so that a picture that needs too much of it is distinguished from one that waits for a
/// processor.
const CPU_SECONDS: u64 = 15;
/// The kernel sends SIGXCPU at the first limit of processor time and SIGKILL at the second, which
/// would not differ from the SIGKILL of others.
const MAX_CPU_SECONDS: u64 = CPU_SECONDS + 1;
/// Memory of a decoder of small pictures, in bytes: its state, and the bitstream.
const BASE_BYTES: u64 = 64 << 20;
/// Memory per pixel: three planes of `u16`, without and with film grain.
const BYTES_PER_PIXEL: u64 = 12;
/// Standard input, output and error are lower.
const FIRST_OTHER_DESCRIPTOR: RawFd = 3;

/// Returns the most memory, in bytes, that a decoder of pictures up to this number of pixels uses
/// beyond what its program does when it starts.
pub fn max_bytes(max_picture_pixels: u64) -> u64 {
    max_picture_pixels
        .saturating_mul(BYTES_PER_PIXEL)
        .saturating_add(BASE_BYTES)
}

/// Limits what this process can do. No file or socket can be opened afterwards, and no process
/// started, unless its user is root. Memory above the limit is an error of its allocation, which
/// ends the process.
pub(crate) fn set_limits(max_pixels: u64) -> io::Result<()> {
    // A core dump that is piped to a program does not depend on the limit.
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;

    let memory_bytes = current_bytes()?.saturating_add(max_bytes(max_pixels));
    for (resource, current, maximum) in [
        (Resource::As, memory_bytes, memory_bytes),
        (Resource::Cpu, CPU_SECONDS, MAX_CPU_SECONDS),
        (Resource::Core, 0, 0),
        (Resource::Fsize, 0, 0),
        (Resource::Nproc, 0, 0),
        (Resource::Nofile, 0, 0),
    ] {
        let distance = maximum - current;
        // Only root may raise a maximum that was inherited.
        let maximum = maximum.min(getrlimit(resource).maximum.unwrap_or(u64::MAX));
        setrlimit(
            resource,
            Rlimit {
                current: Some(maximum.saturating_sub(distance)),
                maximum: Some(maximum),
            },
        )?;
    }
    Ok(())
}

/// Returns the address space in use, to which the limit of memory applies.
fn current_bytes() -> io::Result<u64> {
    let statistics = fs::read_to_string("/proc/self/statm")?;
    let pages: Option<u64> = statistics
        .split(' ')
        .next()
        .and_then(|pages| pages.parse().ok());
    Ok(pages.ok_or_else(invalid)? * rustix::param::page_size() as u64)
}

/// Closes what the caller's process has not marked to be closed in its children, such as a log or
/// a socket of a library in C. To be called before this process opens anything.
pub(crate) fn close_inherited() -> io::Result<()> {
    let entries = fs::read_dir("/proc/self/fd")?;
    let paths: Vec<PathBuf> = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<_>>()?;
    for path in paths {
        let descriptor = descriptor_of(&path).ok_or_else(invalid)?;
        // The descriptor of the directory is closed already.
        if descriptor >= FIRST_OTHER_DESCRIPTOR && path.is_symlink() {
            close(descriptor);
        }
    }
    Ok(())
}

fn descriptor_of(path: &Path) -> Option<RawFd> {
    path.file_name()?.to_str()?.parse().ok()
}

#[expect(
    unsafe_code,
    reason = "a descriptor that nothing in this process owns has no safe interface"
)]
fn close(descriptor: RawFd) {
    // SAFETY: the descriptor is open. It belongs to no object of this process, which runs
    // `crate::init` before anything that opens one, and whose standard library owns none but the
    // first three.
    unsafe { rustix::io::close(descriptor) };
}
