//! `--fix`: removes our own discovery files whose companion is gone. Everything else is the person's to do.

use std::io;
use std::path::Path;

use alongside_contract::discovery::{Record, WRITER};
use alongside_desk::{harmless, without_error_codes};
use alongside_host::companions;
use alongside_platform::directory::Directory;
use alongside_platform::untrusted;

use super::probe::{self, ProbeResult};
use super::running_companions::Companions;

/// Removes the files, and returns a line for each. A file goes only if it names us as its writer, no
/// companion proves to know its token, none may live in another network, and it still holds the same record.
pub(super) async fn remove(found: &Companions) -> Vec<String> {
    let mut removed = Vec::new();
    let ours = found.stale.iter().filter(|(_, record)| record.writer.as_deref() == Some(WRITER));
    for (path, record) in ours {
        let result = probe::connect("127.0.0.1", record.port, record.auth_token.as_deref()).await;
        // A companion that hangs may come back.
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

/// Removes a file that holds this record. Its directory stays open meanwhile, for others may lead its path
/// elsewhere. Returns false if the file is gone or holds something else by now.
fn remove_record(path: &Path, record: &Record) -> io::Result<bool> {
    let name = path.file_name().unwrap_or_default();
    let directory = Directory::open(path.parent().unwrap_or(Path::new("/")))?;
    // Another program may have put a link, a device or a pipe there.
    let now = untrusted::read_ours(&directory, name, companions::MAX_RECORD_BYTES);
    let now = now.ok().and_then(|json| serde_json::from_slice::<Record>(&json).ok());
    match now.is_some_and(|now| now.is_same_companion(record)) {
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
