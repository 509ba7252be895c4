//! Where git runs programs, or obeys settings that name some, outside of a `.git`: a directory of hooks, and
//! whatever git takes for a repository without a working tree. Whoever writes there has their own programs
//! run by the next `git commit` or `git status`.

use std::path::{Path, PathBuf};

use super::place;
use alongside_platform::untrusted::{self, Whose};

/// Git's settings of a repository are far smaller.
const MAX_BYTES: u64 = 1 << 20;

/// The directory above a file, or the file, that makes it one of git's: the lowest. Reads the disk.
pub(crate) fn directory_of(file: &Path) -> Option<PathBuf> {
    let above = file.ancestors().skip(1);
    let repository = above.clone().find(|directory| directory.join(".git").exists());
    let hooks = repository.and_then(hooks_of).filter(|hooks| file.starts_with(hooks));
    let husky = above.clone().find(|directory| directory.file_name().is_some_and(|name| name == ".husky"));
    let bare = above.clone().find(|directory| is_bare(directory, file));
    [hooks.as_deref(), husky, bare]
        .into_iter()
        .flatten()
        .max_by_key(|path| path.components().count())
        .map(Path::to_owned)
}

/// Whether git takes this directory for a repository once the file is written: it may be what was missing.
fn is_bare(directory: &Path, file: &Path) -> bool {
    let will_be = |name: &str| {
        let path = directory.join(name);
        file.starts_with(&path) || path.exists()
    };
    ["HEAD", "objects", "refs"].into_iter().all(will_be)
}

/// The hooks' directory that a repository's settings name.
fn hooks_of(repository: &Path) -> Option<PathBuf> {
    let git = repository.join(".git");
    let line = |path: &Path| {
        let read = untrusted::read(path, MAX_BYTES, Whose::Anybodys).ok()?;
        String::from_utf8(read).ok()
    };
    // Of a working tree beside others, a file says where that is, and there another one where the settings of
    // all are.
    let own = match line(&git) {
        Some(text) => repository.join(text.trim().strip_prefix("gitdir:")?.trim()),
        None => git,
    };
    let common = line(&own.join("commondir")).map_or_else(|| own.clone(), |text| own.join(text.trim()));
    let configs = [common.join("config"), own.join("config.worktree")];
    let named = configs.iter().filter_map(|path| hooks_path(&line(path)?)).next_back()?;
    // A path in the home directory is outside of the project, and shown as such.
    (!named.is_empty() && !named.starts_with('~')).then(|| place::lead(&repository.join(named)))
}

/// `core.hooksPath`: the last one counts.
fn hooks_path(config: &str) -> Option<String> {
    let (mut is_core, mut named) = (false, None);
    for line in config.lines().map(str::trim) {
        let line = match line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((section, rest)) => {
                is_core = section.trim().eq_ignore_ascii_case("core");
                rest.trim()
            }
            None => line,
        };
        if let Some((key, value)) = line.split_once('=')
            && is_core
            && key.trim().eq_ignore_ascii_case("hookspath")
        {
            named = Some(unquoted(value.trim()));
        }
    }
    named
}

/// A value without its quotes and comment.
fn unquoted(value: &str) -> String {
    let (mut text, mut is_quoted, mut signs) = (String::new(), false, value.chars());
    while let Some(sign) = signs.next() {
        match sign {
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => break,
            '\\' => text.extend(signs.next()),
            sign => text.push(sign),
        }
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn project() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path().canonicalize().unwrap().join("project");
        fs::create_dir_all(project.join(".git")).unwrap();
        (directory, project)
    }

    #[test]
    fn hooks_lie_where_the_settings_of_the_repository_say() {
        let (_directory, project) = project();
        let is_gits = |below: &str| directory_of(&project.join(below)).is_some();
        assert!(!is_gits("tools/hooks/pre-commit"));
        for config in [
            "[core]\n\tbare = false\n\thooksPath = tools/hooks\n",
            "[Core] HOOKSPATH = \"tools/hooks\" ; ours\n",
            "[core]\nhooksPath = elsewhere\n[user]\nhooksPath = no\n[core]\nhooksPath = ./tools/hooks # us\n",
        ] {
            fs::write(project.join(".git/config"), config).unwrap();
            assert!(is_gits("tools/hooks/pre-commit"), "{config}");
            assert!(!is_gits("tools/a") && !is_gits("elsewhere/a") && !is_gits("no/a"), "{config}");
        }
        fs::create_dir(project.join("sub")).unwrap();
        assert!(!is_gits("sub/tools/hooks/a"), "it is named from the top");
        fs::write(project.join(".git/config"), "[core]\nhooksPath = ~/hooks\n").unwrap();
        assert!(!is_gits("~/hooks/a"));
    }

    #[test]
    fn a_working_tree_beside_others_obeys_the_settings_of_all() {
        let (_directory, project) = project();
        let tree = project.parent().unwrap().join("tree");
        let own = project.join(".git/worktrees/tree");
        fs::create_dir_all(&own).unwrap();
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        fs::write(project.join(".git/config"), "[core]\nhooksPath = hooks\n").unwrap();
        assert_eq!(directory_of(&tree.join("hooks/pre-push")), Some(tree.join("hooks")));
        fs::write(own.join("config.worktree"), "[core]\nhooksPath = own\n").unwrap();
        assert_eq!(directory_of(&tree.join("own/pre-push")), Some(tree.join("own")));
        assert_eq!(directory_of(&tree.join("hooks/pre-push")), None);
    }

    #[test]
    fn a_repository_in_the_project_is_seen_with_the_file_that_completes_it() {
        let (_directory, project) = project();
        let is_gits = |below: &str| directory_of(&project.join(below)).is_some();
        let inner = project.join("docs/inner");
        fs::create_dir_all(inner.join("refs")).unwrap();
        fs::write(inner.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        assert!(!is_gits("docs/inner/config") && is_gits("docs/inner/objects/x"));
        fs::create_dir(inner.join("objects")).unwrap();
        assert!(is_gits("docs/inner/config") && is_gits("docs/inner/hooks/post-checkout"));
        assert!(!is_gits("docs/other") && !is_gits("HEAD"));
    }

    #[test]
    fn what_husky_has_git_run_is_seen_in_every_depth() {
        let (_directory, project) = project();
        let is_gits = |below: &str| directory_of(&project.join(below)).is_some();
        assert!(is_gits(".husky/pre-commit") && is_gits("web/.husky/_/husky.sh"));
        assert!(!is_gits(".husky") && !is_gits("husky/a") && !is_gits(".huskyrc"));
    }
}
