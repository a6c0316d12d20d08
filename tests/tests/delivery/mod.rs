//! The CDN origin: `GET` and `HEAD` of delivered files.

pub(crate) mod access;
pub(crate) mod anonymous_renditions;
pub(crate) mod caching;
pub(crate) mod fixture;
pub(crate) mod folders;
pub(crate) mod large;
pub(crate) mod negotiation;
pub(crate) mod originals;
pub(crate) mod redirects;
pub(crate) mod rendition_races;
pub(crate) mod replicas;
pub(crate) mod signed_urls;
pub(crate) mod transformations;
pub(crate) mod watermark_images;
pub(crate) mod watermarks;
