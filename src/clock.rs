//! Wall-clock times and stopwatches. No other module reads a clock, so time-dependent code can be found and
//! tested.

use nix::time::{ClockId, clock_gettime};
use std::time::{Duration, Instant};

/// A moment as Unix milliseconds, written on the wire as RFC 3339 in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(i64);

tokio::task_local! {
    static STOPPED: Moment;
}

/// Runs `work` with [`Moment::now`] fixed at `moment`, as the replay of a recorded step needs.
pub async fn with_fixed_time<F: Future>(moment: Moment, work: F) -> F::Output {
    STOPPED.scope(moment, work).await
}

impl Moment {
    /// Returns the current time; within a replay the recorded one.
    #[allow(clippy::disallowed_methods)]
    pub fn now() -> Self {
        if let Ok(stopped) = STOPPED.try_with(|moment| *moment) {
            return stopped;
        }
        Self(jiff::Timestamp::now().as_millisecond())
    }

    /// Converts milliseconds since 1970.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// Returns the milliseconds since this moment; 0 if it is in the future.
    pub fn elapsed_millis(self) -> u64 {
        Self::now().millis().saturating_sub(self.millis()).max(0).unsigned_abs()
    }

    /// Returns a later moment.
    pub fn plus_seconds(self, seconds: u64) -> Self {
        Self(self.0.saturating_add_unsigned(seconds.saturating_mul(1000)))
    }

    /// Returns the moment after this duration.
    pub fn after(self, time: std::time::Duration) -> Self {
        let millis = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        Self::from_millis(self.millis().saturating_add(millis))
    }

    /// Parses an RFC 3339 timestamp. Returns `None` if the text is not one.
    pub fn from_rfc3339(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>().ok().map(|stamp| Self(stamp.as_millisecond()))
    }

    /// Formats the moment for a planner, with weekday and time zone of the service: `Friday 2026-01-30 12:00 +02:00`.
    pub fn weekday_and_time(self) -> String {
        let stamp = jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let zoned = stamp.to_zoned(jiff::tz::TimeZone::system());
        zoned.strftime("%A %Y-%m-%d %H:%M %:z").to_string()
    }

    /// Formats the moment as RFC 3339 in UTC with milliseconds: `2026-01-31T12:00:00.123Z`.
    pub fn rfc3339(self) -> String {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(stamp) => format!("{stamp:.3}"),
            Err(_) => String::from("1970-01-01T00:00:00.000Z"),
        }
    }
}

/// A moment as the time since the machine started. Unlike a [`Stopwatch`], it goes on while the machine is suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BootTime(Duration);

impl BootTime {
    /// Returns the current time.
    pub fn now() -> Self {
        #[cfg(target_os = "linux")]
        const CLOCK: ClockId = ClockId::CLOCK_BOOTTIME;
        // There, this clock goes on while the machine sleeps.
        #[cfg(not(target_os = "linux"))]
        const CLOCK: ClockId = ClockId::CLOCK_MONOTONIC;
        // Fails only for clocks that do not exist. Time zero lets every deadline hold, as a lost clock tells nothing.
        Self(clock_gettime(CLOCK).map(Duration::from).unwrap_or_default())
    }

    /// Returns the moment this long after the start of the machine.
    pub fn from_start(time: Duration) -> Self {
        Self(time)
    }

    /// Returns a later moment.
    pub fn plus(self, time: Duration) -> Self {
        Self(self.0.saturating_add(time))
    }

    /// Returns the time from this moment until a later one; zero if that has passed.
    pub fn until(self, later: Self) -> Duration {
        later.0.saturating_sub(self.0)
    }
}

/// A monotonic stopwatch for durations. Unlike [`Moment`], it never jumps when the system clock is set.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts a stopwatch. It is independent of changes of the system time.
    #[allow(clippy::disallowed_methods)]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns the elapsed milliseconds.
    pub fn millis(self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns the elapsed seconds.
    pub fn seconds(self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}
