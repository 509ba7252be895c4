//! Cargo's options for a program to be packed: the same for every way to build one.

use std::process::Command;

use alongside_testing::chores::checkout;
use anyhow::Context as _;

use super::tools;

/// Cargo's arguments for a program to be packed.
pub(super) fn arguments(target: &str) -> [&str; 6] {
    ["--release", "--locked", "--package", "alongside", "--target", target]
}

/// The variable with flags for the compiler.
pub(super) const FLAGS: &str = "CARGO_ENCODED_RUSTFLAGS";

/// Returns the flags by which a program names these places otherwise: those of this machine would make every
/// build different.
pub(super) fn remapped(places: [(&str, &str); 2]) -> String {
    places.map(|(place, name)| format!("--remap-path-prefix={place}={name}")).join("\u{1f}")
}

/// Returns the variable that names the commit and its date for `alongside --version`, where there is no git.
///
/// # Errors
/// When git knows no commit of the checkout.
pub(super) fn commit_variable() -> anyhow::Result<String> {
    Ok(format!("ALONGSIDE_COMMIT={}", commit()?))
}

/// Returns the commit and its date, as the build script of the program names them.
///
/// # Errors
/// When git knows no commit of the checkout.
pub(super) fn commit() -> anyhow::Result<String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(checkout()).env("TZ", "UTC").args(["log", "-1", "--no-show-signature"]);
    // A git hook that starts this program sets these variables, for a repository that may be another one.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(variable);
    }
    let said = tools::output(git.args(["--date=format-local:%Y-%m-%d", "--format=%H %cd"]))?;
    let named = said.trim().split_once(' ').and_then(|(hash, date)| Some((hash.get(..9)?, date)));
    let (hash, date) = named.with_context(|| format!("git names no commit, but {said:?}"))?;
    Ok(format!("{hash} {date}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_named_as_the_program_names_it() {
        let Ok(program) = alongside_rig::alongside_bin() else {
            return alongside_testing::skip("the program is not built yet: cargo build");
        };
        let Ok(commit) = commit() else { return alongside_testing::skip("this is no checkout of git") };
        let (hash, date) = commit.split_once(' ').unwrap();
        assert!(hash.len() == 9 && hash.chars().all(|c| c.is_ascii_hexdigit()), "{commit}");
        let is_date =
            |(place, c): (usize, char)| if [4, 7].contains(&place) { c == '-' } else { c.is_ascii_digit() };
        assert!(date.len() == 10 && date.chars().enumerate().all(is_date), "{commit}");
        // The program may be of an older commit.
        let said = tools::output(Command::new(program).arg("--version")).unwrap();
        let named = said.trim().strip_prefix(concat!("alongside ", env!("CARGO_PKG_VERSION"), " ("));
        let named = named.and_then(|named| named.strip_suffix(')')).unwrap_or_else(|| panic!("{said}"));
        assert_eq!(named.len(), commit.len(), "{said}");
    }
}
