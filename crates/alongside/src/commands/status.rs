//! `alongside status`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use alongside_agent::find::{self, Surroundings};
use alongside_contract::discovery::{Record, WRITER, split_roots};
use alongside_contract::family::FAMILIES;
use alongside_desk::socket::Report;
use alongside_desk::{SharedFile, Status};
use alongside_platform::untrusted::{self, Whose};
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::serving::{self, Answer};
use crate::host;
use alongside_desk::harmless;

/// A record is a few hundred bytes; whatever is larger than this is something else.
const MAX_RECORD: u64 = 1 << 20;

/// Show the companions of this machine, and which one serves this directory
///
/// Lists every companion that agents could find, those of other programs too: its process, port, projects,
/// connected agents and waiting reviews. Files whose companion is gone are pointed out.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 if a companion serves this directory, 1 if none does.")]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,

    /// List every file that leads to a companion (--json always does)
    #[arg(long)]
    files: bool,

    /// Print the tokens too: whoever has one can read your context and propose changes
    #[arg(long)]
    token: bool,
}

/// A companion as its files and its own answer show it.
struct Shown {
    record: Record,
    files: Vec<PathBuf>,
    answer: Answer,
    /// Whether the current directory is one of its.
    here: bool,
    /// Whether it is the one that `env`, `run` and `stdio` take here.
    taken: bool,
    /// What its host says, if it runs in one.
    host: Option<Report>,
}

pub(crate) async fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let surroundings = serving::surroundings()?;
    let mut shown = join_all(records(&surroundings).into_iter().map(|(record, files)| async {
        let answer = serving::ask(&record).await;
        Shown {
            here: find::holds(&record.workspace_path, &surroundings.cwd),
            answer,
            taken: false,
            host: None,
            record,
            files,
        }
    }))
    .await;
    let taken = serving::here(&surroundings).await;
    for shown in &mut shown {
        shown.taken = taken.as_ref().is_some_and(|taken| taken.record.is_same_companion(&shown.record));
    }
    let mut hidden = Vec::new();
    for report in host::reports().await {
        match shown.iter_mut().find(|shown| shown.status().is_some_and(|it| it.port == report.status.port)) {
            Some(shown) => shown.host = Some(report),
            None => hidden.push(report),
        }
    }
    shown.sort_by_key(|shown| (!shown.taken, !shown.serves_here(), !shown.answers()));
    let several = shown.iter().filter(|shown| shown.serves_here()).count() > 1;
    let any_here = shown.iter().any(Shown::serves_here);
    let is_silent = shown.iter().any(|shown| shown.here && matches!(shown.answer, Answer::Silence));
    if args.json {
        let companions: Vec<_> = shown.iter().map(|shown| shown.json(args.token)).collect();
        let line = json!({ "servesHere": any_here, "companions": companions, "hidden": hidden }).to_string();
        super::print(&format!("{}\n", harmless::json(&line)))?;
    } else {
        let shown = shown.iter().map(|shown| shown.lines(args, several));
        let shown: Vec<_> = shown.chain(hidden.iter().map(out_of_sight)).collect();
        super::print(&shown.join("\n"))?;
    }
    if any_here {
        return Ok(ExitCode::SUCCESS);
    }
    let here = surroundings.cwd.display();
    super::note(&if is_silent {
        format!("the companion that serves {here} does not answer")
    } else {
        format!("no companion serves {here}; start one with `alongside` in another terminal of this project")
    });
    Ok(ExitCode::FAILURE)
}

/// Every record and the files that hold it.
fn records(here: &Surroundings) -> Vec<(Record, Vec<PathBuf>)> {
    let mut records: Vec<(Record, Vec<PathBuf>)> =
        find::all_records(here).into_iter().map(|(path, record)| (record, vec![path])).collect();
    for row in FAMILIES.iter().flat_map(|family| family.files) {
        let directory = std::fs::read_dir(here.resolve(row.directory)).into_iter().flatten().flatten();
        let names =
            directory.filter(|entry| entry.file_name().to_str().is_some_and(|name| row.matches(name)));
        let mut paths: Vec<_> = names.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
        paths.sort();
        for path in paths {
            let json = untrusted::read(&path, MAX_RECORD, Whose::Anybodys).ok();
            let read = json.and_then(|json| serde_json::from_slice::<Record>(&json).ok());
            let Some(found) = read else { continue };
            let same = |known: &&mut (Record, Vec<PathBuf>)| {
                known.0.is_same_companion(&found) && !known.1.contains(&path)
            };
            if let Some((_, files)) = records.iter_mut().find(same) {
                files.push(path);
            }
        }
    }
    records
}

/// A host that agents do not find.
fn out_of_sight(report: &Report) -> String {
    let roots: Vec<_> = report.status.roots.iter().map(|root| harmless::path(root)).collect();
    let why = match (&report.owner, report.hidden) {
        (Some(owner), true) => format!("{} is gone, and waited for", harmless::name(&owner.display_name)),
        _ => "agents cannot find it: its files are not there".into(),
    };
    format!(
        "host {}: process {}\n  projects: {}\n  {why}\n",
        harmless::name(&report.name),
        report.status.pid,
        roots.join(", ")
    )
}

impl Shown {
    /// What it says of itself, if it is one of ours.
    fn status(&self) -> Option<&Status> {
        match &self.answer {
            Answer::Given(status) => status.as_ref(),
            Answer::Silence | Answer::Nothing => None,
        }
    }

    fn answers(&self) -> bool {
        matches!(self.answer, Answer::Given(_))
    }

