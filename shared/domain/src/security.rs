//! A space's security settings: its watermark.

use serde::{Deserialize, Serialize};

/// A space's security settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Security {
    /// What is laid over every delivered image.
    pub watermark: Watermark,
}

/// An image laid over every delivered image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Watermark {
    /// Whether it is laid.
    pub enabled: bool,
    /// Address of the image.
    pub url: Option<String>,
    /// Where it is laid.
    pub position: Position,
    /// How opaque it is: above 0, at most 1.
    pub opacity: f64,
}

impl Default for Watermark {
    fn default() -> Watermark {
        Watermark { enabled: false, url: None, position: Position::Southeast, opacity: 0.5 }
    }
}

/// A place in an image, by compass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Position {
    /// Top left.
    Northwest,
    /// Top.
    North,
    /// Top right.
    Northeast,
    /// Left.
    West,
    /// The middle.
    Center,
    /// Right.
    East,
    /// Bottom left.
    Southwest,
    /// Bottom.
    South,
    /// Bottom right.
    Southeast,
}
