//! A program that a package manager removes with its next update, or keeps in a cache.

use std::path::Path;

use alongside_desk::harmless;

/// Directories of npx, and of pnpm with its packages by version.
const PASSING: [&str; 2] = ["_npx", ".pnpm"];

/// The warning of what is about to be written, if hooks and editors would name a program that goes. An agent
/// whose hook is not there goes on, and nobody reviews its changes.
pub(super) fn warning(program: &str) -> Option<String> {
    let is_passing = |part: &std::ffi::OsStr| PASSING.iter().any(|name| part == *name);
    let path = Path::new(program);
    path.iter().any(is_passing).then(|| {
        format!(
            "an update removes {}, and agents then write without a review; run `npm install --global \
             alongside`, and then `alongside install` again",
            harmless::path(path)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_program_of_a_cache_or_a_store_gets_a_warning() {
        for path in [
            "/h/.npm/_npx/1f/node_modules/alongside-linux-x64/bin/alongside",
            "/h/.local/share/pnpm/global/5/.pnpm/alongside@1/node_modules/alongside-linux-x64/bin/alongside",
        ] {
            let warning = warning(path).unwrap();
            assert!(warning.contains(path) && warning.contains("npm install --global"), "{warning}");
        }
        for path in
            ["/usr/lib/node_modules/alongside-linux-x64/bin/alongside", "/h/my_npx/alongside", "alongside"]
        {
            assert_eq!(warning(path), None);
        }
    }
}
