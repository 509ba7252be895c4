//! What Linux, macOS and Windows do differently. Everything that asks which system this is lives here, one
//! file a difference; the other crates call a function that says what they want.
//!
//! Wherever a difference is a rule (how a list of paths is written, which ancestor agents take for the
//! editor), the rule is a function of an [`Os`], so that the rules of all three are tested on each of them.
//! What is left are the few calls that only one system has.

pub mod directories;
pub mod directory;
pub mod files;
pub mod limits;
pub mod listener;
pub mod memory;
#[cfg(feature = "tokio")]
pub mod moment;
pub mod path_lists;
pub mod paths;
pub mod ports;
pub mod private;
pub mod process;
pub mod random;
pub mod room;
pub mod shell;
#[cfg(feature = "tokio")]
pub mod signals;
pub mod sockets;
pub mod terminal;
pub mod untrusted;
#[cfg(feature = "tokio")]
pub mod watch;

/// A system, as far as agents and we behave differently on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Os {
    /// Linux, and whatever other Unix is not macOS.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Os {
    /// The one this program was built for.
    pub const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::MacOs
    } else {
        Self::Linux
    };

    /// All of them, for tests of what holds everywhere.
    pub const ALL: [Self; 3] = [Self::Linux, Self::MacOs, Self::Windows];
}
