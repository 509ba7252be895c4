//! Adds two small files to the extension's archive: the path of the program that the extension starts, and a
//! digest that differs between builds of the extension.

use std::io::{Cursor, Write as _};
use std::path::Path;

use alongside_editors::VSCODE;
use anyhow::Context as _;
use twox_hash::XxHash3_64;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::change;

/// The name of the file with the path of the program, which the extension reads.
const PROGRAM: &str = "program";

/// The name of the file with the digest of the archive without these two files.
const DIGEST: &str = "digest";

/// Returns the archive of an extension that starts `program`.
///
/// # Errors
/// When `built` is no ZIP archive.
pub(super) fn for_program(built: &[u8], program: &str) -> anyhow::Result<Vec<u8>> {
    let add = || -> zip::result::ZipResult<Vec<u8>> {
        let mut archive = ZipWriter::new_append(Cursor::new(built.to_vec()))?;
        for (name, text) in [(PROGRAM, program), (DIGEST, &digest(built))] {
            // VS Code installs the files below this directory of the archive.
            let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
            archive.start_file(format!("extension/{name}"), options)?;
            archive.write_all(text.as_bytes())?;
        }
        Ok(archive.finish()?.into_inner())
    };
    add().context("the extension for VS Code is damaged")
}

/// Whether the extension in `directory` is of this build, and starts `program`.
///
/// # Errors
/// When its files cannot be read.
pub(super) fn is_ours(directory: &Path, program: &str) -> anyhow::Result<bool> {
    let holds = |name: &str, wanted: Option<&str>| -> anyhow::Result<bool> {
        let text = change::read(&directory.join(name))?;
        Ok(wanted.is_none_or(|wanted| text.as_deref() == Some(wanted)))
    };
    Ok(holds(PROGRAM, Some(program))? && holds(DIGEST, VSCODE.map(digest).as_deref())?)
}

fn digest(built: &[u8]) -> String {
    format!("{:016x}", XxHash3_64::oneshot(built))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn an_extension_for_a_program_keeps_its_files() {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        archive.start_file("extension/package.json", stored).unwrap();
        archive.write_all(b"{}").unwrap();
        let built = archive.finish().unwrap().into_inner();

        let extension = for_program(&built, "/a 'b/alongside").unwrap();
        let mut archive = zip::ZipArchive::new(Cursor::new(extension)).unwrap();
        let mut text_of = |name: &str| {
            let mut text = String::new();
            archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
            text
        };
        assert_eq!(text_of("extension/package.json"), "{}");
        assert_eq!(text_of("extension/program"), "/a 'b/alongside");
        assert_eq!(text_of("extension/digest"), digest(&built));
        assert!(for_program(b"no archive", "x").is_err());
    }

    #[test]
    fn an_extension_for_another_program_is_not_ours() {
        let directory = tempfile::tempdir().unwrap();
        assert!(!is_ours(directory.path(), "/bin/alongside").unwrap());
        std::fs::write(directory.path().join(PROGRAM), "/bin/alongside").unwrap();
        let built = VSCODE.map(digest).unwrap_or_default();
        std::fs::write(directory.path().join(DIGEST), built).unwrap();
        assert!(is_ours(directory.path(), "/bin/alongside").unwrap());
        assert!(!is_ours(directory.path(), "/opt/alongside").unwrap());
    }
}
