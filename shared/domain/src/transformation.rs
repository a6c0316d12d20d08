//! What delivery makes of an image: the grammar of its parameters.
//!
//! `w`, `h` 1 to 8192 · `r` scale, fit, fill, crop, thumb · `g` center, a place by compass, auto · `f` jpeg, png, webp, avif,
//! gif, auto · `q` 1 to 100, auto. Each of them may be left out, and none may be given twice.
//!
//! Invariant: a [`Transformation`] is one that the grammar allows, and says at least one thing.

use crate::{Crop, ImageFormat, Position, Quality, SIDE_PIXELS, Violation, Violations};

const WIDTH: &str = "w";
const HEIGHT: &str = "h";
const CROP: &str = "r";
const GRAVITY: &str = "g";
const FORMAT: &str = "f";
const QUALITY: &str = "q";

/// The parameters that ask for a rendering; every other one of an address asks for none.
pub const TRANSFORMATION_PARAMETERS: [&str; 6] = [WIDTH, HEIGHT, CROP, GRAVITY, FORMAT, QUALITY];

/// What of an image is kept where something has to be cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gravity {
    /// What matters most in it.
    Auto,
    /// What lies there.
    At(Position),
}

/// What an image is encoded as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenderingFormat {
    /// As it is best for who asks.
    Auto,
    /// As this.
    Of(ImageFormat),
}

/// A rendering of an image; what is not said takes delivery's default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transformation {
    /// Pixels.
    pub width: Option<u32>,
    /// Pixels.
    pub height: Option<u32>,
    /// How the image is fitted in.
    pub crop: Option<Crop>,
    /// What of it is kept.
    pub gravity: Option<Gravity>,
    /// What it is encoded as.
    pub format: Option<RenderingFormat>,
    /// How well it is encoded.
    pub quality: Option<Quality>,
}

impl Transformation {
    /// Reads decoded parameters, those of no meaning here among them; `None` where nothing asks for a rendering.
    pub fn read<'a>(
        parameters: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Option<Transformation>, Violations> {
        let (mut read, mut violations, mut seen) = (Transformation::default(), Violations::default(), Vec::new());
        for (name, value) in parameters.into_iter().filter(|(name, _)| TRANSFORMATION_PARAMETERS.contains(name)) {
            let result = if seen.contains(&name) { Err(Violation::Repeated) } else { read.take(name, value) };
            seen.push(name);
            violations.keep(name, result);
        }
        if violations.is_empty() { Ok((!seen.is_empty()).then_some(read)) } else { Err(violations) }
    }

    fn take(&mut self, name: &str, value: &str) -> Result<(), Violation> {
        match name {
            WIDTH => self.width = Some(pixels(value)?),
            HEIGHT => self.height = Some(pixels(value)?),
            CROP => self.crop = Some(Crop::parse(value)?),
            GRAVITY if value == "auto" => self.gravity = Some(Gravity::Auto),
            GRAVITY => self.gravity = Some(Gravity::At(Position::parse(value)?)),
            FORMAT if value == "auto" => self.format = Some(RenderingFormat::Auto),
            FORMAT => self.format = Some(RenderingFormat::Of(ImageFormat::parse(value)?)),
            QUALITY => self.quality = Some(number(value).map_or_else(|| Quality::named(value), Quality::of)?),
            _ => {}
        }
        Ok(())
    }
}

fn pixels(value: &str) -> Result<u32, Violation> {
    match number(value).ok_or(Violation::NotAnInteger)? {
        0 => Err(Violation::TooSmall(1)),
        number if number > SIDE_PIXELS => Err(Violation::TooLarge(SIDE_PIXELS)),
        number => u32::try_from(number).map_err(|_| Violation::TooLarge(SIDE_PIXELS)),
    }
}

