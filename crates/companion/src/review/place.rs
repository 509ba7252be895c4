//! Where a write to a proposal's path would end up, seen through links and `..`, also when there is no such file yet: a
//! project that somebody else made can hold a link out of it, and an agent can name any path.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// As many links as Linux follows.
const MOST_LINKS: usize = 40;

/// The path without links. What does not exist is followed as far as it does, a link to nothing as well: whoever writes
/// through it makes a file where it leads. Only looks.
pub(crate) fn lead(path: &Path) -> PathBuf {
    let mut place = PathBuf::new();
    let mut rest = parts(path);
    let mut links = 0;
    while let Some(part) = rest.pop() {
        let step = Path::new(&part).components().next();
        match step {
            Some(Component::Normal(name)) => place.push(name),
            Some(Component::ParentDir) => {
                place.pop();
                continue;
            }
            // Begins anew.
            Some(Component::RootDir | Component::Prefix(_)) => {
                place.push(&part);
                continue;
            }
            Some(Component::CurDir) | None => continue,
        }
        if links < MOST_LINKS
            && let Ok(target) = std::fs::read_link(&place)
        {
            links += 1;
            place.pop();
            rest.extend(parts(&target));
        }
    }
    place
}

/// The last part first.
fn parts(path: &Path) -> Vec<OsString> {
    let mut parts: Vec<_> = path.components().map(|part| part.as_os_str().to_owned()).collect();
    parts.reverse();
    parts
}

/// Where it leads, if that is below none of the roots, which are without links. Without roots there is no outside.
pub(crate) fn outside(lead: &Path, roots: &[PathBuf]) -> Option<String> {
    let is_outside = !roots.is_empty() && !roots.iter().any(|root| lead.starts_with(root));
    is_outside.then(|| lead.to_string_lossy().into_owned())
}

/// Where it leads, if that is in a `.git`: whoever writes there has git run a program of theirs. That a root lies in one is no news.
pub(crate) fn in_git(lead: &Path, roots: &[PathBuf]) -> Option<String> {
    let below = roots.iter().find_map(|root| lead.strip_prefix(root).ok()).unwrap_or(lead);
    // Where case does not count, git does not count it either.
    let is_gits = |part: Component<'_>| part.as_os_str().eq_ignore_ascii_case(".git");
    below.components().any(is_gits).then(|| lead.to_string_lossy().into_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_path_out_of_the_project_is_seen_through_every_disguise() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let (project, keys) = (home.join("project"), home.join(".ssh"));
        fs::create_dir_all(project.join("src")).unwrap();
        fs::create_dir(&keys).unwrap();
        fs::write(keys.join("config"), "x").unwrap();
        symlink(&keys, project.join("docs")).unwrap();
        symlink("../.ssh/config", project.join("notes.txt")).unwrap();
        symlink(keys.join("authorized_keys"), project.join("new.txt")).unwrap();
        symlink("new.txt", project.join("twice.txt")).unwrap();
        let roots = [project.clone()];
        for (path, really) in [
            ("docs/config", ".ssh/config"),
            ("docs/deep/below/new", ".ssh/deep/below/new"),
            ("notes.txt", ".ssh/config"),
            ("new.txt", ".ssh/authorized_keys"),
            ("twice.txt", ".ssh/authorized_keys"),
            ("../.ssh/config", ".ssh/config"),
            ("src/../../.ssh/config", ".ssh/config"),
            ("missing/../../.ssh/config", ".ssh/config"),
            ("docs/../stolen", "stolen"),
            ("../project-of-another/a", "project-of-another/a"),
        ] {
            let seen = outside(&lead(&project.join(path)), &roots);
            assert_eq!(seen.as_deref(), home.join(really).to_str(), "{path}");
        }
        symlink("src", project.join("inner")).unwrap();
        for path in ["a.txt", "inner/a.txt", "src/../a.txt", "missing/dir/../a", "docs/../project/a"] {
            assert_eq!(outside(&lead(&project.join(path)), &roots), None, "{path}");
        }
        assert_eq!(outside(&lead(&keys), &[]), None, "without roots there is no outside");
        symlink("b", project.join("a")).unwrap();
        symlink("a", project.join("b")).unwrap();
        lead(&project.join("a/c"));
    }

    #[test]
    fn what_git_runs_or_obeys_is_seen_through_every_disguise() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let project = home.join("project");
        fs::create_dir_all(project.join(".git/hooks")).unwrap();
        symlink(".git", project.join("docs")).unwrap();
        symlink(".git/config", project.join("notes.txt")).unwrap();
        let roots = [project.clone()];
        for (path, really) in [
            (".git/hooks/pre-commit", "project/.git/hooks/pre-commit"),
            (".GIT/config", "project/.GIT/config"),
            ("docs/hooks/new", "project/.git/hooks/new"),
            ("notes.txt", "project/.git/config"),
            ("src/../.git/config", "project/.git/config"),
            // A file that says where git finds everything else.
            ("module/.git", "project/module/.git"),
            ("../other/.git/config", "other/.git/config"),
        ] {
            let seen = in_git(&lead(&project.join(path)), &roots);
            assert_eq!(seen.as_deref(), home.join(really).to_str(), "{path}");
        }
        for path in ["a.txt", ".gitignore", ".github/workflows/a.yml", "a.git/config", ".git/../a.txt"] {
            assert_eq!(in_git(&lead(&project.join(path)), &roots), None, "{path}");
        }
        let tree = project.join(".git/trees/one");
        assert_eq!(in_git(&tree.join("a.txt"), std::slice::from_ref(&tree)), None, "it is the project");
        assert!(in_git(&tree.join(".git"), &[tree]).is_some());
    }

    #[test]
    fn a_project_that_is_opened_through_a_link_is_inside_itself() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("real")).unwrap();
        symlink("real", home.path().join("link")).unwrap();
        let roots = [lead(&home.path().join("link"))];
        for name in ["link/a", "real/a"] {
            assert_eq!(outside(&lead(&home.path().join(name)), &roots), None);
        }
    }
}
