//! `--fix`: removes our own discovery files whose companion is gone. The person makes all other repairs.

use std::io;
use std::path::Path;

use alongside_contract::discovery::{Record, WRITER};
use alongside_desk::{harmless, without_error_codes};
use alongside_host::companions;
use alongside_platform::directory::Directory;
use alongside_platform::untrusted;

use super::probe::{self, ProbeResult};
use super::running_companions::Companions;

/// Removes the files, and returns a line for each. A file is removed only if it names us as its writer, no
/// companion proves that it knows the token, no companion in another network may use the file, and the file
/// still holds the same record.
pub(super) async fn remove(found: &Companions) -> Vec<String> {
    let mut removed = Vec::new();
    let own_files = found.stale.iter().filter(|(_, record)| record.writer.as_deref() == Some(WRITER));
    for (path, record) in own_files {
        let result = probe::connect("127.0.0.1", record.port, record.auth_token.as_deref()).await;
        // A companion that hangs may answer again.
        let is_gone = matches!(
            result,
            ProbeResult::NotListening | ProbeResult::Refused | ProbeResult::Stranger | ProbeResult::Other(_)
        );
        if !is_gone {
            continue;
        }
        removed.push(match remove_record(path, record) {
            Ok(true) => format!("removed {}", harmless::path(path)),
            Ok(false) => continue,
            Err(error) => without_error_codes(&format!("cannot remove {}: {error}", harmless::path(path))),
        });
    }
    removed
}

/// Removes a file that holds this record. The directory stays open meanwhile, because another program may
/// replace a part of the path. Returns false if the file is gone or holds another record.
fn remove_record(path: &Path, record: &Record) -> io::Result<bool> {
    let name = path.file_name().unwrap_or_default();
    let directory = Directory::open(path.parent().unwrap_or(Path::new("/")))?;
    // Another program may have replaced the file by a link, a device or a pipe.
    let current = untrusted::read_ours(&directory, name, companions::MAX_RECORD_BYTES);
    let current = current.ok().and_then(|json| serde_json::from_slice::<Record>(&json).ok());
    match current.is_some_and(|current| current.is_same_companion(record)) {
        true => directory.remove(name).map(|()| true),
        false => Ok(false),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_the_record_that_was_examined_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("gemini-ide-server-1-2.json");
        let json = |port: u16| {
            serde_json::json!({"port": port, "workspacePath": "/p", "authToken": "t", "writer": WRITER})
                .to_string()
        };
        let record: Record = serde_json::from_str(&json(2)).unwrap();
        fs::write(&path, json(3)).unwrap();
        assert!(!remove_record(&path, &record).unwrap(), "a successor has written it");
        fs::remove_file(&path).unwrap();
        fs::write(directory.path().join("elsewhere"), json(2)).unwrap();
        symlink("elsewhere", &path).unwrap();
        assert!(!remove_record(&path, &record).unwrap() && path.is_symlink(), "it is a link");
        fs::remove_file(&path).unwrap();
        fs::write(&path, json(2)).unwrap();
        assert!(remove_record(&path, &record).unwrap() && !path.exists());
        assert!(!remove_record(&path, &record).unwrap(), "it is gone");
    }
}
