//! The workspace path of a discovery file: all roots in one string.

use std::path::PathBuf;

use alongside_contract::discovery::{delimiter, join_roots};
use alongside_desk::Problem;
use alongside_platform::paths::Canonical as _;

/// Joins the literal and real paths of the roots. A root that the format cannot express becomes a problem.
pub(super) fn workspace_path(roots: &[PathBuf]) -> (String, Vec<Problem>) {
    let (mut paths, mut problems) = (Vec::<String>::new(), Vec::new());
    for root in roots {
        let real = root.canonical().unwrap_or_else(|_| root.clone());
        for path in [root, &real] {
            match path.to_str().map(|path| (path, join_roots([path]))) {
                Some((path, Ok(_))) if paths.iter().any(|known| known == path) => {}
                Some((path, Ok(_))) => paths.push(path.to_owned()),
                _ => problems.push(Problem::new(
                    format!("agents cannot find the workspace {}", path.display()),
                    format!(
                        "Discovery files cannot hold a path with `{}` or bytes that are not UTF-8. Rename \
                         the directory, or open it through a link with another name.",
                        delimiter()
                    ),
                )),
            }
        }
    }
    (join_roots(paths.iter().map(String::as_str)).unwrap_or_default(), problems)
}
