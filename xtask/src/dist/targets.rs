//! The table of targets: a program for each, and the system that it starts on. A new target is a row.

use std::path::Path;
use std::process::Command;

use anyhow::Context as _;

use super::tools;

/// A target that programs are published for.
#[derive(Debug)]
pub(super) struct Target {
    /// Its name, as Rust spells it. Archives have it in theirs.
    pub(super) triple: &'static str,
    /// The C library that its program is linked with.
    pub(super) libc: Libc,
    /// How Node.js calls the system and the processor: in the name of a package of npm.
    pub(super) node: [&'static str; 2],
    /// How Python calls the systems that its program starts on: the end of the name of a wheel.
    pub(super) wheel: &'static str,
}

/// A C library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Libc {
    /// That of GNU: the program has to start with its release 2.`oldest`.
    Glibc { oldest: u32 },
    /// musl is in the program itself, which needs none on the system.
    Static,
}

impl Libc {
    /// How npm calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Glibc { .. } => "glibc",
            Self::Static => "musl",
        }
    }
}

/// That of 2012: every distribution of the last ten years has it, or a newer one.
const OLDEST_GLIBC: Libc = Libc::Glibc { oldest: 17 };

pub(super) const TARGETS: &[Target] = &[
    Target {
        triple: "x86_64-unknown-linux-gnu",
        libc: OLDEST_GLIBC,
        node: ["linux", "x64"],
        wheel: "manylinux_2_17_x86_64.manylinux2014_x86_64",
    },
    Target {
        triple: "aarch64-unknown-linux-gnu",
        libc: OLDEST_GLIBC,
        node: ["linux", "arm64"],
        wheel: "manylinux_2_17_aarch64.manylinux2014_aarch64",
    },
    Target {
        triple: "x86_64-unknown-linux-musl",
        libc: Libc::Static,
        node: ["linux", "x64"],
        wheel: "musllinux_1_1_x86_64",
    },
    Target {
        triple: "aarch64-unknown-linux-musl",
        libc: Libc::Static,
        node: ["linux", "arm64"],
        wheel: "musllinux_1_1_aarch64",
    },
];

impl Target {
    /// Whether Rust's standard library for it is installed here.
    pub(super) fn can_be_built(&self) -> anyhow::Result<bool> {
        let mut rustc = Command::new("rustc");
        let directory = tools::output(rustc.args(["--print", "target-libdir", "--target", self.triple]))?;
        Ok(Path::new(directory.trim()).is_dir())
    }
}

/// The row of a target; `None` for one that no row is for.
pub(super) fn row_of(triple: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.triple == triple)
}

/// This machine's target.
pub(super) fn host() -> anyhow::Result<String> {
    let said = tools::output(Command::new("rustc").arg("-vV"))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc -vV names no host target")
}
