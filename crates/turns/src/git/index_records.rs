//! Changes of an index: the records that `git update-index --index-info` reads, and the files that git lists
//! as different.

use crate::error::Error;

/// Adds a record that gives a path this mode and object in an index.
pub(crate) fn set_record(records: &mut Vec<u8>, mode: &str, object: &str, path: &[u8]) {
    records.extend([format!("{mode} {object} 0\t").as_bytes(), path, b"\0"].concat());
}

/// Adds a record that removes all entries of a path from an index.
pub(crate) fn remove_record(records: &mut Vec<u8>, object: &str, path: &[u8]) {
    let none = "0".repeat(object.len());
    records.extend([format!("0 {none}\t").as_bytes(), path, b"\0"].concat());
}

/// A file that differs from the index.
pub(crate) struct Differing<'a> {
    /// The object that the index holds.
    pub(crate) object: &'a str,
    pub(crate) path: &'a [u8],
    pub(crate) is_gone: bool,
}

/// Reads a raw diff of an index and the disk that was made without renames.
///
/// # Errors
/// When git's output has another form.
pub(crate) fn differing(raw: &[u8]) -> Result<Vec<Differing<'_>>, Error> {
    let mut fields = raw.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    let mut paths = Vec::new();
    while let Some(head) = fields.next() {
        let head: Option<Vec<&str>> = std::str::from_utf8(head).ok().map(|head| head.split(' ').collect());
        match (head.as_deref(), fields.next()) {
            (Some([_, _, object, _, status]), Some(path)) => {
                paths.push(Differing { object, path, is_gone: *status == "D" });
            }
            _ => return Err("git lists changes otherwise".into()),
        }
    }
    Ok(paths)
}
