//! The id of a file that a request names twice.

use domain::Violation;
use web::Fields;

/// The field and the query parameter that name a file.
pub(crate) const ID: &str = "id";

/// Notes a violation if the fields name another id than this one; upper and lower case are the same.
pub(crate) fn require_same_id(fields: &mut Fields, id: &str) {
    let other = fields.optional(ID, |other| Ok(other.to_owned()));
    if other.is_some_and(|other| !other.eq_ignore_ascii_case(id.trim())) {
        fields.violate(ID, &Violation::Must("must be the same wherever the request names it"));
    }
}
