//! The variants that are created after an upload: eager ones.

use domain::{AppliedWatermark, EagerTransformation, File, ImageFormat, Variant};

/// A variant to create, and the query of the URL that it is delivered at.
pub(crate) struct PlannedVariant {
    pub(crate) variant: Variant,
    /// `None` for a variant that is not listed as a thumbnail.
    pub(crate) query: Option<String>,
}

/// Returns the variants of eager transformations with their outputs, which delivery looks for. Returns each
/// variant once, as a listed one if it is among the listed ones. Listed ones with the same output remain,
/// because each query is listed.
pub(crate) fn planned(
    eager: &[EagerTransformation],
    file: &File,
    watermark: Option<AppliedWatermark>,
) -> Vec<PlannedVariant> {
    let planned = eager.iter().flat_map(|eager| of_eager(*eager, file));
    let mut unique: Vec<PlannedVariant> = Vec::new();
    for (variant, query) in planned {
        let variant = renditions::resolve(
            Variant {
                watermark,
                ..variant
            },
            file,
        );
        let planned = PlannedVariant { variant, query };
        let is_same = |other: &&mut PlannedVariant| {
            let is_listed_twice = other.query.is_some() && planned.query.is_some();
            other.variant.id() == planned.variant.id()
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

/// Returns the variants of an eager transformation, each with the query that it is listed with. One without a
/// format is created in each format that delivery selects from for clients that accept WebP.
fn of_eager(eager: EagerTransformation, file: &File) -> Vec<(Variant, Option<String>)> {
    let transformation = eager.requested();
    let query = Some(transformation.to_string());
    if let Some(format) = transformation.format {
        return vec![(Variant::of(transformation, format), query)];
    }

    let original = ImageFormat::of_original(&file.mime_type);
    let mut variants = vec![(Variant::of(transformation, original), query)];
    for format in [ImageFormat::WebP, ImageFormat::Avif] {
        let is_selected =
            format != ImageFormat::Avif || !ImageFormat::prefers_webp(&file.mime_type);
        if is_selected && format != original {
            variants.push((Variant::of(transformation, format), None));
        }
    }
    variants
}
