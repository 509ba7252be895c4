//! Whether a companion serves a directory: the agent must run in one of its roots or below it.

use std::path::Path;

use alongside_contract::discovery::split_roots;
use alongside_platform::{Os, paths};

/// Whether the roots in `workspace_path` hold `cwd`, with symbolic links resolved on both sides. An empty
/// workspace holds no directory: the agent then asks the person to open a folder.
pub fn holds(workspace_path: &str, cwd: &Path) -> bool {
    let cwd = paths::real(cwd);
    roots(workspace_path).iter().any(|root| paths::is_within(Os::HERE, &cwd, &paths::real(Path::new(root))))
}

/// Returns the roots. As Qwen Code does, it also accepts a JSON array in place of the joined list.
fn roots(workspace_path: &str) -> Vec<String> {
    if workspace_path.trim_start().starts_with('[')
        && let Ok(roots) = serde_json::from_str::<Vec<String>>(workspace_path)
    {
        return roots.into_iter().filter(|root| Path::new(root).is_absolute()).collect();
    }
    split_roots(workspace_path).filter(|root| Path::new(root).is_absolute()).map(str::to_owned).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_root_holds_itself_and_paths_below_it_also_through_links() {
        let temp = tempfile::tempdir().unwrap();
        let (real, link) = (temp.path().join("real"), temp.path().join("link"));
        std::fs::create_dir_all(real.join("sub")).unwrap();
        std::fs::create_dir_all(temp.path().join("real-not")).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let (real, link) = (real.to_str().unwrap(), link.to_str().unwrap());

        assert!(holds(real, Path::new(real)));
        assert!(holds(link, &Path::new(real).join("sub")));
        assert!(holds(&format!("/nowhere:{real}"), &Path::new(link).join("sub")));
        assert!(holds(&format!("[{real:?}]"), Path::new(real)));
        assert!(!holds(real, temp.path()));
        assert!(!holds(real, &temp.path().join("real-not")));
        assert!(!holds("", Path::new(real)));
    }
}
