//! Kakoune: `kak -p SESSION` makes a session execute commands, which the adapter's script, alongside.kak,
//! defines.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use alongside_lsp::EditorRemote;
use futures_util::future::BoxFuture;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::sync::{mpsc, oneshot};

/// The time that Kakoune has to read commands.
const READ_TIMEOUT: Duration = Duration::from_secs(5);

/// A session of Kakoune, which executes commands in their order.
pub(super) struct Kakoune {
    scripts: mpsc::UnboundedSender<Script>,
}

/// Commands for Kakoune, and the channel for whether it has read them.
struct Script {
    commands: String,
    result: oneshot::Sender<bool>,
}

impl Kakoune {
    pub(super) fn new(session: String) -> Self {
        let (scripts, receiver) = mpsc::unbounded_channel();
        tokio::spawn(send_all(session, receiver));
        Self { scripts }
    }

    /// Queues commands. Returns the channel for whether Kakoune has read them, which may be dropped.
    fn execute(&self, commands: String) -> oneshot::Receiver<bool> {
        let (result, receiver) = oneshot::channel();
        // The task that receives lives as long as the sender.
        let _ = self.scripts.send(Script { commands, result });
        receiver
    }
}

impl EditorRemote for Kakoune {
    fn show(&self, file: &Path, line: Option<usize>) -> BoxFuture<'static, bool> {
        let file = quoted(&file.to_string_lossy());
        let result = self.execute(match line {
            Some(line) => format!("alongside-proposal {file} {}", line + 1),
            None => format!("alongside-file {file}"),
        });
        Box::pin(async { result.await.unwrap_or(false) })
    }

    fn say(&self, message: &str, is_warning: bool) -> bool {
        let face = if is_warning { "Error" } else { "Information" };
        drop(self.execute(format!("alongside-say {face} {}", quoted(message))));
        true
    }

    fn count(&self, waiting: usize) {
        drop(self.execute(format!("alongside-count {waiting}")));
    }

    fn decided(&self, file: &Path) {
        drop(self.execute(format!("alongside-decided {}", quoted(&file.to_string_lossy()))));
    }
}

/// Quotes a text as one word of Kakoune's command language.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Sends scripts to a session, one after the other.
async fn send_all(session: String, mut scripts: mpsc::UnboundedReceiver<Script>) {
    while let Some(Script { commands, result }) = scripts.recv().await {
        let sent = tokio::time::timeout(READ_TIMEOUT, send(&session, &commands)).await;
        let is_read = matches!(sent, Ok(Ok(true)));
        if !is_read {
            tracing::warn!(session, ?sent, "Kakoune does not read commands");
        }
        // Most callers drop the receiver.
        let _ = result.send(is_read);
    }
}

/// Sends commands to a session. Returns whether `kak` succeeds.
async fn send(session: &str, commands: &str) -> std::io::Result<bool> {
    let mut command = Command::new("kak");
    command.args(["-p", session]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.kill_on_drop(true).spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(commands.as_bytes()).await?;
    }
    Ok(child.wait().await?.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_its_word() {
        assert_eq!(quoted("it's; nop %sh{rm x}"), "'it''s; nop %sh{rm x}'");
    }
}
