//! `alongside doctor` predicts correctly which companion a release chooses in every situation. The companions
//! are minimal and count requests, which shows the agent's choice.

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
const DEAD_PID: u32 = 99_999_999;

/// A minimal companion that accepts one token, offers both tools, and counts the requests for the list of
/// tools.
struct MinimalCompanion {
    port: u16,
    requests: Arc<AtomicUsize>,
}

impl MinimalCompanion {
    async fn start() -> Result<Self> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let requests = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&requests);
        let post = axum::routing::post(move |headers: HeaderMap, body: String| async move {
            answer(&headers, &body, &counter)
        });
        let router = axum::Router::new().route("/mcp", post);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { port, requests })
    }
}

fn answer(headers: &HeaderMap, body: &str, requests: &AtomicUsize) -> Response {
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
            requests.fetch_add(1, Ordering::SeqCst);
            let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
            json!({ "tools": [tool("openDiff"), tool("closeDiff")] })
        }
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    let reply = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string();
    ([("content-type", "application/json")], reply).into_response()
}

/// Creates a situation. The numbers are the process that the agent takes for the editor, and another running
/// one.
type Setup = fn(&mut Scene, u32, u32) -> Result<()>;

/// The situation, which is the same for the agent and the doctor.
struct Scene {
    sandbox: Sandbox,
    agent: FamilyAgent,
    release: Release,
    /// The companion of the project.
    here: MinimalCompanion,
    other: MinimalCompanion,
    /// A port on which no program listens.
    dead: u16,
    environment: Vec<(&'static str, String)>,
}

impl Scene {
    async fn new(release: Release) -> Result<Self> {
        let sandbox = Sandbox::new();
        let id = release.agent.command();
        let agent = FamilyAgent::named(id).context("the table has no such agent")?;
        let settings = json!({ "ide": { "enabled": true }, "tools": { "approvalMode": "default" },
            "security": { "folderTrust": { "enabled": false } } });
        sandbox.write_home(format!(".{id}/settings.json"), settings.to_string());
        let dead = tokio::net::TcpListener::bind("127.0.0.1:0").await?.local_addr()?.port();
        let (here, other) = (MinimalCompanion::start().await?, MinimalCompanion::start().await?);
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

    /// Writes a discovery file to every directory in which the family's agents search.
    fn publish(&self, pid: u32, port: u16, workspace: PathBuf, ppid: u32) -> Result<()> {
        let record = json!({ "port": port, "workspacePath": workspace, "authToken": "t", "ppid": ppid,
            "ideInfo": { "name": "small", "displayName": "Small" }, "ideName": "Small" });
        for row in self.agent.family.discovery_files() {
            let directory = self.surroundings().resolve(row.directory);
            self.sandbox.write(directory.join(row.file_name(pid, port)), record.to_string());
        }
        Ok(())
    }

    /// Runs the doctor. Returns its prediction, whether the agent connects and to which port, and its whole
    /// report.
    async fn prediction(&self) -> Result<(bool, Option<u16>, Value)> {
        let command = self.agent.commands.first().context("the agent has no command")?;
        let package = self.sandbox.home().join("node_modules").join(self.agent.packages[0]);
        let name = json!({ "name": self.agent.packages[0], "version": self.release.version });
        self.sandbox.write(package.join("package.json"), name.to_string());
        let program = package.join(command);
        std::fs::write(&program, "#!/bin/sh\n")?;
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;

        // The doctor runs as a child of a shell, as the agent does.
        let mut doctor = self.sandbox.command("bash");
        let path = format!("{}:/usr/bin:/bin", package.display());
        doctor.args(["-c", r#""$@"; exit $?"#, "bash"]).arg(alongside_bin()?);
        doctor.args(["doctor", self.agent.id, "--json", "--container", "no"]);
        doctor.envs(self.environment.iter().map(|(name, value)| (name, value))).env("PATH", path);
        let output = doctor.output().await?;
        let report: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
        let agent = &report["agents"][0];
        ensure!(agent["version"] == self.release.version, "{report:#}");
        let port = agent["port"].as_u64().and_then(|port| u16::try_from(port).ok());
        Ok((agent["wouldConnect"] == true, port, report))
    }

    /// Starts the agent. Returns whether it connects, and the port that it has chosen.
    async fn choice(&self, rig: &Rig) -> Result<(bool, Option<u16>)> {
        for companion in [&self.here, &self.other] {
            companion.requests.store(0, Ordering::SeqCst);
        }
        let environment: Vec<(&str, &str)> =
            self.environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let agent = RealClient::start_with(rig, &self.sandbox, self.release, &environment).await?;
        let connected = agent.connect().await.is_ok();
        let is_chosen = |companion: &&&MinimalCompanion| companion.requests.load(Ordering::SeqCst) > 0;
        let port = [&self.here, &self.other].iter().find(is_chosen).map(|companion| companion.port);
        Ok((connected, port))
    }
}

pub(crate) async fn does_what_the_doctor_says((rig, release): (Rig, Release)) -> Result<()> {
    let test = std::process::id();
    let situations: [(&str, Setup); 11] = [
        ("nothing is there", |_, _, _| Ok(())),
        ("in the directory", |scene, editor, test| {
            scene.publish(editor, scene.here.port, scene.sandbox.project(), test)
        }),
        ("below the directory", |scene, editor, test| {
            let above =
                scene.sandbox.project().parent().context("the project has no parent directory")?.to_owned();
            scene.publish(editor, scene.here.port, above, test)
        }),
        ("in another directory", |scene, editor, test| {
            scene.publish(editor, scene.here.port, scene.sandbox.home(), test)
        }),
        ("under another process", |scene, _, test| {
            scene.publish(test, scene.here.port, scene.sandbox.project(), test)
        }),
        ("a stale file beside", |scene, editor, test| {
            scene.publish(DEAD_PID, scene.dead, scene.sandbox.project(), DEAD_PID)?;
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
            scene.publish(editor, scene.here.port, scene.sandbox.project(), DEAD_PID)
        }),
        ("two companions", |scene, editor, test| {
            scene.publish(editor, scene.here.port, scene.sandbox.project(), test)?;
            scene.publish(editor, scene.other.port, scene.sandbox.project(), test)
        }),
    ];
    let mut outcomes = Vec::new();
    for (name, set_up) in situations {
        let mut scene = Scene::new(release).await?;
        // The agent runs in a shell below this test, and takes the test's parent for the editor.
        let editor =
            alongside_agent::find::look_up(test).context("the process of the test was not found")?.parent;
        set_up(&mut scene, editor, test)?;
        // The doctor runs first, because some releases delete files that they reject.
        let (would_connect, predicted_port, report) = scene.prediction().await?;
        let choice = scene.choice(&rig).await?;
        let prediction = (would_connect, predicted_port.filter(|_| would_connect));
        assert_eq!(prediction, choice, "{release}, {name}: {report:#}");
        outcomes.push(choice.0);
    }
    let connected = outcomes.iter().filter(|connected| **connected).count();
    assert!(connected >= 3 && outcomes.len() - connected >= 3, "both happen: {outcomes:?}");
    Ok(())
}
