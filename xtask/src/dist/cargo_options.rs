//! Cargo's options for a program to be packed: the same for every way to build one.

use std::process::Command;

use alongside_testing::chores::checkout;

use super::tools;

/// Cargo's arguments for a program to be packed.
pub(super) fn arguments(target: &str) -> [&str; 6] {
    ["--release", "--locked", "--package", "alongside", "--target", target]
}

/// The variable with flags for the compiler.
pub(super) const FLAGS: &str = "CARGO_ENCODED_RUSTFLAGS";

/// The flags by which a program names these places otherwise: those of this machine would make every build
/// different.
pub(super) fn remapped(places: [(&str, &str); 2]) -> String {
    places.map(|(place, name)| format!("--remap-path-prefix={place}={name}")).join("\u{1f}")
}

/// The variable that names the commit and its date for `alongside --version`, where there is no git.
pub(super) fn commit() -> anyhow::Result<String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(checkout()).env("TZ", "UTC").args(["log", "-1", "--no-show-signature"]);
    git.args(["--date=format-local:%Y-%m-%d", "--format=%H %cd"]);
    let said = tools::output(&mut git)?;
    let (hash, date) = said.trim().split_once(' ').unwrap_or_default();
    Ok(format!("ALONGSIDE_COMMIT={} {date}", hash.get(..9).unwrap_or_default()))
}
