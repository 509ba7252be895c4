//! The directories outside of a `.git` in which git runs programs or obeys settings: directories of hooks,
//! and bare repositories. The next `git commit` or `git status` runs the programs that are written there.

use std::path::{Path, PathBuf};

use alongside_platform::untrusted::{self, Whose};

use crate::git_config::{self, Setting};
use crate::real_path;

/// The largest settings file in bytes. Those of a repository are far smaller.
const MAX_BYTES: u64 = 1 << 20;

/// How deep settings may include others, as in git itself.
const MAX_INCLUDE_DEPTH: usize = 10;

/// Whether a file is below such a directory, or is included by git's settings. A directory around a root that
/// holds the file does not count: the person works in it. Reads the disk.
pub(crate) fn is_in_one(file: &Path, roots: &[PathBuf]) -> bool {
    let is_around =
        |directory: &Path| roots.iter().any(|root| file.starts_with(root) && root.starts_with(directory));
    let mut below = file.ancestors().skip(1).take_while(|directory| !is_around(directory));
    let is_husky = |directory: &Path| directory.file_name().is_some_and(|name| name == ".husky");
    if below.any(|directory| is_husky(directory) || is_bare(directory, file)) {
        return true;
    }
    let repository = file.ancestors().skip(1).find(|directory| directory.join(".git").exists());
    let settings = repository.map(settings_of).unwrap_or_default();
    settings.hooks.is_some_and(|hooks| file.starts_with(&hooks) && !is_around(&hooks))
        || settings.included.iter().any(|included| included == file)
}

/// Whether git takes this directory for a repository, or for the common part of several, once the file is
/// written, which may complete it. A link counts wherever it leads.
fn is_bare(directory: &Path, file: &Path) -> bool {
    let will_be = |name: &str| {
        let path = directory.join(name);
        file.starts_with(&path) || path.symlink_metadata().is_ok()
    };
    will_be("objects") && will_be("refs") || will_be("HEAD") && will_be("commondir")
}

#[derive(Debug, Default)]
struct Settings {
    /// `core.hooksPath` as it is written. The last one counts.
    hooks_path: Option<String>,
    /// The resolved directory of hooks.
    hooks: Option<PathBuf>,
    included: Vec<PathBuf>,
}

fn text_of(path: &Path) -> Option<String> {
    String::from_utf8(untrusted::read(path, MAX_BYTES, Whose::Anybodys).ok()?).ok()
}

fn settings_of(repository: &Path) -> Settings {
    let mut settings = Settings::default();
    let git = repository.join(".git");
    // In a linked working tree, `.git` names a directory, whose `commondir` names that of common settings.
    let own = match text_of(&git) {
        Some(text) => match text.trim().strip_prefix("gitdir:") {
            Some(named) => repository.join(named.trim()),
            None => return settings,
        },
        None => git,
    };
    let common = text_of(&own.join("commondir")).map_or_else(|| own.clone(), |text| own.join(text.trim()));
    for config in [common.join("config"), own.join("config.worktree")] {
        settings.read(&config, 0);
    }
    // A path in the home directory is outside of the project, which desks show anyway.
    let named = settings.hooks_path.as_deref().filter(|named| !named.is_empty() && !named.starts_with('~'));
    settings.hooks = named.map(|named| real_path::resolve(&repository.join(named)));
    settings
}

impl Settings {
    /// Reads a settings file and the files that it includes, under any condition.
    fn read(&mut self, config: &Path, depth: usize) {
        let Some(text) = text_of(config).filter(|_| depth <= MAX_INCLUDE_DEPTH) else { return };
        for Setting { section, has_subsection, key, value } in git_config::settings(&text) {
            match (section.as_str(), key.as_str()) {
                ("core", "hookspath") if !has_subsection => self.hooks_path = Some(value),
                ("include" | "includeif", "path") if !value.starts_with('~') => {
                    let above = config.parent().unwrap_or(config);
                    let included = real_path::resolve(&above.join(value));
                    self.read(&included, depth + 1);
                    self.included.push(included);
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A repository.
    struct Project(tempfile::TempDir);

    impl Project {
        fn new() -> Self {
            let project = Self(tempfile::tempdir().unwrap());
            fs::create_dir_all(project.path(".git")).unwrap();
            project
        }

        fn path(&self, below: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join("project").join(below)
        }

        fn is_gits(&self, below: &str) -> bool {
            is_in_one(&self.path(below), &[])
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
            assert!(
                !["tools/a", "elsewhere/a", "no/a"].iter().any(|below| project.is_gits(below)),
                "{config}"
            );
        }
        fs::create_dir(project.path("sub")).unwrap();
        assert!(!project.is_gits("sub/tools/hooks/a"), "it is named from the top");
        project.write(".git/config", "[core]\nhooksPath = ~/hooks\n");
        assert!(!project.is_gits("~/hooks/a"));
    }

    #[test]
    fn a_linked_working_tree_obeys_the_common_settings() {
        let project = Project::new();
        let tree = project.0.path().canonicalize().unwrap().join("tree");
        let own = project.path(".git/worktrees/tree");
        fs::create_dir_all(&own).unwrap();
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        project.write(".git/config", "[core]\nhooksPath = hooks\n");
        assert!(is_in_one(&tree.join("hooks/pre-push"), &[]));
        fs::write(own.join("config.worktree"), "[core]\nhooksPath = own\n").unwrap();
        assert!(is_in_one(&tree.join("own/pre-push"), &[]));
        assert!(!is_in_one(&tree.join("hooks/pre-push"), &[]));
    }

    #[test]
    fn a_nested_repository_is_seen_with_its_completing_file() {
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
        // Git stops in such a circle as well.
        project.write("more", "[include]\npath = .gitconfig\n");
        assert!(project.is_gits("hooks/pre-commit"));
    }

    #[test]
    fn repositories_in_parts_and_behind_links_are_seen() {
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
    fn husky_hooks_are_seen_in_every_depth() {
        let project = Project::new();
        assert!(project.is_gits(".husky/pre-commit") && project.is_gits("web/.husky/_/husky.sh"));
        assert!(!project.is_gits(".husky") && !project.is_gits("husky/a") && !project.is_gits(".huskyrc"));
    }
}
