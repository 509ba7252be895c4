//! The differences between Linux, macOS and Windows, one module for each difference. No other crate asks
//! which system it runs on.
//!
//! A difference that is a rule (the delimiter in a list of paths, the ancestor that agents take for the
//! editor) is a function of an [`Os`], so each system tests the rules of all three. The other differences are
//! calls that only one system has.

pub mod directories;
pub mod directory;
pub mod disk_space;
pub mod files;
#[cfg(all(target_os = "macos", feature = "tokio"))]
mod kernel_queue;
pub mod limits;
pub mod listener;
pub mod machine;
pub mod memory;
pub mod path_lists;
pub mod paths;
pub mod ports;
#[cfg(feature = "tokio")]
pub mod precise_timer;
pub mod private;
#[cfg(target_os = "linux")]
mod proc_files;
pub mod process;
pub mod random;
pub mod shell;
#[cfg(feature = "tokio")]
pub mod signals;
#[cfg(target_os = "linux")]
mod socket_diag;
pub mod sockets;
pub mod spelling;
pub mod stderr;
#[cfg(feature = "tokio")]
pub mod stdout;
pub mod terminal;
pub mod untrusted;
#[cfg(feature = "tokio")]
pub mod watch;

/// An operating system, as far as agents or alongside behave differently on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Os {
    /// Linux, and every other Unix except macOS.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Os {
    /// The system of this build.
    pub const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::MacOs
    } else {
        Self::Linux
    };

    /// All systems, for tests.
    pub const ALL: [Self; 3] = [Self::Linux, Self::MacOs, Self::Windows];
}
