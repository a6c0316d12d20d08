//! Thumbnails that the API lists for an image. They are rendered by their first request, except
//! eager ones.

use serde::{Deserialize, Serialize};

use crate::{
    files::File,
    naming::ImageSize,
    renditions::{ImageFormat, Resize, Sides, Transformation},
    settings::DeliveryType,
};

/// Sides of the squares that the thumbnails of every image fit into, in pixels.
const SIDES: [u32; 3] = [160, 320, 640];

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thumbnail {
    pub width: u32,
    pub height: u32,
    /// Query of its URL: `w=300&h=300&f=webp`.
    pub query: String,
}

impl File {
    /// Returns the thumbnails of a decoded image, the smallest first: eager ones, and the standard
    /// ones unless the file is private, since anyone may read the renditions of a private file that
    /// are stored.
    pub fn thumbnails(&self) -> Vec<Thumbnail> {
        let Some(media) = self.media.as_ref().filter(|media| media.is_decoded()) else {
            return Vec::new();
        };

        let mut thumbnails = media.eager.clone();
        if self.delivery_type != DeliveryType::Private
            && let Some(size) = self.displayed_size()
        {
            let standard = standard(size, media.meta.is_animated());
            let is_new = |new: &Thumbnail| media.eager.iter().all(|other| other.query != new.query);
            thumbnails.extend(standard.filter(is_new));
        }
        thumbnails.sort_by_key(|thumbnail| (thumbnail.width, thumbnail.height));
        thumbnails
    }
}

/// Returns the thumbnails of every image: as WebP, of an animation its first frame as PNG. A size
/// is left out if the image is not larger, except the first.
fn standard(size: ImageSize, is_animated: bool) -> impl Iterator<Item = Thumbnail> {
    let longest_side = size.width.max(size.height);
    let is_needed = move |side: &u32| *side == SIDES[0] || *side < longest_side;
    let format = if is_animated {
        ImageFormat::Png
    } else {
        ImageFormat::WebP
    };

    SIDES.into_iter().filter(is_needed).map(move |side| {
        let square = ImageSize {
            width: side,
            height: side,
        };
        let ImageSize { width, height } = size.fitted(square);
        let sides = Sides::Both {
            width: side,
            height: side,
        };
        let transformation = Transformation {
            resize: Some(Resize::Fit(sides)),
            format: Some(format),
            ..Transformation::default()
        };
        Thumbnail {
            width,
            height,
            query: transformation.to_string(),
        }
    })
}
