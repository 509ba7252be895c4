//! The scripts for Node in `rig/node`.

use std::path::PathBuf;

/// Returns the path of a script of `rig/node`.
pub fn node_script(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("node").join(name)
}
