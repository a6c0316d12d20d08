//! Reduction of `Accept`, as the distribution's viewer function does it.
//!
//! Invariant: delivery chooses the same format by the reduced value as by the original one.

use delivery::MediaRange;

/// Formats that are delivered only to clients that name them, in order of preference.
const NAMED: [&str; 2] = ["image/avif", "image/webp"];
/// Types that include the format of an original.
const OTHERS: [&str; 5] = ["image/jpeg", "image/png", "image/gif", "image/*", "*/*"];

/// Reduces a value of `Accept` to AVIF unless WebP is preferred, to WebP if it is accepted, and to
/// the types that are preferred to both. So almost all clients have one of three values:
/// `image/avif,image/webp`, `image/webp`, `*/*`.
pub fn reduced_accept(accept: &str) -> String {
    let ranges: Vec<MediaRange> = MediaRange::all(accept).collect();
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
