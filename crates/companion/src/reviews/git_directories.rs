//! The directories outside of a `.git` in which git runs programs or obeys settings: directories of hooks,
//! and bare repositories. The next `git commit` or `git status` runs a program that is written there.

use std::ffi::OsStr;
use std::path::Path;

use super::git_settings::{self, ObeyedPaths};
use super::ground::Ground;
use super::link_targets;
use crate::folded_name::fold_leniently;
use crate::real_path;

/// The directory of hooks that husky, a manager of hooks, sets up.
const HUSKY_DIRECTORY: &str = ".husky";
/// The number of levels below that directory in which husky keeps its own files.
const MAX_HUSKY_DEPTH: usize = 2;

/// Whether git runs or obeys a file: a file below such a directory, or one that git's settings name or
/// include, or to which a link of git leads. A bare repository around a root with the file does not count,
/// because the person works in it. Reads the disk.
pub(super) fn is_obeyed(file: &Path, ground: &Ground<'_>) -> bool {
    is_obeyed_without_repository(file, ground)
        || repositories(file).any(|top| ObeyedPaths::of(top, ground).contain(file))
}

/// Whether git runs or obeys a file that is in no repository. Reads the disk.
pub(super) fn is_obeyed_without_repository(file: &Path, ground: &Ground<'_>) -> bool {
    let is_around = |directory: &Path| {
        ground.roots.iter().any(|root| file.starts_with(root) && root.starts_with(directory))
    };
    let is_husky =
        |directory: &Path| directory.file_name().is_some_and(|name| fold_leniently(name) == HUSKY_DIRECTORY);
    let mut inner = file.ancestors().skip(1).take_while(|directory| !is_around(directory));
    inner.any(|directory| is_husky(directory) || is_bare(directory, file))
        || ground.is_thorough && is_target(file, ground)
}

/// Iterates over the repositories around a file. Reads the disk.
pub(super) fn repositories(file: &Path) -> impl Iterator<Item = &Path> {
    file.ancestors().skip(1).filter(|directory| directory.join(".git").symlink_metadata().is_ok())
}

/// Whether a link of husky leads to the file, or the file is one of the user's settings files. Reads the
/// disk.
fn is_target(file: &Path, ground: &Ground<'_>) -> bool {
    let settings = git_settings::user_files(ground);
    let mut targets: Vec<_> = settings.iter().flat_map(|file| real_path::steps(file)).collect();
    for directory in file.ancestors().skip(1) {
        link_targets::add_of(&directory.join(HUSKY_DIRECTORY), &mut targets);
        if !link_targets::add_below(&directory.join(HUSKY_DIRECTORY), MAX_HUSKY_DEPTH, &mut targets) {
            return true;
        }
    }
    link_targets::cover(&targets, file)
}

/// Whether a file may help to make its directory, or one above, a repository. The settings of a repository
/// count as soon as its last part exists. The parts are `HEAD`, and the files that belong beside a `HEAD`.
/// They may come in one patch, and none of them exists when the first one is judged. Reads the disk.
pub(super) fn may_complete_repository(file: &Path) -> bool {
    let has_head = |directory: &Path| directory.join("HEAD").symlink_metadata().is_ok();
    let mut above = file.ancestors().skip(1);
    above.any(|directory| match next_below(directory, file).as_deref() {
        Some("head") => Some(directory) == file.parent(),
        Some("objects" | "refs" | "commondir") => has_head(directory),
        _ => false,
    })
}

/// Whether git will take this directory for a repository, or for the common part of several, once the file is
/// written, which may complete it. A link counts wherever it leads.
fn is_bare(directory: &Path, file: &Path) -> bool {
    let next = next_below(directory, file);
    let will_exist = |name: &str| {
        let is_written = next.as_ref().is_some_and(|next| next.eq_ignore_ascii_case(name));
        is_written || directory.join(name).symlink_metadata().is_ok()
    };
    will_exist("objects") && will_exist("refs") || will_exist("HEAD") && will_exist("commondir")
}

