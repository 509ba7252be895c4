//! `--fix`: removes our own discovery files whose companion is gone. Everything else is the person's to do.

use alongside_contract::discovery::WRITER;
use alongside_desk::harmless;
use alongside_platform::untrusted::Whose;

use super::probe::{self, ProbeResult};
use super::running_companions::Companions;
use crate::companions;

/// Removes the files, and returns a line for each. A file goes only if it names us as its writer, no
/// companion proves to know its token, and it still holds the same record.
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
        // Another program may have put a device or a pipe there.
        let now = companions::read_record(path, Whose::Ours);
        if !is_gone || !now.is_some_and(|now| now.is_same_companion(record)) {
            continue;
        }
        removed.push(match std::fs::remove_file(path) {
            Ok(()) => format!("removed {}", harmless::path(path)),
            Err(error) => format!("cannot remove {}: {error}", harmless::path(path)),
        });
    }
    removed
}
