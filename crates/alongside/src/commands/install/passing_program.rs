//! Warns of a program that a package manager removes with its next update, or keeps only in a cache.

use std::path::Path;

use alongside_desk::harmless;

/// The names of the caches of npx and uvx and of pnpm's store, each with the command that installs the
/// program permanently.
const TEMPORARY_DIRECTORIES: [(&str, &str); 3] = [
    ("_npx", "npm install --global alongside"),
    (".pnpm", "npm install --global alongside"),
    ("archive-v0", "uv tool install alongside"),
];

/// Returns a warning if hooks and editors would start a program in such a directory. Without the program of
/// its hook, an agent writes without a review.
pub(super) fn warning(program: &str) -> Option<String> {
    let path = Path::new(program);
    let (_, install) =
        TEMPORARY_DIRECTORIES.iter().find(|(name, _)| path.iter().any(|part| part == *name))?;
    Some(format!(
        "an update removes {}, and agents then write without a review; run `{install}`, and then \
         `alongside install` again",
        harmless::path(path)
    ))
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
        let warning_for_uv = warning("/h/.cache/uv/archive-v0/xY/bin/alongside").unwrap();
        assert!(warning_for_uv.contains("uv tool install"), "{warning_for_uv}");
        for path in
            ["/usr/lib/node_modules/alongside-linux-x64/bin/alongside", "/h/my_npx/alongside", "alongside"]
        {
            assert_eq!(warning(path), None);
        }
    }
}
