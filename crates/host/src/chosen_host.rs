//! The host that a person means: by its process id or its name, or by a directory.

use std::path::Path;

use alongside_common::failure::failure;

use super::registry_entry::Entry;

/// Returns the host with this process id or name, or else the only one whose name begins so.
///
/// # Errors
/// When not exactly one host matches.
pub fn host_named(choice: &str, entries: Vec<Entry>) -> anyhow::Result<Entry> {
    // The number of a process may also begin the name of another host.
    let is_exact = |entry: &&Entry| entry.name == choice || entry.pid.to_string() == choice;
    if let Some(entry) = entries.iter().find(is_exact) {
        return Ok(entry.clone());
    }
    let mut begun = entries.into_iter().filter(|entry| entry.name.starts_with(choice));
    match (begun.next(), begun.next()) {
        (Some(entry), None) => Ok(entry),
        (None, _) => Err(failure(
            format!("there is no host {choice:?}"),
            "`alongside status` lists the hosts and their processes",
        )),
        (Some(_), Some(_)) => {
            Err(failure(format!("the names of several hosts begin with {choice:?}"), "give more of the name"))
        }
    }
}

/// Returns the host that serves a directory. A host of its project comes before one of a directory around the
/// project.
///
/// # Errors
/// When no host serves the directory.
pub fn host_of(dir: &Path, entries: Vec<Entry>) -> anyhow::Result<Entry> {
    let serving = entries.into_iter().filter(|entry| entry.serves(dir));
    serving.min_by_key(|entry| !entry.serves_in_project(dir)).ok_or_else(|| {
        failure(
            format!("no host serves {}", dir.display()),
            "`alongside status` lists the hosts; name one by its process ID",
        )
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn host(pid: u32, name: &str, root: impl Into<PathBuf>) -> Entry {
        Entry { pid, name: name.into(), roots: vec![root.into()], ..Entry::default() }
    }

    #[test]
    fn a_host_is_named_by_its_process_or_an_unambiguous_beginning() {
        let entries = || vec![host(7, "12ab", "/a"), host(12, "77cd", "/b"), host(3, "12ef", "/c")];
        let named = |choice| host_named(choice, entries()).map(|entry| entry.pid).map_err(|e| e.to_string());
        for (choice, pid) in [("12", 12), ("7", 7), ("77cd", 12), ("77", 12), ("12e", 3)] {
            assert_eq!(named(choice), Ok(pid), "{choice}");
        }
        assert_eq!(named("2a"), Err("there is no host \"2a\"".into()));
        assert_eq!(named("1"), Err("the names of several hosts begin with \"1\"".into()));
    }

    #[test]
    fn the_host_of_a_project_comes_before_one_around_it() {
        let home = tempfile::tempdir().unwrap();
        let project = home.path().join("project");
        std::fs::create_dir_all(project.join(".git")).unwrap();
        let entries = || vec![host(1, "home", home.path()), host(2, "project", &project)];
        assert_eq!(host_of(&project, entries()).unwrap().pid, 2);
        assert_eq!(host_of(home.path(), entries()).unwrap().pid, 1);
        let failed = host_of(&project.join("../.."), entries()).unwrap_err();
        assert_eq!(failed.to_string(), format!("no host serves {}", project.join("../..").display()));
    }
}
