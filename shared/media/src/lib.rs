//! Images, bytes in and bytes out: every codec of ours is here.
//!
//! The steps stand apart, to be put together as they are needed: [`probe()`] reads a header,
//! [`require_end()`] looks for the end, [`decode()`] gives pixels, [`orient()`] turns them,
//! [`encode()`] makes a file of them, [`strip()`] removes metadata without any of that, and
//! [`incoming()`] is what upload configs ask for.
//!
//! Invariant: no I/O, no async, and no bytes, however hostile, make it panic or take more memory
//! than its functions say.

mod bytes;
mod colour;
mod container;
mod decode;
mod encode;
mod ending;
mod error;
mod exif;
mod format;
mod incoming;
mod metadata;
mod orient;
mod pixels;
mod probe;

pub use decode::decode;
pub use encode::{Encoding, encode, quality};
pub use ending::require_end;
pub use error::{MediaError, ProbeError};
pub use format::Format;
pub use incoming::{Changed, Incoming, changes_images, incoming, is_subject};
pub use metadata::strip;
pub use orient::{Orientation, orient};
pub use pixels::{AVIF_PIXELS, Channels, DEMANDING_PIXELS, PIXELS, Pixels};
pub use probe::{Frames, Probed, probe};
