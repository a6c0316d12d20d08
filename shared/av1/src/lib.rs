//! AV1 decoding of still pictures by rav1d, in a child process.
//!
//! rav1d aborts its process on damaged pictures
//! (<https://github.com/memorysafety/rav1d/issues/1497>). Pictures are therefore decoded by the
//! program's executable, which a [`Decoder`] starts again with a hidden argument, once per image.
//!
//! Invariants:
//! - No picture is decoded in the process of the caller.
//! - A decoder has no environment but a setting of its allocator, and no descriptors but its
//!   standard streams, and limits its memory, processor time and files before it reads its input.
//! - Whatever a decoder answers, it has no effect except a [`Picture`] of the expected size or an
//!   [`Av1Error`].
//! - An end of a decoder counts as damage of the picture only if the picture can be its cause.
//! - A decoder is killed when its time is over or the thread that started it ends, and reaped when
//!   its [`Decoder`] is dropped.

mod child;
mod codec;
mod decoder;
mod limits;
mod picture;
mod protocol;

use std::{
    env, io,
    path::PathBuf,
    process::{self, ExitStatus},
    sync::{PoisonError, RwLock},
};

pub use decoder::Decoder;
pub use limits::max_bytes;
pub use picture::{Chroma, ChromaPosition, Picture, PlaneSize};

/// The argument of a decoder, before the pixels of its largest picture.
const ARGUMENT: &str = "--serve-as-av1-decoder";

/// The program that is started as decoder.
static PROGRAM: RwLock<Option<PathBuf>> = RwLock::new(None);

/// The reason for which a picture was not decoded.
#[derive(Debug, thiserror::Error)]
pub enum Av1Error {
    /// Neither [`init`] nor [`use_program`] was called.
    #[error("the program does not serve as AV1 decoder")]
    NoProgram,
    /// The process or its watchdog was not started, or the process ended before it was ready.
    #[error("the AV1 decoder was not started")]
    Start(#[source] io::Error),
    /// The expected size has more pixels than the limit of [`Decoder::start`].
    #[error("the AV1 picture has {pixels} pixels, more than {limit}")]
    TooLarge { pixels: u64, limit: u64 },
    /// rav1d reported an error, or no picture.
    #[error("the AV1 picture is damaged")]
    Malformed,
    /// The picture has another size than expected.
    #[error("the AV1 picture has another size than its container specifies")]
    OtherSize,
    /// The decoder ended by a signal of its program, as it does on most damage. It decodes nothing
    /// more.
    #[error("the AV1 picture is damaged: the decoder ended with {0}")]
    Ended(ExitStatus),
    /// The decoder ended without its program or the picture being the cause, such as when the
    /// machine has no more memory. It decodes nothing more, but another one may.
    #[error("the AV1 decoder was ended from outside with {0}")]
    Killed(ExitStatus),
    /// The decoder's answer is invalid. It decodes nothing more.
    #[error("the AV1 decoder returned an invalid answer")]
    InvalidAnswer,
    /// The decoder's processor time is over. It decodes nothing more, and another one would not
    /// decode this picture either.
    #[error("the AV1 picture takes too much processor time")]
    TooSlow,
    /// The time of the decoder is over, of which others may have had the processor. It decodes
    /// nothing more, but another one may.
    #[error("the AV1 picture was not decoded in time")]
    TimedOut,
}

/// Decodes pictures and exits if this process was started as a decoder; otherwise lets
/// [`Decoder::start`] start this program. To be called first in `main`, before anything else reads
/// the input or the arguments.
pub fn init() {
    let mut arguments = env::args_os().skip(1);
    if arguments.next().is_none_or(|argument| argument != ARGUMENT) {
        use_program("/proc/self/exe".into());
        return;
    }

    let max_pixels = arguments.next();
    let max_pixels = max_pixels.and_then(|pixels| pixels.to_str()?.parse().ok());
    let is_served = max_pixels.is_some_and(|pixels| child::serve(pixels).is_ok());
    process::exit((!is_served).into());
}

/// Sets the program that is started as decoder, whose `main` calls [`init`]. For tests, which are
/// no such program.
pub fn use_program(path: PathBuf) {
    *PROGRAM.write().unwrap_or_else(PoisonError::into_inner) = Some(path);
}

fn program() -> Result<PathBuf, Av1Error> {
    let program = PROGRAM.read().unwrap_or_else(PoisonError::into_inner);
    program.clone().ok_or(Av1Error::NoProgram)
}
