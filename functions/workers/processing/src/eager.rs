//! Eager renditions, which are created after an upload.

use domain::{
    files::File,
    renditions::{EagerTransformation, ImageFormat, Rendition},
    settings::AppliedWatermark,
};

/// A rendition to create, and the query of the URL that it is delivered at.
pub(crate) struct EagerRendition {
    pub(crate) rendition: Rendition,
    /// `None` for a rendition that is not listed as a thumbnail.
    pub(crate) query: Option<String>,
}

/// Returns the renditions of eager transformations with their outputs, which delivery looks for.
/// Returns each rendition once, as a listed one if it is among the listed ones. Listed ones with
/// the same output remain, because each query is listed.
pub(crate) fn planned(
    eager: &[EagerTransformation],
    file: &File,
    watermark: Option<AppliedWatermark>,
) -> Vec<EagerRendition> {
    let planned = eager.iter().flat_map(|eager| of_eager(*eager, file));
    let mut unique: Vec<EagerRendition> = Vec::new();

    for (rendition, query) in planned {
        let rendition = renditions::resolve(
            Rendition {
                watermark,
                ..rendition
            },
            file,
        );
        let planned = EagerRendition { rendition, query };

        let is_same = |other: &&mut EagerRendition| {
            let is_listed_twice = other.query.is_some() && planned.query.is_some();
            other.rendition.id() == planned.rendition.id()
                && (!is_listed_twice || other.query == planned.query)
        };

        match unique.iter_mut().find(is_same) {
            Some(other) if other.query.is_none() => *other = planned,
            Some(_) => {}
            None => unique.push(planned),
        }
    }

    unique
}

/// Returns the renditions of an eager transformation, each with the query that it is listed with.
/// One without a format is created in each format that delivery selects from: for clients that name
/// none, which is listed, and for those that accept WebP.
fn of_eager(eager: EagerTransformation, file: &File) -> Vec<(Rendition, Option<String>)> {
    let transformation = eager.requested();
    let query = Some(transformation.to_string());
    if let Some(format) = transformation.format {
        return vec![(Rendition::of(transformation, format), query)];
    }

    let original = ImageFormat::of_original(&file.mime_type, file.has_alpha());
    let listed = Rendition {
        accepts_webp: false,
        ..Rendition::of(transformation, original)
    };
    let mut renditions = vec![(listed, query)];
    for format in [ImageFormat::WebP, ImageFormat::Avif] {
        let is_selected =
            format != ImageFormat::Avif || !ImageFormat::prefers_webp(&file.mime_type);
        if is_selected {
            renditions.push((Rendition::of(transformation, format), None));
        }
    }
    renditions
}
