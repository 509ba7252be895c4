//! Kate: `kate --pid PID FILE` opens a file in a running Kate.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use alongside_lsp::EditorRemote;
use futures_util::future::BoxFuture;
use tokio::process::Command;

/// The time that Kate has to open a file.
const OPEN_TIMEOUT: Duration = Duration::from_secs(5);

/// A running Kate.
pub(super) struct Kate {
    pid: u32,
}

impl Kate {
    pub(super) fn new(pid: u32) -> Self {
        Self { pid }
    }
}

impl EditorRemote for Kate {
    fn show(&self, file: &Path, line: Option<usize>) -> BoxFuture<'static, bool> {
        let mut command = Command::new("kate");
        command.arg("--pid").arg(self.pid.to_string());
        command.args(line.map(|line| format!("--line={}", line + 1)));
        command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.kill_on_drop(true);
        Box::pin(async move {
            let status = tokio::time::timeout(OPEN_TIMEOUT, command.status()).await;
            matches!(status, Ok(Ok(status)) if status.success())
        })
    }
}
