//! The error of the store of turns.

use std::fmt;
use std::io;

use alongside_desk::{harmless, without_error_codes};

/// The reason why the store cannot do something. Its text is one harmless line for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The deadline has passed.
    Late,
    /// There is no program `git`, or none outside the working tree.
    NoGit,
    /// Another reason, as a sentence.
    Other(String),
}

impl Error {
    /// Returns an error with this reason, rendered harmless: the text may come from git or the system.
    pub(crate) fn other(why: impl AsRef<str>) -> Self {
        Self::Other(harmless::name(without_error_codes(why.as_ref()).trim()).into_owned())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Late => f.write_str("git takes too long"),
            Self::NoGit => f.write_str("there is no program git"),
            Self::Other(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Error {}

impl From<&str> for Error {
    fn from(why: &str) -> Self {
        Self::other(why)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::other(error.to_string())
    }
}
