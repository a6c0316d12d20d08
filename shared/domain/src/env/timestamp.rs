//! Timestamps and the injected clock.
//!
//! Invariant: nothing here reads the system clock: callers pass a [`Clock`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use time::{
    Date, OffsetDateTime, format_description::well_known::Rfc3339, macros::format_description,
};

/// Milliseconds in a second.
const MS_PER_SECOND: i64 = 1_000;
/// Nanoseconds in a millisecond.
const NS_PER_MS: i128 = 1_000_000;
/// Last timestamp that RFC 3339 can represent: the end of the year 9999, in milliseconds.
const MAX_MS: i64 = 253_402_300_799_999;

// The value is in milliseconds since 1970, also where it is stored.
/// Time in RFC 3339, in UTC with milliseconds.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
#[schemars(with = "String", extend("format" = "date-time"))]
pub struct Timestamp(i64);

impl Timestamp {
    /// Creates a timestamp from milliseconds since 1970, clamped to the years 1970 to 9999.
    pub fn from_ms(ms: i64) -> Timestamp {
        Timestamp(ms.clamp(0, MAX_MS))
    }

    /// Creates a timestamp from seconds since 1970, clamped to the years 1970 to 9999.
    pub fn from_seconds(seconds: i64) -> Timestamp {
        Timestamp::from_ms(seconds.saturating_mul(MS_PER_SECOND))
    }

    /// Returns the milliseconds since 1970.
    pub fn ms(self) -> i64 {
        self.0
    }

    /// Returns the whole seconds since 1970.
    pub fn seconds(self) -> i64 {
        self.0 / MS_PER_SECOND
    }

    /// Adds milliseconds, clamped to the years 1970 to 9999.
    #[must_use]
    pub fn plus_ms(self, ms: i64) -> Timestamp {
        Timestamp::from_ms(self.0.saturating_add(ms))
    }

    /// Returns the seconds from `now` until this timestamp for `Retry-After`: rounded up, at least
    /// 1.
    pub fn seconds_after(self, now: Timestamp) -> u32 {
        let left_ms = self.0.saturating_sub(now.0).max(1);
        u32::try_from(left_ms.saturating_add(MS_PER_SECOND - 1) / MS_PER_SECOND).unwrap_or(u32::MAX)
    }

    /// Formats as RFC 3339 in UTC with milliseconds: `2026-01-02T03:04:05.678Z`.
    pub fn rfc3339(self) -> String {
        let format = format_description!(
            "[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z"
        );
        self.date()
            .format(format)
            .expect("RFC 3339 represents the years 1970 to 9999")
    }

    /// Parses RFC 3339 with any offset, truncated to milliseconds. Returns `None` for other formats
    /// and outside the years 1970 to 9999.
    pub fn parse_rfc3339(text: &str) -> Option<Timestamp> {
        let date = OffsetDateTime::parse(text, &Rfc3339).ok()?;
        let ms = i64::try_from(date.unix_timestamp_nanos().div_euclid(NS_PER_MS)).ok()?;
        (0..=MAX_MS).contains(&ms).then_some(Timestamp(ms))
    }

    /// Parses a bound of a range of times: RFC 3339 with any offset, rounded up to milliseconds, or
    /// a date, which is its beginning in UTC. Rounded down, a bound would be before the times of
    /// the same millisecond. Returns `None` as [`Timestamp::parse_rfc3339`] does.
    pub fn parse_bound(text: &str) -> Option<Timestamp> {
        let date_format = format_description!("[year]-[month]-[day]");
        let time = match Date::parse(text, date_format) {
            Ok(date) => date.midnight().assume_utc(),
            Err(_) => OffsetDateTime::parse(text, &Rfc3339).ok()?,
        };
        let nanos = time.unix_timestamp_nanos();
        let ms = i64::try_from(nanos.div_euclid(NS_PER_MS)).ok()?;
        let rest_ms = i64::from(nanos.rem_euclid(NS_PER_MS) > 0);
        (0..=MAX_MS)
            .contains(&ms)
            .then(|| Timestamp::from_ms(ms + rest_ms))
    }

    fn date(self) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * NS_PER_MS)
            .expect("the years 1970 to 9999 are in range")
    }
}

/// Source of the current time.
pub trait Clock: Send + Sync + 'static {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_in_utc_with_milliseconds() {
        let moment = Timestamp::from_ms(1_767_323_045_678);
        assert_eq!(moment.rfc3339(), "2026-01-02T03:04:05.678Z");
        assert_eq!(Timestamp::from_ms(0).rfc3339(), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn seconds_after_rounds_up_and_is_at_least_one() {
        let now = Timestamp::from_ms(1_000);
        for (ms, seconds) in [
            (0, 1),
            (1_000, 1),
            (1_001, 1),
            (2_000, 1),
            (2_001, 2),
            (61_000, 60),
        ] {
            assert_eq!(Timestamp::from_ms(ms).seconds_after(now), seconds, "{ms}");
        }
    }

    #[test]
    fn bounds_are_rounded_up_and_can_be_dates() {
        let read = |text| Timestamp::parse_bound(text).map(Timestamp::rfc3339);

        for (text, expected) in [
            ("2026-01-02", Some("2026-01-02T00:00:00.000Z")),
            ("1970-01-01", Some("1970-01-01T00:00:00.000Z")),
            (
                "2026-01-02T04:04:05.678+01:00",
                Some("2026-01-02T03:04:05.678Z"),
            ),
            (
                "2026-01-02T03:04:05.6780001Z",
                Some("2026-01-02T03:04:05.679Z"),
            ),
            (
                "9999-12-31T23:59:59.999999Z",
                Some("9999-12-31T23:59:59.999Z"),
            ),
            ("2026-02-30", None),
            ("2026-1-2", None),
            ("1969-12-31", None),
            ("2026-01-02T03:04:05", None),
            ("", None),
        ] {
            assert_eq!(read(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn parse_rfc3339_accepts_any_offset_and_rejects_other_formats() {
        let read = |text| Timestamp::parse_rfc3339(text).map(Timestamp::rfc3339);

        assert_eq!(
            read("2026-01-02T04:04:05.6789+01:00").as_deref(),
            Some("2026-01-02T03:04:05.678Z")
        );
        assert_eq!(
            read("2026-01-02T03:04:05Z").as_deref(),
            Some("2026-01-02T03:04:05.000Z")
        );

        for wrong in [
            "",
            "2026-01-02",
            "tomorrow",
            "1969-12-31T23:59:59Z",
            "2026-02-30T00:00:00Z",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