/// A number of digits alone; one that is longer than any is as good as the largest.
fn number(value: &str) -> Option<i64> {
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| value.parse().unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_parameter_says_one_thing() {
        let none = Transformation::default;
        let at = |position| Some(Gravity::At(position));
        for (name, value, expected) in [
            ("w", "1", Transformation { width: Some(1), ..none() }),
            ("w", "0100", Transformation { width: Some(100), ..none() }),
            ("h", "8192", Transformation { height: Some(8_192), ..none() }),
            ("r", "thumb", Transformation { crop: Some(Crop::Thumb), ..none() }),
            ("g", "auto", Transformation { gravity: Some(Gravity::Auto), ..none() }),
            ("g", "center", Transformation { gravity: at(Position::Center), ..none() }),
            ("g", "northwest", Transformation { gravity: at(Position::Northwest), ..none() }),
            ("f", "auto", Transformation { format: Some(RenderingFormat::Auto), ..none() }),
            ("f", "gif", Transformation { format: Some(RenderingFormat::Of(ImageFormat::Gif)), ..none() }),
            ("q", "auto", Transformation { quality: Some(Quality::Auto), ..none() }),
            ("q", "100", Transformation { quality: Some(Quality::Of(100)), ..none() }),
        ] {
            assert_eq!(Transformation::read([("download", ""), (name, value)]), Ok(Some(expected)), "{name}={value}");
        }
        for nothing in [&[("download", ""), ("W", "1"), ("width", "x"), ("", "")][..], &[]] {
            assert_eq!(Transformation::read(nothing.iter().copied()), Ok(None));
        }
    }

    #[test]
    fn what_the_grammar_does_not_allow_is_told_on_its_parameter() {
        for (name, wrong, why) in [
            ("w", &["", "-1", "+1", " 1", "1 ", "1.5", "1e3", "0x10", "١", "auto"][..], Violation::NotAnInteger),
            ("h", &["0", "000"], Violation::TooSmall(1)),
            ("w", &["8193", "99999999999999999999"], Violation::TooLarge(8_192)),
            ("r", &["", "Fit", "pad", "auto"], Violation::Unknown),
            ("g", &["", "middle", "NORTH"], Violation::Unknown),
            ("f", &["", "jpg", "svg", "original"], Violation::Unknown),
            ("q", &["", "-1", "+80", "80%", "best"], Violation::Unknown),
            ("q", &["0"], Violation::TooSmall(1)),
            ("q", &["101", "99999999999999999999"], Violation::TooLarge(100)),
        ] {
            for value in wrong {
                let expected = Violations::from((name, why.clone()));
                assert_eq!(Transformation::read([(name, *value)]), Err(expected), "{name}={value}");
            }
        }
    }

    #[test]
    fn everything_that_is_wrong_is_told_at_once() {
        let mut expected = Violations::default();
        for (name, why) in [
            ("w", Violation::TooSmall(1)),
            ("w", Violation::Repeated),
            ("h", Violation::Repeated),
            ("r", Violation::Unknown),
        ] {
            expected.add(name, &why);
        }
        let parameters = [("w", "0"), ("h", "1"), ("w", "2"), ("r", "x"), ("h", "1"), ("q", "1"), ("v", "x")];
        assert_eq!(Transformation::read(parameters), Err(expected));
    }

    proptest! {
        #[test]
        fn whatever_is_sent_is_read_within_bounds_or_refused(
            parameters in prop::collection::vec(("[whrgfq]|download|.*", "[0-9]{1,5}|auto|fit|north|png|.*"), 0..8),
        ) {
            let asks = parameters.iter().any(|(name, _)| TRANSFORMATION_PARAMETERS.contains(&name.as_str()));
            let read = Transformation::read(parameters.iter().map(|(name, value)| (name.as_str(), value.as_str())));
            if let Ok(read) = read {
                prop_assert_eq!(read.is_some(), asks);
                let mut sides = read.into_iter().flat_map(|read| [read.width, read.height]).flatten();
                prop_assert!(sides.all(|side| (1..=8_192).contains(&side)));
            } else {
                prop_assert!(asks);
            }
        }
    }
}