    fn serves_here(&self) -> bool {
        self.here && self.answers()
    }

    /// The process that says nothing.
    fn silent_pid(&self) -> Option<u32> {
        let roots: Vec<PathBuf> = self.roots().into_iter().map(PathBuf::from).collect();
        matches!(self.answer, Answer::Silence).then(|| host::process_of(&roots)).flatten()
    }

    fn is_ours(&self) -> bool {
        self.record.writer.as_deref() == Some(WRITER)
    }

    fn name(&self) -> &str {
        let given = self.record.ide_info.as_ref().map(|info| info.display_name.as_str());
        given.or(self.record.ide_name.as_deref()).unwrap_or("a companion without a name")
    }

    fn pid(&self) -> Option<u32> {
        let named = || self.files.iter().find_map(|path| serving::pid_in_name(path));
        let known = self.status().map(|status| status.pid).or_else(|| self.silent_pid());
        known.or(self.record.ppid).or_else(named)
    }

    fn roots(&self) -> Vec<String> {
        match self.status() {
            Some(status) => status.roots.iter().map(|root| root.to_string_lossy().into_owned()).collect(),
            None => split_roots(&self.record.workspace_path).map(str::to_owned).collect(),
        }
    }

    /// `several` is whether more than one serves this directory.
    fn lines(&self, args: &Args, several: bool) -> String {
        let mut text = String::new();
        let pid = self.pid().map(|pid| format!(", process {pid}")).unwrap_or_default();
        let here = match (self.serves_here(), self.taken && several) {
            (true, true) => " - serves this directory; env, run and stdio take this one",
            (true, false) => " - serves this directory",
            _ => "",
        };
        // Writing to a String does not fail.
        let _ = writeln!(text, "{}: port {}{pid}{here}", harmless::name(self.name()), self.record.port);
        let roots: Vec<_> = self.roots().iter().map(|root| harmless::name(root).into_owned()).collect();
        let _ =
            writeln!(text, "  projects: {}", if roots.is_empty() { "none".into() } else { roots.join(", ") });
        if let Some(status) = self.status() {
            let agents = crate::line::render::agents(&status.agents);
            let paused = if status.paused { " (context is paused)" } else { "" };
            let _ = writeln!(text, "  agents: {agents}{paused}\n  reviews waiting: {}", status.reviews);
        }
        if let Some(report) = &self.host {
            if let Some(told) = told(&report.status.context) {
                let _ = writeln!(text, "  agents are told: {told}");
            }
            if let Some(owner) = &report.owner {
                let _ = writeln!(
                    text,
                    "  editor: {}, process {}",
                    harmless::name(&owner.display_name),
                    owner.pid
                );
            }
            let _ =
                writeln!(text, "  desks: {} (host {})", report.status.desks, harmless::name(&report.name));
        }
        if args.token {
            let token = self.record.auth_token.as_deref().unwrap_or("none");
            let _ = writeln!(text, "  token: {}", harmless::name(token));
        }
        match self.answer {
            Answer::Given(_) => {}
            Answer::Silence => {
                let _ = writeln!(text, "  it does not answer: {}", serving::silence(self.silent_pid()));
            }
            Answer::Nothing => {
                let what = if self.is_ours() {
                    "they go away when the next companion starts"
                } else {
                    "delete them"
                };
                let _ = writeln!(text, "  nothing answers at this port: these files are stale; {what}");
            }
        }
        if args.files {
            for file in &self.files {
                let _ = writeln!(text, "  file: {}", harmless::path(file));
            }
        } else {
            let _ = writeln!(text, "  files: {}, each listed with --files", self.directories());
        }
        text
    }

    /// How many files there are, and where.
    fn directories(&self) -> String {
        let directories: BTreeSet<_> = self.files.iter().filter_map(|file| file.parent()).collect();
        let directories: Vec<_> = directories.into_iter().map(harmless::path).collect();
        format!("{} in {}", self.files.len(), directories.join(", "))
    }

    fn json(&self, with_token: bool) -> Value {
        let mut json = json!({
            "name": self.name(),
            "port": self.record.port,
            "roots": self.roots(),
            "servesHere": self.serves_here(),
            "taken": self.taken,
            "answers": self.answers(),
            "alongside": self.is_ours(),
            "files": self.files,
        });
        if let Some(pid) = self.pid() {
            json["pid"] = pid.into();
        }
        if let Some(status) = self.status() {
            json["agents"] = json!(status.agents);
            json["reviews"] = status.reviews.into();
            json["paused"] = status.paused.into();
        }
        if let Some(host) = &self.host {
            json["host"] = host.name.as_str().into();
            if let Some(owner) = &host.owner {
                json["editor"] = json!({ "name": owner.display_name, "pid": owner.pid });
            }
            json["desks"] = host.status.desks.into();
            json["context"] = json!(host.status.context);
        }
        if with_token && let Some(token) = &self.record.auth_token {
            json["token"] = token.as_str().into();
        }
        json
    }
}

/// What agents are told about the person's files, in a line; nothing if they are told nothing.
fn told(context: &[SharedFile]) -> Option<String> {
    let (first, others) = context.split_first()?;
    let place = first.cursor.map(|at| format!(":{}:{}", at.line + 1, at.character + 1)).unwrap_or_default();
    let selected = if first.selected > 0 { format!(", {} selected", first.selected) } else { String::new() };
    let more = if others.is_empty() { String::new() } else { format!(", and {} more", others.len()) };
    Some(format!("{}{place}{selected}{more}", harmless::name(&first.path)))
}
