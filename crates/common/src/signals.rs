//! The signals that ask this program to end, so that it can reject reviews and remove files first.

pub use alongside_platform::signals::{Continued, HANGUP, INTERRUPT, Signals, TERMINATE};

/// Returns the exit code of a program that this signal ended.
pub fn exit_code(signal: i32) -> std::process::ExitCode {
    std::process::ExitCode::from(u8::try_from(128 + signal).unwrap_or(1))
}
