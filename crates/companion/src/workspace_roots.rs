//! The roots of a workspace, in the form in which agents compare them.

use std::path::PathBuf;

use crate::config::StartError;

/// Makes roots absolute. Fails for the first root that is not a directory, or whose path is not UTF-8.
pub(crate) fn usable_roots(roots: &[PathBuf]) -> Result<Vec<PathBuf>, StartError> {
    let mut usable: Vec<PathBuf> = Vec::new();
    for root in roots {
        let refused = |why: String| StartError::Root { root: root.clone(), why };
        let absolute = std::path::absolute(root).map_err(|error| refused(error.to_string()))?;
        // No `.` or slash at the end: agents compare strings.
        let tidy: PathBuf = absolute.components().collect();
        if tidy.to_str().is_none() {
            // The desk protocol, too, has only UTF-8 paths of roots.
            let why = "its path is not UTF-8, which agents cannot be told: rename it, or open a link to it";
            return Err(refused(why.into()));
        }
        match std::fs::metadata(&tidy) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(refused("it is not a directory".into())),
            Err(error) => return Err(refused(error.to_string())),
        }
        if !usable.contains(&tidy) {
            usable.push(tidy);
        }
    }
    Ok(usable)
}
