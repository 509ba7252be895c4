//! The scripts for Node in `rig/node`.

use std::path::PathBuf;

/// A script of `rig/node`.
pub fn node_script(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("node").join(name)
}
