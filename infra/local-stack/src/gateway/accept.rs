//! Reduction of `Accept`, as the distribution's viewer function does it.
//!
//! Invariant: delivery chooses the same format by the reduced value as by the original one.

/// Formats that are delivered only to clients that name them, in order of preference.
const NAMED: [&str; 2] = ["image/avif", "image/webp"];
/// Types that include the format of an original.
const OTHERS: [&str; 5] = ["image/jpeg", "image/png", "image/gif", "image/*", "*/*"];
/// Weight of a type without `q`, in thousandths.
const FULL_WEIGHT: u16 = 1_000;

/// An element of `Accept`.
struct MediaRange {
    /// Type in lower case, without parameters.
    name: String,
    /// Weight in thousandths.
    weight: u16,
}

/// Reduces a value of `Accept` to AVIF unless WebP is preferred, to WebP if it is accepted, and to
/// the types that are preferred to both. So almost all clients have one of three values:
/// `image/avif,image/webp`, `image/webp`, `*/*`.
pub fn reduced_accept(accept: &str) -> String {
    let ranges: Vec<MediaRange> = accept.split(',').filter_map(MediaRange::parse).collect();
    let weight_of = |name: &str| {
        let range = ranges.iter().find(|range| range.name == name);
        range.map(|range| range.weight)
    };

    let [avif, webp] = NAMED.map(|name| weight_of(name).unwrap_or(0));
    let best_weight = avif.max(webp);
    if best_weight == 0 {
        return "*/*".to_owned();
    }
    let has_name = [avif >= webp, webp > 0];
    let named = NAMED.iter().zip(has_name).filter(|(_, has_name)| *has_name);
    let named: Vec<&str> = named.map(|(name, _)| *name).collect();
    let is_preferred = |name: &str| weight_of(name).is_some_and(|weight| weight > best_weight);
    if !OTHERS.iter().any(|name| is_preferred(name)) {
        return named.join(",");
    }

    let others = OTHERS.iter().filter(|name| weight_of(name).is_some());
    let others = others.map(|name| {
        if is_preferred(name) {
            (*name).to_owned()
        } else {
            format!("{name};q=0")
        }
    });
    let named = named.iter().map(|name| format!("{name};q=0.5"));
    let all: Vec<String> = named.chain(others).collect();
    all.join(",")
}

impl MediaRange {
    /// Parses an element. Returns `None` if its `q` is invalid.
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
