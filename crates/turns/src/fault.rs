//! Why something of a store cannot be done.

use std::fmt;
use std::io;

use alongside_desk::{harmless, without_error_codes};

/// See the module. Its text is one line for a person, and harmless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The time is over.
    Late,
    /// There is no program `git`, or none outside the working tree.
    NoGit,
    /// This.
    Said(String),
}

impl Fault {
    /// For this reason, whoever wrote it.
    pub(crate) fn said(why: impl AsRef<str>) -> Self {
        Self::Said(harmless::name(without_error_codes(why.as_ref()).trim()).into_owned())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Late => f.write_str("git takes too long"),
            Self::NoGit => f.write_str("there is no program git"),
            Self::Said(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Fault {}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::said(error.to_string())
    }
}
