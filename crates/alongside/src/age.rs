//! The age of a moment in words, such as `5 min ago`.

use std::time::{Duration, SystemTime};

/// Returns the time since `at_ms`, in milliseconds since the Unix epoch, in words.
pub(crate) fn age(at_ms: u64) -> String {
    let at = SystemTime::UNIX_EPOCH + Duration::from_millis(at_ms);
    let minutes = at.elapsed().unwrap_or_default().as_secs() / 60;
    match minutes {
        0 => "just now".into(),
        1..60 => format!("{minutes} min ago"),
        60..2880 => format!("{} h ago", minutes / 60),
        _ => format!("{} days ago", minutes / (24 * 60)),
    }
}
