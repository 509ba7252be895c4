//! Asks Codex which hooks it trusts, because only Codex knows the hashes that it compares. The app server of
//! Codex answers over standard output within a second, and is ended after its answer.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use alongside_agent::find::Surroundings;
use alongside_agent::settings::hooks::{self, OurHook};
use alongside_contract::agent::HookAgent;
use alongside_platform::paths::real;
use alongside_platform::process;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, Command};

use super::causes::HookCause;
use super::diagnosis::ShownPath;

/// The time that Codex has to start and to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest output that is read, in bytes.
const MAX_OUTPUT_BYTES: u64 = 4 << 20;

/// A hook as Codex lists it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedHook {
    source_path: Option<PathBuf>,
    command: Option<String>,
    enabled: Option<bool>,
    is_managed: Option<bool>,
    trust_status: Option<String>,
}

/// Returns the hooks of all directories in the answer to `hooks/list`.
fn hooks_in(answer: &Value) -> Option<Vec<ListedHook>> {
    let directories = answer.pointer("/result/data")?.as_array()?;
    let hooks_of = |directory: &Value| Vec::<ListedHook>::deserialize(directory.get("hooks")?).ok();
    let lists: Option<Vec<Vec<ListedHook>>> = directories.iter().map(hooks_of).collect();
    Some(lists?.into_iter().flatten().collect())
}

/// Returns the causes for which the agent skips the hook in these files.
pub(super) async fn causes(
    program: &Path,
    (agent, hook): (HookAgent, OurHook),
    files: &[PathBuf],
    here: &Surroundings,
) -> Vec<HookCause> {
    match list_hooks(program, here).await {
        Some(listed) => files.iter().filter_map(|path| cause(&listed, (agent, hook), path)).collect(),
        None => vec![HookCause::UnknownTrust],
    }
}

fn cause(listed: &[ListedHook], (agent, hook): (HookAgent, OurHook), path: &Path) -> Option<HookCause> {
    let is_ours = |listed: &&ListedHook| {
        let command = listed.command.as_deref();
        let has_command = command.is_some_and(|command| hooks::hook_of(command, agent) == Some(hook));
        has_command && listed.source_path.as_deref().is_some_and(|source| real(source) == real(path))
    };
    let path: ShownPath = path.to_owned().into();
    let mut ours = listed.iter().filter(is_ours).peekable();
    if ours.peek().is_none() {
        return Some(HookCause::NotRead { path });
    }
    ours.find_map(|listed| {
        let is_trusted = listed.is_managed == Some(true) || listed.trust_status.as_deref() == Some("trusted");
        match (is_trusted, listed.enabled) {
            (false, _) => Some(HookCause::Untrusted { path: path.clone() }),
            (true, Some(false)) => Some(HookCause::Disabled { path: path.clone() }),
            (true, _) => None,
        }
    })
}

/// Returns the hooks that Codex lists for this directory; `None` if it does not answer in time.
async fn list_hooks(program: &Path, here: &Surroundings) -> Option<Vec<ListedHook>> {
    let mut command = Command::new(program);
    command.arg("app-server").env_clear().envs(&here.variables).current_dir(&here.cwd);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    // The program may be a launcher: to kill only the launcher would leave the server behind.
    process::lead_group(command.as_std_mut());
    let mut server = command.spawn().ok()?;
    let leader = server.id();
    let listed = tokio::time::timeout(ANSWER_TIMEOUT, ask(&mut server, &here.cwd)).await.ok().flatten();
    if let Some(leader) = leader {
        process::end_group(leader);
    }
    let _ = server.kill().await;
    listed
}

async fn ask(server: &mut Child, cwd: &Path) -> Option<Vec<ListedHook>> {
    let mut requests = server.stdin.take()?;
    let mut lines = BufReader::new(server.stdout.take()?.take(MAX_OUTPUT_BYTES)).lines();
    let client = json!({ "name": "alongside", "title": "alongside", "version": env!("CARGO_PKG_VERSION") });
    let hello = json!({ "id": 0, "method": "initialize", "params": { "clientInfo": client } });
    requests.write_all(format!("{hello}\n").as_bytes()).await.ok()?;
    let mut awaited_id = 0;
    while let Some(line) = lines.next_line().await.ok()? {
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        // Notifications come between the answers.
        if message.get("id").and_then(Value::as_u64) != Some(awaited_id) {
            continue;
        }
        if awaited_id == 1 {
            return hooks_in(&message);
        }
        awaited_id = 1;
        let ready = json!({ "method": "initialized" });
        let list = json!({ "id": 1, "method": "hooks/list", "params": { "cwds": [cwd.to_string_lossy()] } });
        requests.write_all(format!("{ready}\n{list}\n").as_bytes()).await.ok()?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_that_codex_skips_has_a_cause() {
        let write_hook = (HookAgent::named("codex").unwrap(), OurHook::Write);
        let hook = |status: &str, enabled: bool| {
            let answer = json!({ "id": 1, "result": { "data": [{ "cwd": "/p", "warnings": [], "hooks": [
                { "key": "/h/hooks.json:pre_tool_use:0:0", "command": "/usr/bin/alongside hook codex",
                  "sourcePath": "/h/hooks.json", "enabled": enabled, "isManaged": false,
                  "trustStatus": status },
            ] }] } });
            hooks_in(&answer).unwrap()
        };
        let path = PathBuf::from("/h/hooks.json");
        let shown = |path: &PathBuf| ShownPath::from(path.clone());
        assert_eq!(cause(&hook("trusted", true), write_hook, &path), None);
        let untrusted = Some(HookCause::Untrusted { path: shown(&path) });
        assert_eq!(cause(&hook("untrusted", true), write_hook, &path), untrusted);
        let disabled = Some(HookCause::Disabled { path: shown(&path) });
        assert_eq!(cause(&hook("trusted", false), write_hook, &path), disabled);
        let elsewhere = PathBuf::from("/p/.codex/hooks.json");
        let not_read = Some(HookCause::NotRead { path: shown(&elsewhere) });
        assert_eq!(cause(&hook("trusted", true), write_hook, &elsewhere), not_read);
        let turn_hook = (write_hook.0, OurHook::Turn);
        let not_read = Some(HookCause::NotRead { path: shown(&path) });
        assert_eq!(
            cause(&hook("trusted", true), turn_hook, &path),
            not_read,
            "only the other hook is listed"
        );
    }
}
