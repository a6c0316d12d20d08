//! Stores the bytes of every file in one S3 bucket.
//!
//! Invariants:
//! - This is the only crate that defines object keys; the module `key` lists all of them.
//! - An object is never overwritten with other bytes, because its key contains a revision that is
//!   generated whenever bytes are stored. The exception are staged objects, to which a client can
//!   send bytes repeatedly. They are trusted only after they are copied or read completely: their
//!   ETag is an MD5, and MD5 has collisions.

mod copy;
mod error;
mod key;
mod list;
mod presign;
mod read;
mod remove;
mod rendition;
mod rendition_list;
mod write;

use aws_credential_types::provider::SharedCredentialsProvider;
use aws_sdk_s3::Client;

pub use copy::{Copied, CopyOutcome, MAX_CHECKSUM_BYTES};
pub use error::BucketError;
pub use key::ObjectKey;
pub use list::{ListedObject, MAX_LISTED_OBJECTS, OriginalsPage, OriginalsPosition};
pub use presign::{PresignedPut, PutGrant, ResponseHeaders};
pub use read::{ObjectHead, ObjectReader};
pub use remove::MAX_DELETED_OBJECTS;
pub use rendition::{NewRendition, RenditionInfo, StoredRendition};
pub use rendition_list::{ListedRendition, RenditionsPage};
pub use write::Payload;

/// The client of the bucket.
#[derive(Clone, Debug)]
pub struct Bucket {
    client: Client,
    url_credentials: SharedCredentialsProvider,
    name: String,
}

impl Bucket {
    /// Creates the client of a bucket. `url_credentials` sign presigned URLs.
    pub fn new(client: Client, url_credentials: SharedCredentialsProvider, name: String) -> Bucket {
        Bucket {
            client,
            url_credentials,
            name,
        }
    }
}
