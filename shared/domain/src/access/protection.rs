//! How well a file is protected, to compare it before and after a change.

use super::renditions_require_auth;
use crate::{
    access::EffectiveSecurity,
    files::{File, ResourceType},
    folders::FolderChain,
    settings::{DeliveryType, FileStatus, TransformationPolicy, Watermark},
    spaces::Space,
};

/// Protection of a file that is in force: by its delivery type, its effective access control, and
/// for images the effective security settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Protection<'a> {
    delivery_type: DeliveryType,
    /// Whether the file is delivered at all.
    is_deliverable: bool,
    /// Whether every request requires credentials, also for derived images.
    always_requires_credentials: bool,
    watermark: Option<&'a Watermark>,
    /// Which transformed images requests without credentials may create.
    transformations: TransformationPolicy,
}

impl<'a> Protection<'a> {
    /// Returns the protection of a file. `folders` is `None` if one of its folders is missing: such
    /// a file is not delivered.
    pub fn of(file: &File, folders: Option<&'a FolderChain>, space: &'a Space) -> Protection<'a> {
        let Some(folders) = folders else {
            return Protection {
                delivery_type: file.delivery_type,
                is_deliverable: false,
                always_requires_credentials: true,
                watermark: None,
                transformations: TransformationPolicy::Signed,
            };
        };

        let security = EffectiveSecurity::of(folders, space);
        let always_requires_credentials = renditions_require_auth(file, folders, space);
        // The type of a pending file may become that of an image.
        let is_image =
            file.resource_type == ResourceType::Image || file.status == FileStatus::Pending;
        let watermark = security.watermark.watermark;
        // Requests with credentials may create all images, and others are rejected.
        let transformations = if !is_image || always_requires_credentials {
            TransformationPolicy::Signed
        } else {
            security.transformations_of(file)
        };

        Protection {
            delivery_type: file.delivery_type,
            is_deliverable: true,
            always_requires_credentials,
            watermark: Some(watermark).filter(|watermark| is_image && watermark.enabled),
            transformations,
        }
    }

    /// Whether any part of the protection is weaker than before, even if another part is stronger.
    /// Any other watermark is weaker: images with two different ones together reveal the pixels
    /// below them.
    pub fn is_weaker_than(self, before: Protection<'_>) -> bool {
        self.delivery_type < before.delivery_type
            || (self.is_deliverable && !before.is_deliverable)
            || (before.always_requires_credentials && !self.always_requires_credentials)
            || (before.watermark.is_some() && self.watermark != before.watermark)
            || self.transformations < before.transformations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        access::fixtures::{TYPES, file, space},
        naming::PublicHttpsUrl,
        settings::{AccessControl, Gravity},
    };

    const POLICIES: [TransformationPolicy; 3] = [
        TransformationPolicy::Any,
        TransformationPolicy::Named,
        TransformationPolicy::Signed,
    ];

    fn with_access(requires_auth: bool) -> Space {
        Space {
            access_control: AccessControl { requires_auth },
            ..space()
        }
    }

    fn with_policy(transformations: TransformationPolicy) -> Space {
        let mut space = space();
        space.security.transformations = transformations;
        space
    }

    fn with_watermark(enabled: bool, url: &str, position: Gravity) -> Space {
        let mut space = space();
        space.security.watermark = Watermark {
            enabled,
            url: Some(PublicHttpsUrl::parse(url).expect("a URL")),
            position,
            ..Watermark::default()
        };
        space
    }

    /// Whether moving a file from one space's settings to another's lowers its protection.
    fn is_lowered(file: &File, from: &Space, to: &Space) -> bool {
        let folders = FolderChain::default();
        Protection::of(file, Some(&folders), to).is_weaker_than(Protection::of(
            file,
            Some(&folders),
            from,
        ))
    }

    #[test]
    fn weaker_type_and_newly_public_access_lower_protection() {
        let folders = FolderChain::default();
        for (from, before) in TYPES.into_iter().enumerate() {
            for (to, after) in TYPES.into_iter().enumerate() {
                for (from_closed, to_closed) in
                    [(false, false), (false, true), (true, true), (true, false)]
                {
                    let (from_space, to_space) = (with_access(from_closed), with_access(to_closed));
                    let (from_file, to_file) = (file(before), file(after));

                    let lowered = Protection::of(&to_file, Some(&folders), &to_space)
                        .is_weaker_than(Protection::of(&from_file, Some(&folders), &from_space));

                    let opens = from_closed && !to_closed && after != DeliveryType::Authenticated;
                    let context = format!("{before:?}, {from_closed} to {after:?}, {to_closed}");
                    assert_eq!(lowered, to < from || opens, "{context}");
                }
            }
        }
    }

    #[test]
    fn wider_transformation_policy_lowers_protection_of_public_images() {
        for (from, before) in POLICIES.into_iter().enumerate() {
            for (to, after) in POLICIES.into_iter().enumerate() {
                for delivery_type in TYPES {
                    let image = file(delivery_type);
                    let lowered = is_lowered(&image, &with_policy(before), &with_policy(after));
                    // The policy of other types is always `Signed`.
                    let expected = to < from && delivery_type == DeliveryType::Upload;
                    assert_eq!(
                        lowered, expected,
                        "{delivery_type:?}: {before:?} to {after:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn losing_a_watermark_or_getting_another_one_lowers_protection_of_images() {
        let none = space();
        let marked = with_watermark(true, "https://example.com/a.png", Gravity::Southeast);
        let disabled = with_watermark(false, "https://example.com/a.png", Gravity::Southeast);
        let moved = with_watermark(true, "https://example.com/a.png", Gravity::North);
        let other = with_watermark(true, "https://example.com/b.png", Gravity::Southeast);
        let mut text = file(DeliveryType::Upload);
        text.resource_type = ResourceType::Text;
        let mut pending = text.clone();
        pending.status = FileStatus::Pending;

        for (from, to, expected) in [
            (&marked, &none, true),
            (&marked, &disabled, true),
            (&marked, &moved, true),
            (&marked, &other, true),
            (&marked, &marked, false),
            (&none, &marked, false),
            (&disabled, &none, false),
        ] {
            assert_eq!(is_lowered(&file(DeliveryType::Upload), from, to), expected);
            assert_eq!(is_lowered(&pending, from, to), expected);
            assert!(!is_lowered(&text, from, to));
        }
    }

    #[test]
    fn leaving_a_missing_folder_lowers_protection() {
        let file = file(DeliveryType::Upload);
        let space = with_access(true);
        let folders = FolderChain::default();
        let missing = Protection::of(&file, None, &space);

        assert!(Protection::of(&file, Some(&folders), &space).is_weaker_than(missing));
        assert!(!missing.is_weaker_than(missing));
    }
}
