//! A program that a package manager removes with its next update, or keeps in a cache.

use std::path::Path;

use alongside_desk::harmless;

/// Directories of npx, of pnpm with its packages by version, and of uvx; and the command that installs the
/// program for good.
const PASSING: [(&str, &str); 3] = [
    ("_npx", "npm install --global alongside"),
    (".pnpm", "npm install --global alongside"),
    ("archive-v0", "uv tool install alongside"),
];

/// The warning of what is about to be written, if hooks and editors would name a program that goes. An agent
/// whose hook is not there goes on, and nobody reviews its changes.
pub(super) fn warning(program: &str) -> Option<String> {
    let path = Path::new(program);
    let (_, install) = PASSING.iter().find(|(name, _)| path.iter().any(|part| part == *name))?;
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
        let of_uv = warning("/h/.cache/uv/archive-v0/xY/bin/alongside").unwrap();
        assert!(of_uv.contains("uv tool install"), "{of_uv}");
        for path in
            ["/usr/lib/node_modules/alongside-linux-x64/bin/alongside", "/h/my_npx/alongside", "alongside"]
        {
            assert_eq!(warning(path), None);
        }
    }
}
