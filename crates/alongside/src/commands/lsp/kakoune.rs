//! Kakoune: `kak -p SESSION` makes a session execute commands, which the adapter, alongside.kak, defines.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use alongside_lsp::EditorRemote;
use futures_util::future::BoxFuture;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::sync::{mpsc, oneshot};

/// How long Kakoune may take to read commands.
const TIMEOUT: Duration = Duration::from_secs(5);

/// A session of Kakoune. It executes commands in their order.
pub(super) struct Kakoune {
    queue: mpsc::UnboundedSender<Script>,
}

/// Commands for Kakoune, and who waits until it has read them.
struct Script {
    commands: String,
    done: oneshot::Sender<bool>,
}

impl Kakoune {
    pub(super) fn new(session: String) -> Self {
        let (queue, scripts) = mpsc::unbounded_channel();
        tokio::spawn(send_all(session, scripts));
        Self { queue }
    }

    /// Whether Kakoune has read the commands. They are queued at once, also if nobody waits.
    fn execute(&self, commands: String) -> oneshot::Receiver<bool> {
        let (done, is_done) = oneshot::channel();
        // The queue lives as long as this.
        let _ = self.queue.send(Script { commands, done });
        is_done
    }
}

impl EditorRemote for Kakoune {
    fn show(&self, file: &Path, line: Option<usize>) -> BoxFuture<'static, bool> {
        let file = quoted(&file.to_string_lossy());
        let shown = self.execute(match line {
            Some(line) => format!("alongside-proposal {file} {}", line + 1),
            None => format!("alongside-file {file}"),
        });
        Box::pin(async { shown.await.unwrap_or(false) })
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

/// A text as one word of Kakoune's command language.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Sends scripts to a session, one after the other.
async fn send_all(session: String, mut scripts: mpsc::UnboundedReceiver<Script>) {
    while let Some(Script { commands, done }) = scripts.recv().await {
        let sent = tokio::time::timeout(TIMEOUT, send(&session, &commands)).await;
        let is_read = matches!(sent, Ok(Ok(true)));
        if !is_read {
            tracing::warn!(session, ?sent, "Kakoune does not read commands");
        }
        // Nobody waits for most of them.
        let _ = done.send(is_read);
    }
}

/// Sends commands to a session; whether `kak` succeeds.
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
