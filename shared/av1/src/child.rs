//! The process that decodes: its limits, and its loop of requests.

use std::{
    fs::{self, File},
    io::{self, BufWriter, ErrorKind, Read, Write},
    os::fd::AsFd,
};

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::{
    codec::{self, Units},
    protocol::{Request, Status, header_bytes, invalid},
};

/// Processor time of all pictures, in seconds: that of the slowest rendering that a caller permits.
const CPU_SECONDS: u64 = 16;
/// Memory of a decoder of small pictures, in bytes: its state, and the bitstream.
const BASE_BYTES: u64 = 64 << 20;
/// Memory per pixel: three planes of `u16`, without and with film grain.
const BYTES_PER_PIXEL: u64 = 12;
const OUTPUT_BUFFER_BYTES: usize = 64 << 10;

/// Answers requests until the caller closes the input.
pub(crate) fn serve(max_pixels: u64) -> io::Result<()> {
    // Without the buffers of the standard library, whose output searches for line breaks.
    let mut input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let mut output = BufWriter::with_capacity(OUTPUT_BUFFER_BYTES, output);
    set_limits(max_pixels)?;

    loop {
        let request = match Request::read(&mut input) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            request => request?,
        };
        answer(request, &mut input, &mut output)?;
        output.flush()?;
    }
}

/// Limits what this process can do. No file or socket can be opened afterwards, and no process
/// started, unless its user is root. Memory above the limit is an error of its allocation, which
/// ends the process.
fn set_limits(max_pixels: u64) -> io::Result<()> {
    let statistics = fs::read_to_string("/proc/self/statm")?;
    let pages: Option<u64> = statistics
        .split(' ')
        .next()
        .and_then(|pages| pages.parse().ok());
    let current_bytes = pages.ok_or_else(invalid)? * rustix::param::page_size() as u64;
    let memory_bytes = max_pixels
        .saturating_mul(BYTES_PER_PIXEL)
        .saturating_add(current_bytes + BASE_BYTES);

    // A core dump that is piped to a program does not depend on the limit.
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    for (resource, limit) in [
        (Resource::As, memory_bytes),
        (Resource::Cpu, CPU_SECONDS),
        (Resource::Core, 0),
        (Resource::Fsize, 0),
        (Resource::Nproc, 0),
        (Resource::Nofile, 0),
    ] {
        let limit = Some(limit);
        setrlimit(
            resource,
            Rlimit {
                current: limit,
                maximum: limit,
            },
        )?;
    }
    Ok(())
}

/// Decodes a picture and writes the answer.
fn answer(request: Request, input: &mut impl Read, output: &mut impl Write) -> io::Result<()> {
    let length = usize::try_from(request.length).map_err(|_| invalid())?;
    let mut units = Units::zeroed(length).ok_or_else(invalid)?;
    input.read_exact(units.as_mut_slice())?;

    let pixels = u64::from(request.width) * u64::from(request.height);
    let Some(decoded) = codec::decode(units, pixels) else {
        return output.write_all(&[Status::Malformed as u8]);
    };
    let picture = decoded.header();
    if (picture.width, picture.height) != (request.width, request.height) {
        return output.write_all(&[Status::OtherSize as u8]);
    }

    output.write_all(&[Status::Decoded as u8])?;
    output.write_all(&header_bytes(&picture))?;
    for (plane, size) in picture.plane_sizes().into_iter().enumerate() {
        for row in 0..size.height {
            output.write_all(decoded.row(plane, row))?;
        }
    }
    Ok(())
}
