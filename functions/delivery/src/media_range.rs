//! Elements of `Accept` (RFC 9110, section 12.5.1).

/// Weight of a type without `q`, in thousandths.
const FULL_WEIGHT: u16 = 1_000;

/// An element of `Accept`.
pub struct MediaRange {
    /// Type in lower case, without parameters.
    pub name: String,
    /// Weight in thousandths; 0 means not acceptable.
    pub weight: u16,
}

impl MediaRange {
    /// Parses the elements of a value. Ignores parameters other than `q`, and elements with an
    /// invalid `q`.
    pub fn all(value: &str) -> impl Iterator<Item = MediaRange> {
        value.split(',').filter_map(MediaRange::parse)
    }

    fn parse(element: &str) -> Option<MediaRange> {
        let mut parts = element.split(';').map(str::trim);
        let name = parts.next()?.to_ascii_lowercase();
        let weight = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            let is_weight = name.trim().eq_ignore_ascii_case("q");
            is_weight.then_some(value.trim())
        });
        let weight = weight.map_or(Some(FULL_WEIGHT), parse_weight)?;
        Some(MediaRange { name, weight })
    }
}

/// Parses a weight from 0 to 1 with up to three decimals, in thousandths.
fn parse_weight(text: &str) -> Option<u16> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let is_valid = matches!(whole, "0" | "1")
        && decimals.len() <= 3
        && decimals.bytes().all(|byte| byte.is_ascii_digit());
    if !is_valid {
        return None;
    }

    let thousandths: u16 = format!("{whole}{decimals:0<3}").parse().ok()?;
    (thousandths <= FULL_WEIGHT).then_some(thousandths)
}
