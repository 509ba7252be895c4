//! `alongside doctor` predicts a release's choice of companion in every situation. The companions are minimal
//! and count the requests, which shows the agent's choice.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use alongside_agent::find::Surroundings;
use alongside_contract::agent::FamilyAgent;
use alongside_rig::alongside_bin;
use alongside_rig::{RealClient, Release, Rig, Sandbox};
use anyhow::{Context as _, Result, ensure};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

/// A PID that no process has.
const DEAD: u32 = 99_999_999;

/// A companion that takes one token, offers both tools, and counts the requests for them.
struct Small {
    port: u16,
    asked: Arc<AtomicUsize>,
}

impl Small {
    async fn start() -> Result<Self> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        let post = axum::routing::post(move |headers: HeaderMap, body: String| async move {
            answer(&headers, &body, &counter)
        });
        let router = axum::Router::new().route("/mcp", post);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { port, asked })
    }
}

fn answer(headers: &HeaderMap, body: &str, asked: &AtomicUsize) -> Response {
    if headers.get("authorization").is_none_or(|value| value != "Bearer t") {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let Ok(message) = serde_json::from_str::<Value>(body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let result = match message["method"].as_str() {
        Some("initialize") => json!({ "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": { "tools": {} }, "serverInfo": { "name": "small", "version": "1" } }),
        Some("tools/list") => {
            asked.fetch_add(1, Ordering::SeqCst);
            let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
            json!({ "tools": [tool("openDiff"), tool("closeDiff")] })
        }
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    let reply = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string();
    ([("content-type", "application/json")], reply).into_response()
}

/// Makes a situation, given the process that the agent takes for the editor, and another live one.
type Stage = fn(&mut Scene, u32, u32) -> Result<()>;

/// The situation for both.
struct Scene {
    sandbox: Sandbox,
    agent: FamilyAgent,
    release: Release,
    here: Small,
    other: Small,
    dead: u16,
    environment: Vec<(&'static str, String)>,
}

impl Scene {
    async fn new(release: Release) -> Result<Self> {
        let sandbox = Sandbox::new();
        let id = release.agent.command();
        let agent = FamilyAgent::named(id).context("a row of the table")?;
        let on = json!({ "ide": { "enabled": true }, "tools": { "approvalMode": "default" },
            "security": { "folderTrust": { "enabled": false } } });
        sandbox.write_home(format!(".{id}/settings.json"), on.to_string());
        let dead = tokio::net::TcpListener::bind("127.0.0.1:0").await?.local_addr()?.port();
        let (here, other) = (Small::start().await?, Small::start().await?);
        Ok(Self { sandbox, agent, release, here, other, dead, environment: Vec::new() })
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings {
            tmp: self.sandbox.tmp(),
            home: self.sandbox.home(),
            variables: std::collections::HashMap::default(),
            cwd: self.sandbox.project(),
            pid: std::process::id(),
        }
    }

    /// A file in every place of the family.
    fn publish(&self, pid: u32, port: u16, workspace: PathBuf, ppid: u32) -> Result<()> {
        let record = json!({ "port": port, "workspacePath": workspace, "authToken": "t", "ppid": ppid,
            "ideInfo": { "name": "small", "displayName": "Small" }, "ideName": "Small" });
        for row in self.agent.family.discovery_files() {
            let directory = self.surroundings().resolve(row.directory);
            self.sandbox.write(directory.join(row.file_name(pid, port)), record.to_string());
        }
        Ok(())
    }

    /// The doctor's prediction: whether the agent connects, and to which companion.
    async fn said(&self) -> Result<(bool, Option<u16>, Value)> {
        let command = self.agent.commands.first().context("a command")?;
        let package = self.sandbox.home().join("node_modules").join(self.agent.packages[0]);
        let name = json!({ "name": self.agent.packages[0], "version": self.release.version });
        self.sandbox.write(package.join("package.json"), name.to_string());
        let program = package.join(command);
        std::fs::write(&program, "#!/bin/sh\n")?;
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;

        // Below a shell, like the agent.
        let mut doctor = self.sandbox.command("bash");
        let path = format!("{}:/usr/bin:/bin", package.display());
        doctor.args(["-c", r#""$@"; exit $?"#, "bash"]).arg(alongside_bin()?);
        doctor.args(["doctor", self.agent.id, "--json", "--container", "no"]);
        doctor.envs(self.environment.iter().map(|(name, value)| (name, value))).env("PATH", path);
        let output = doctor.output().await?;
        let said: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
        let agent = &said["agents"][0];
        ensure!(agent["version"] == self.release.version, "{said:#}");
        let port = agent["port"].as_u64().and_then(|port| u16::try_from(port).ok());
        Ok((agent["wouldConnect"] == true, port, said))
    }

    /// Whether the agent connects, and to which companion.
    async fn done(&self, rig: &Rig) -> Result<(bool, Option<u16>)> {
        for small in [&self.here, &self.other] {
            small.asked.store(0, Ordering::SeqCst);
        }
        let environment: Vec<(&str, &str)> =
            self.environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let agent = RealClient::start_with(rig, &self.sandbox, self.release, &environment).await?;
        let connected = agent.connect().await.is_ok();
        let asked = |small: &&&Small| small.asked.load(Ordering::SeqCst) > 0;
        let port = [&self.here, &self.other].iter().find(asked).map(|small| small.port);
        Ok((connected, port))
    }
}

pub(crate) async fn does_what_the_doctor_says((rig, release): (Rig, Release)) -> Result<()> {
    let test = std::process::id();
    let situations: [(&str, Stage); 11] = [
        ("nothing is there", |_, _, _| Ok(())),
        ("in the directory", |scene, editor, test| {
            scene.publish(editor, scene.here.port, scene.sandbox.project(), test)
        }),
        ("below the directory", |scene, editor, test| {
            let above = scene.sandbox.project().parent().context("a directory above")?.to_owned();
            scene.publish(editor, scene.here.port, above, test)
        }),
        ("in another directory", |scene, editor, test| {
            scene.publish(editor, scene.here.port, scene.sandbox.home(), test)
        }),
        ("under another process", |scene, _, test| {
            scene.publish(test, scene.here.port, scene.sandbox.project(), test)
        }),
        ("a stale file beside", |scene, editor, test| {
            scene.publish(DEAD, scene.dead, scene.sandbox.project(), DEAD)?;
            scene.publish(editor, scene.here.port, scene.sandbox.project(), test)
        }),
        ("a stale file in front", |scene, editor, test| {
            scene.publish(test, scene.here.port, scene.sandbox.project(), test)?;
            scene.publish(editor, scene.dead, scene.sandbox.project(), test)
        }),
        ("variables that point elsewhere", |scene, editor, test| {
            scene.publish(editor, scene.here.port, scene.sandbox.project(), test)?;
            scene.publish(test, scene.other.port, scene.sandbox.home(), test)?;
            scene
                .environment
                .extend(scene.agent.family.env.port.map(|name| (name, scene.other.port.to_string())));
            let home = scene.sandbox.home().display().to_string();
            scene.environment.extend(scene.agent.family.env.workspace_path.map(|name| (name, home)));
            Ok(())
        }),
        ("variables alone", |scene, _, _| {
            scene
                .environment
                .extend(scene.agent.family.env.port.map(|name| (name, scene.other.port.to_string())));
            let project = scene.sandbox.project().display().to_string();
            scene.environment.extend(scene.agent.family.env.workspace_path.map(|name| (name, project)));
            scene.environment.extend(scene.agent.family.env.auth_token.map(|name| (name, "t".to_owned())));
            Ok(())
        }),
        ("an editor that is gone", |scene, editor, _| {
            scene.publish(editor, scene.here.port, scene.sandbox.project(), DEAD)
        }),
        ("two companions", |scene, editor, test| {
            scene.publish(editor, scene.here.port, scene.sandbox.project(), test)?;
            scene.publish(editor, scene.other.port, scene.sandbox.project(), test)
        }),
    ];
    let mut outcomes = Vec::new();
    for (name, stage) in situations {
        let mut scene = Scene::new(release).await?;
        // Below this test's shell, the agent takes the test's parent for the editor.
        let editor = alongside_agent::find::look_up(test).context("this process")?.parent;
        stage(&mut scene, editor, test)?;
        // The doctor first: some releases delete files that they reject.
        let (would, its_port, said) = scene.said().await?;
        let done = scene.done(&rig).await?;
        assert_eq!((would, its_port.filter(|_| would)), done, "{release}, {name}: {said:#}");
        outcomes.push(done.0);
    }
    let connected = outcomes.iter().filter(|connected| **connected).count();
    assert!(connected >= 3 && outcomes.len() - connected >= 3, "both happen: {outcomes:?}");
    Ok(())
}
