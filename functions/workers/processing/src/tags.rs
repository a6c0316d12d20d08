//! Automatic tags of images.

use domain::{
    files::StorageMeta,
    naming::{MAX_TAGS, Tag},
};

/// Returns the tags that describe an image: its format, its orientation, its most frequent color,
/// and whether it is transparent or animated.
pub(crate) fn of_image(meta: &StorageMeta, color: Option<&str>) -> Vec<Tag> {
    let orientation = match (meta.width, meta.height) {
        (Some(width), Some(height)) if width > height => Some("landscape"),
        (Some(width), Some(height)) if width < height => Some("portrait"),
        (Some(_), Some(_)) => Some("square"),
        _ => None,
    };

    let names = [
        meta.format.as_deref(),
        orientation,
        color,
        meta.has_alpha.unwrap_or(false).then_some("transparent"),
        meta.is_animated().then_some("animated"),
    ];

    let tags = names.into_iter().flatten();
    tags.filter_map(|name| Tag::parse(name).ok()).collect()
}

/// Adds automatic tags to those of a file, as far as a file may have as many.
pub(crate) fn add(tags: &mut Vec<Tag>, automatic: &[Tag]) {
    for tag in automatic {
        if tags.len() < MAX_TAGS && !tags.contains(tag) {
            tags.push(tag.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(tags: &[Tag]) -> Vec<&str> {
        tags.iter().map(Tag::as_str).collect()
    }

    #[test]
    fn tags_describe_the_image() {
        let meta = StorageMeta {
            width: Some(40),
            height: Some(30),
            format: Some("gif".to_owned()),
            has_alpha: Some(true),
            pages: Some(2),
            ..StorageMeta::default()
        };

        let tags = of_image(&meta, Some("blue"));

        let expected = ["gif", "landscape", "blue", "transparent", "animated"];
        assert_eq!(names(&tags), expected);
        assert!(of_image(&StorageMeta::default(), None).is_empty());
    }

    #[test]
    fn automatic_tags_neither_repeat_nor_exceed_the_limit() {
        let tag = |name: &str| Tag::parse(name).expect("a tag");
        let mut tags: Vec<Tag> = (2..MAX_TAGS).map(|index| tag(&index.to_string())).collect();
        tags.push(tag("jpeg"));

        add(&mut tags, &[tag("jpeg"), tag("square"), tag("red")]);

        assert_eq!(tags.len(), MAX_TAGS);
        assert_eq!(tags.last(), Some(&tag("square")));
    }
}
