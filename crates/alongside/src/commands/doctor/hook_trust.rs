//! Asks Codex which hooks it trusts: only Codex knows the hashes that it compares. Its server, which speaks
//! over standard input and output, answers within a second and is ended then.

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
use super::message::ShownPath;

/// How long the answer may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The longest output that is read.
const MAX_BYTES: u64 = 4 << 20;

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

/// The hooks in the answer to `hooks/list`, those of all directories.
fn hooks_in(answer: &Value) -> Option<Vec<ListedHook>> {
    let directories = answer.pointer("/result/data")?.as_array()?;
    let of = |directory: &Value| Vec::<ListedHook>::deserialize(directory.get("hooks")?).ok();
    let lists: Option<Vec<Vec<ListedHook>>> = directories.iter().map(of).collect();
    Some(lists?.into_iter().flatten().collect())
}

/// The reasons why the agent skips the hook in these files.
pub(super) async fn causes(
    program: &Path,
    (agent, hook): (HookAgent, OurHook),
    files: &[PathBuf],
    here: &Surroundings,
) -> Vec<HookCause> {
    match listed(program, here).await {
        Some(listed) => files.iter().filter_map(|path| cause(&listed, (agent, hook), path)).collect(),
        None => vec![HookCause::UnknownTrust],
    }
}

fn cause(listed: &[ListedHook], (agent, ours): (HookAgent, OurHook), path: &Path) -> Option<HookCause> {
    let is_ours = |hook: &&ListedHook| {
        let command = hook.command.as_deref();
        let command = command.is_some_and(|command| hooks::hook_of(command, agent) == Some(ours));
        command && hook.source_path.as_deref().is_some_and(|source| real(source) == real(path))
    };
    let path: ShownPath = path.to_owned().into();
    let mut ours = listed.iter().filter(is_ours).peekable();
    if ours.peek().is_none() {
        return Some(HookCause::NotRead { path });
    }
    ours.find_map(|hook| {
        let is_trusted = hook.is_managed == Some(true) || hook.trust_status.as_deref() == Some("trusted");
        match (is_trusted, hook.enabled) {
            (false, _) => Some(HookCause::Untrusted { path: path.clone() }),
            (true, Some(false)) => Some(HookCause::Disabled { path: path.clone() }),
            (true, _) => None,
        }
    })
}

/// The hooks for this directory; `None` without an answer in time.
async fn listed(program: &Path, here: &Surroundings) -> Option<Vec<ListedHook>> {
    let mut command = Command::new(program);
    command.arg("app-server").env_clear().envs(&here.variables).current_dir(&here.cwd);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    // A launcher that is killed leaves the server behind.
    process::lead_group(command.as_std_mut());
    let mut server = command.spawn().ok()?;
    let leader = server.id();
    let listed = tokio::time::timeout(TIMEOUT, ask(&mut server, &here.cwd)).await.ok().flatten();
    if let Some(leader) = leader {
        process::end_group(leader);
    }
    let _ = server.kill().await;
    listed
}

async fn ask(server: &mut Child, cwd: &Path) -> Option<Vec<ListedHook>> {
    let mut requests = server.stdin.take()?;
    let mut lines = BufReader::new(server.stdout.take()?.take(MAX_BYTES)).lines();
    let client = json!({ "name": "alongside", "title": "alongside", "version": env!("CARGO_PKG_VERSION") });
    let hello = json!({ "id": 0, "method": "initialize", "params": { "clientInfo": client } });
    requests.write_all(format!("{hello}\n").as_bytes()).await.ok()?;
    let mut next = 0;
    while let Some(line) = lines.next_line().await.ok()? {
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        // Notifications stand between the answers.
        if message.get("id").and_then(Value::as_u64) != Some(next) {
            continue;
        }
        if next == 1 {
            return hooks_in(&message);
        }
        next = 1;
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
    fn a_hook_that_codex_skips_has_its_reason() {
        let ours = (HookAgent::named("codex").unwrap(), OurHook::Write);
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
        assert_eq!(cause(&hook("trusted", true), ours, &path), None);
        let untrusted = Some(HookCause::Untrusted { path: shown(&path) });
        assert_eq!(cause(&hook("untrusted", true), ours, &path), untrusted);
        let disabled = Some(HookCause::Disabled { path: shown(&path) });
        assert_eq!(cause(&hook("trusted", false), ours, &path), disabled);
        let elsewhere = PathBuf::from("/p/.codex/hooks.json");
        let not_read = Some(HookCause::NotRead { path: shown(&elsewhere) });
        assert_eq!(cause(&hook("trusted", true), ours, &elsewhere), not_read);
        let of_turns = (ours.0, OurHook::Turn);
        let not_read = Some(HookCause::NotRead { path: shown(&path) });
        assert_eq!(cause(&hook("trusted", true), of_turns, &path), not_read, "it is another one");
    }
}
