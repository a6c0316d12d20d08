//! The process that decodes: its loop of requests.

use std::{
    io::{self, BufWriter, ErrorKind, Read, Write},
    os::fd::AsFd,
    panic, process,
};

use crate::{
    codec::{self, Obus},
    limits::{close_inherited, set_limits},
    protocol::{READY, Request, Status, header_bytes, invalid},
};

const OUTPUT_BUFFER_BYTES: usize = 64 << 10;

/// Answers requests until the caller closes the input.
pub(crate) fn serve(max_pixels: u64) -> io::Result<()> {
    end_with_caller()?;
    // A panic has the same cause as an abort of rav1d, and the caller tells it by the same signal.
    panic::set_hook(Box::new(|_| process::abort()));
    close_inherited()?;
    set_limits(max_pixels)?;

    let mut input = Unbuffered(io::stdin());
    let mut output = BufWriter::with_capacity(OUTPUT_BUFFER_BYTES, Unbuffered(io::stdout()));
    output.write_all(&[READY])?;
    output.flush()?;

    loop {
        let request = match Request::read(&mut input) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            request => request?,
        };
        answer(request, &mut input, &mut output)?;
        output.flush()?;
    }
}

/// Lets the kernel kill this process when the thread that started it ends, such as when its process
/// is killed. That thread waits until this process is ready, so if it has ended before this call,
/// the output is closed and nothing is decoded.
fn end_with_caller() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    Ok(())
}

/// Decodes a picture and writes the answer.
fn answer(request: Request, input: &mut impl Read, output: &mut impl Write) -> io::Result<()> {
    let length = usize::try_from(request.length).map_err(|_| invalid())?;
    // Other allocations above the limit abort too, and the picture is the cause of each.
    let mut obus = Obus::zeroed(length).unwrap_or_else(|| process::abort());
    input.read_exact(obus.as_mut_slice())?;

    let pixels = u64::from(request.width) * u64::from(request.height);
    let Some(decoded) = codec::decode(obus, pixels) else {
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

/// A standard stream without the buffer of the standard library, whose output searches for line
/// breaks. Unlike a `File`, it needs no second descriptor.
struct Unbuffered<S>(S);

impl<S: AsFd> Read for Unbuffered<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(&self.0, buffer)?)
    }
}

impl<S: AsFd> Write for Unbuffered<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(&self.0, bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
