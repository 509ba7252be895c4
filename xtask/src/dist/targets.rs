//! The table of targets: a program for each, and the system that it starts on. A new target is a row.

use std::path::Path;
use std::process::Command;

use anyhow::Context as _;

use super::tools;

/// A target that programs are published for.
#[derive(Debug)]
pub(super) struct Target {
    /// The name of the target, as Rust spells it; a part of the names of archives.
    pub(super) triple: &'static str,
    /// The C library that its program is linked with.
    pub(super) libc: Libc,
    /// Node.js' names of the system and the processor, for the name of a package of npm.
    pub(super) node: [&'static str; 2],
    /// Python's names of the systems on which the program starts, for the name of a wheel.
    pub(super) wheel: &'static str,
    /// The proof that its program runs.
    pub(super) proof: Proof,
}

/// The proof that a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    /// On its own system.
    Run,
    /// Under Wine, and not on Windows.
    UnderWine,
    /// None: the program is only compiled.
    Never,
}

impl Proof {
    /// Returns the warning to a person who installs it, as a sentence.
    pub(super) fn warning(self) -> Option<&'static str> {
        match self {
            Self::Run => None,
            Self::UnderWine => Some("It was run under Wine, and never on Windows."),
            Self::Never => Some("Nobody has ever run it."),
        }
    }
}

/// A C library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Libc {
    /// glibc: the program has to start with release 2.`oldest`.
    Glibc { oldest: u32 },
    /// musl is in the program itself, which needs none on the system.
    Static,
    /// A library of the system, whose new releases run programs of older ones.
    OfSystem,
}

impl Libc {
    /// npm's name of the library; `None` where the system has no other.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::Glibc { .. } => Some("glibc"),
            Self::Static => Some("musl"),
            Self::OfSystem => None,
        }
    }
}

/// The release of 2012: every distribution of the last ten years has it, or a newer one.
const OLDEST_GLIBC: Libc = Libc::Glibc { oldest: 17 };

pub(super) const TARGETS: &[Target] = &[
    Target {
        triple: "x86_64-unknown-linux-gnu",
        libc: OLDEST_GLIBC,
        node: ["linux", "x64"],
        wheel: "manylinux_2_17_x86_64.manylinux2014_x86_64",
        proof: Proof::Run,
    },
    Target {
        triple: "aarch64-unknown-linux-gnu",
        libc: OLDEST_GLIBC,
        node: ["linux", "arm64"],
        wheel: "manylinux_2_17_aarch64.manylinux2014_aarch64",
        proof: Proof::Run,
    },
    Target {
        triple: "x86_64-unknown-linux-musl",
        libc: Libc::Static,
        node: ["linux", "x64"],
        wheel: "musllinux_1_1_x86_64",
        proof: Proof::Run,
    },
    Target {
        triple: "aarch64-unknown-linux-musl",
        libc: Libc::Static,
        node: ["linux", "arm64"],
        wheel: "musllinux_1_1_aarch64",
        proof: Proof::Run,
    },
    Target {
        triple: "x86_64-pc-windows-gnu",
        libc: Libc::OfSystem,
        node: ["win32", "x64"],
        wheel: "win_amd64",
        proof: Proof::UnderWine,
    },
    // The releases that Rust builds for by default.
    Target {
        triple: "aarch64-apple-darwin",
        libc: Libc::OfSystem,
        node: ["darwin", "arm64"],
        wheel: "macosx_11_0_arm64",
        proof: Proof::Never,
    },
    Target {
        triple: "x86_64-apple-darwin",
        libc: Libc::OfSystem,
        node: ["darwin", "x64"],
        wheel: "macosx_10_12_x86_64",
        proof: Proof::Never,
    },
];

/// Whether programs of a target are those of Windows.
pub(super) fn is_windows(triple: &str) -> bool {
    triple.contains("-windows-")
}

/// Returns the name of the program for a target.
pub(super) fn program_name(triple: &str) -> &'static str {
    if is_windows(triple) { "alongside.exe" } else { "alongside" }
}

impl Target {
    /// Whether Rust's standard library for it is installed here.
    pub(super) fn can_be_built(&self) -> anyhow::Result<bool> {
        let mut rustc = Command::new("rustc");
        let directory = tools::output(rustc.args(["--print", "target-libdir", "--target", self.triple]))?;
        Ok(Path::new(directory.trim()).is_dir())
    }
}

/// Returns the row of a target; `None` for one that no row is for.
pub(super) fn row_of(triple: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.triple == triple)
}

/// Returns this machine's target.
pub(super) fn host() -> anyhow::Result<String> {
    let said = tools::output(Command::new("rustc").arg("-vV"))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc -vV names no host target")
}
