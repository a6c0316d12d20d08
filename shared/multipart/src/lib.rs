//! Multipart forms (RFC 7578) as `multer` can read them in bounded memory: bodies limited in size
//! and with bounded headers, and names of fields and files in any encoding.
//!
//! Invariant: a body is a stream that is read once, in pieces; nothing is buffered but one chunk.

mod boundary_matcher;
mod bounded_body;
mod disposition;
mod part_headers;

pub use bounded_body::{BodyLimitError, BoundedBody};
pub use disposition::Disposition;
pub use part_headers::HeadersTooLarge;