/// Returns the plain name of the part that follows `directory` in the path of the file.
fn next_below(directory: &Path, file: &Path) -> Option<String> {
    let below = file.strip_prefix(directory).ok()?;
    below.components().next().map(|part| fold_leniently(OsStr::new(part.as_os_str())))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use alongside_platform::paths::Canonical as _;

    /// A repository.
    struct Project(tempfile::TempDir);

    impl Project {
        fn new() -> Self {
            let project = Self(tempfile::tempdir().unwrap());
            fs::create_dir_all(project.path(".git")).unwrap();
            project
        }

        fn path(&self, below: &str) -> PathBuf {
            self.0.path().canonical().unwrap().join("project").join(below)
        }

        fn is_gits(&self, below: &str) -> bool {
            is_obeyed(&self.path(below), &Ground::new(&[], None))
        }

        fn write(&self, below: &str, text: &str) {
            fs::write(self.path(below), text).unwrap();
        }
    }

    #[test]
    fn the_hooks_directory_comes_from_the_settings() {
        let project = Project::new();
        assert!(!project.is_gits("tools/hooks/pre-commit"));
        for config in [
            "[core]\n\tbare = false\n\thooksPath = tools/hooks\n",
            "[Core] HOOKSPATH = \"tools/hooks\" ; ours\n",
            "[core]\nhooksPath = elsewhere\n[user]\nhooksPath = no\n[core]\nhooksPath = ./tools/hooks # us\n",
        ] {
            project.write(".git/config", config);
            assert!(project.is_gits("tools/hooks/pre-commit"), "{config}");
            assert!(!["tools/a", "no/a"].iter().any(|below| project.is_gits(below)), "{config}");
        }
        // The last setting may be under a condition, so the earlier one counts as well.
        assert!(project.is_gits("elsewhere/a"));
        fs::create_dir(project.path("sub")).unwrap();
        assert!(!project.is_gits("sub/tools/hooks/a"), "the path is relative to the top");
        project.write(".git/config", "[core]\nhooksPath = ~/hooks\n");
        assert!(!project.is_gits("~/hooks/a"));
    }

    #[test]
    fn a_linked_working_tree_obeys_the_common_settings() {
        let project = Project::new();
        let tree = project.0.path().canonical().unwrap().join("tree");
        let own = project.path(".git/worktrees/tree");
        fs::create_dir_all(&own).unwrap();
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        project.write(".git/config", "[core]\nhooksPath = hooks\n");
        assert!(is_obeyed(&tree.join("hooks/pre-push"), &Ground::new(&[], None)));
        fs::write(own.join("config.worktree"), "[core]\nhooksPath = own\n").unwrap();
        assert!(is_obeyed(&tree.join("own/pre-push"), &Ground::new(&[], None)));
        // Git reads the settings of the tree only if those of the repository say so.
        assert!(is_obeyed(&tree.join("hooks/pre-push"), &Ground::new(&[], None)));
        assert!(!is_obeyed(&tree.join("other/pre-push"), &Ground::new(&[], None)));
    }

    #[test]
    fn a_nested_repository_is_found_with_its_completing_file() {
        let project = Project::new();
        let inner = project.path("docs/inner");
        fs::create_dir_all(inner.join("refs")).unwrap();
        fs::write(inner.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        assert!(!project.is_gits("docs/inner/config") && project.is_gits("docs/inner/objects/x"));
        fs::create_dir(inner.join("objects")).unwrap();
        assert!(project.is_gits("docs/inner/config") && project.is_gits("docs/inner/hooks/post-checkout"));
        assert!(!project.is_gits("docs/other") && !project.is_gits("HEAD"));
    }

    #[test]
    fn included_git_settings_are_read() {
        let project = Project::new();
        let config = "[include]\n\tpath = ../.gitconfig\n[includeIf \"onbranch:x\"]\npath=\"../more\"\n";
        project.write(".git/config", config);
        assert!(project.is_gits(".gitconfig") && project.is_gits("more") && !project.is_gits("other"));
        assert!(!project.is_gits("hooks/pre-commit"));
        project.write(".gitconfig", "[core]\n\thooksPath = hooks\n[include]\npath = more\n");
        assert!(project.is_gits("hooks/pre-commit"));
        // Git ends the inclusion at such a circle as well.
        project.write("more", "[include]\npath = .gitconfig\n");
        assert!(project.is_gits("hooks/pre-commit"));
    }

    #[cfg(unix)]
    #[test]
    fn repositories_in_parts_and_behind_links_are_found() {
        let project = Project::new();
        for below in ["linked/objects", "linked/refs", "parted", "common/objects", "common/refs"] {
            fs::create_dir_all(project.path(below)).unwrap();
        }
        std::os::unix::fs::symlink("refs/heads/main", project.path("linked/HEAD")).unwrap();
        assert!(project.is_gits("linked/config") && project.is_gits("linked/hooks/post-checkout"));
        project.write("parted/HEAD", "ref: refs/heads/main\n");
        assert!(!project.is_gits("parted/config") && project.is_gits("parted/commondir"));
        project.write("parted/commondir", "../common\n");
        assert!(project.is_gits("parted/config") && project.is_gits("parted/config.worktree"));
        assert!(project.is_gits("common/config"));
    }

    #[test]
    fn husky_hooks_are_found_at_every_depth() {
        let project = Project::new();
        assert!(project.is_gits(".husky/pre-commit") && project.is_gits("web/.husky/_/husky.sh"));
        assert!(!project.is_gits(".husky") && !project.is_gits("husky/a") && !project.is_gits(".huskyrc"));
    }
}
