//! The error of the store of turns.

use std::fmt;
use std::io;

use alongside_desk::{harmless, without_error_codes};

/// The reason why the store cannot do something. Its text is one harmless line for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The time is over.
    Late,
    /// There is no program `git`, or none outside the working tree.
    NoGit,
    /// Another reason, in words.
    Said(String),
}

impl Error {
    /// The fault with this reason, rendered harmless: the text may come from git or the system.
    pub(crate) fn said(why: impl AsRef<str>) -> Self {
        Self::Said(harmless::name(without_error_codes(why.as_ref()).trim()).into_owned())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Late => f.write_str("git takes too long"),
            Self::NoGit => f.write_str("there is no program git"),
            Self::Said(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Error {}

impl From<&str> for Error {
    fn from(why: &str) -> Self {
        Self::said(why)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::said(error.to_string())
    }
}
