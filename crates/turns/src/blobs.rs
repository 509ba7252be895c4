//! The content that a snapshot holds under a path.

use std::path::Path;

use alongside_platform::paths;

use crate::fault::Fault;
use crate::tree_diff::{Side, SideKind};
use crate::workbench::Workbench;

/// A file or link of a snapshot, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Blob {
    pub(crate) kind: SideKind,
    /// The content of a file, or the target of a link.
    pub(crate) bytes: Vec<u8>,
}

/// The entry of a tree under a path; `None` if nothing, or a directory.
///
/// # Errors
/// When git fails, or no longer has the content.
pub(crate) fn read(bench: &Workbench, tree: &str, below: &Path) -> Result<Option<Blob>, Fault> {
    let Some(side) = side(bench, tree, below)? else { return Ok(None) };
    let bytes = bench.git.run(["cat-file", "blob", &side.object], None).map_err(|fault| match fault {
        Fault::Said(_) => Fault::said("git no longer has the text of before"),
        fault => fault,
    })?;
    Ok(Some(Blob { kind: side.kind(), bytes }))
}

fn side(bench: &Workbench, tree: &str, below: &Path) -> Result<Option<Side>, Fault> {
    let path = paths::to_bytes(below);
    let Some(argument) = paths::from_bytes(&path) else { return Ok(None) };
    let args = ["ls-tree", "-z", "--full-tree", tree, "--"].map(std::ffi::OsString::from);
    let output = bench.git.run(args.into_iter().chain([argument.into_os_string()]), None)?;
    let found = output.split(|byte| *byte == 0).find_map(|line| {
        let place = line.iter().position(|byte| *byte == b'\t')?;
        let (head, name) = (std::str::from_utf8(&line[..place]).ok()?, &line[place + 1..]);
        let mut head = head.split(' ');
        let (mode, kind, object) = (head.next()?, head.next()?, head.next()?);
        (name == path && kind == "blob").then(|| Side { mode: mode.into(), object: object.into() })
    });
    Ok(found)
}

/// Whether a tree holds something below a directory.
///
/// # Errors
/// When git fails.
pub(crate) fn has_directory(bench: &Workbench, tree: &str, below: &Path) -> Result<bool, Fault> {
    let args = ["ls-tree", "-z", "-d", "--full-tree", tree, "--"].map(std::ffi::OsString::from);
    Ok(!bench.git.run(args.into_iter().chain([below.as_os_str().to_owned()]), None)?.is_empty())
}
