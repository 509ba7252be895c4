//! A companion in the list of `alongside status`, with its files and its answer, as text and as JSON.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use alongside_contract::discovery::{Record, WRITER, split_roots};
use alongside_desk::socket::{EditorProcess, Report};
use alongside_desk::{SharedFile, Status, harmless};
use alongside_host::companions::{self, Answer};
use serde_json::{Value, json};

use crate::commands::serving_companion;
use crate::line_mode::render;

/// A companion that has discovery files.
pub(super) struct FoundCompanion {
    pub(super) record: Record,
    pub(super) files: Vec<PathBuf>,
    pub(super) answer: Answer,
    /// Whether the companion runs in another network, so that no program here reaches its port.
    pub(super) is_unreachable: bool,
    /// Whether a root of the companion contains the current directory.
    pub(super) holds_here: bool,
    /// Whether `env`, `run` and `stdio` choose the companion here.
    pub(super) is_chosen: bool,
    /// The report of the host, if the companion runs in one.
    pub(super) host: Option<Report>,
}

impl FoundCompanion {
    /// Returns the status that the companion sent, if it is one of ours.
    pub(super) fn status(&self) -> Option<&Status> {
        match &self.answer {
            Answer::Given(status) => status.as_ref(),
            Answer::Silence | Answer::Nothing => None,
        }
    }

    pub(super) fn answers(&self) -> bool {
        matches!(self.answer, Answer::Given(_))
    }

    pub(super) fn serves_here(&self) -> bool {
        self.holds_here && self.answers()
    }

    /// Whether the companion would serve the current directory, but does not answer.
    pub(super) fn is_silent_here(&self) -> bool {
        self.holds_here && matches!(self.answer, Answer::Silence)
    }

    /// Whether the companion is ours and has one of these ports, but nothing listens there.
    pub(super) fn is_silent_at(&self, ports: &[u16]) -> bool {
        self.is_ours() && matches!(self.answer, Answer::Nothing) && ports.contains(&self.record.port)
    }

    /// Returns the process of a companion that does not answer.
    fn silent_pid(&self) -> Option<u32> {
        let roots: Vec<PathBuf> = self.roots().into_iter().map(PathBuf::from).collect();
        matches!(self.answer, Answer::Silence).then(|| alongside_host::process_of(&roots)).flatten()
    }

    fn is_ours(&self) -> bool {
        self.record.writer.as_deref() == Some(WRITER)
    }

    fn pid(&self) -> Option<u32> {
        let in_name = || self.files.iter().find_map(|path| companions::pid_in_name(path));
        let known = self.status().map(|status| status.pid).or_else(|| self.silent_pid());
        known.or(self.record.ppid).or_else(in_name)
    }

    fn roots(&self) -> Vec<String> {
        match self.status() {
            Some(status) => status.roots.iter().map(|root| root.to_string_lossy().into_owned()).collect(),
            None => split_roots(&self.record.workspace_path).map(str::to_owned).collect(),
        }
    }

    /// Returns the companion as text. `has_several_here`: whether several companions serve this directory.
    pub(super) fn text(&self, with_files: bool, with_token: bool, has_several_here: bool) -> String {
        let mut text = String::new();
        let pid = self.pid().map(|pid| format!(", process {pid}")).unwrap_or_default();
        let here = match (self.serves_here(), self.is_chosen && has_several_here) {
            (true, true) => " - serves this directory; env, run and stdio take this one",
            (true, false) => " - serves this directory",
            _ => "",
        };
        let roots: Vec<_> = self.roots().iter().map(|root| harmless::name(root).into_owned()).collect();
        let roots = if roots.is_empty() { "none".into() } else { roots.join(", ") };
        let name = harmless::name(companions::display_name(&self.record));
        // Writing to a String does not fail.
        let _ = writeln!(text, "{name}: port {}{pid}{here}\n  projects: {roots}", self.record.port);
        if let Some(status) = self.status() {
            let agents = render::agents(&status.agents);
            let paused = if status.paused { " (context is paused)" } else { "" };
            let _ = writeln!(text, "  agents: {agents}{paused}\n  reviews waiting: {}", status.reviews);
        }
        if let Some(report) = &self.host {
            text.push_str(&host_text(report));
        }
        if with_token {
            let token = self.record.auth_token.as_deref().unwrap_or("none");
            let _ = writeln!(text, "  token: {}", harmless::name(token));
        }
        match self.answer {
            Answer::Given(_) => {}
            Answer::Silence => {
                let hint = serving_companion::silence_hint(self.silent_pid());
                let _ = writeln!(text, "  it does not answer: {hint}");
            }
            Answer::Nothing if self.is_unreachable => text.push_str(
                "  it runs in another network namespace, as a container has one: from here nobody reaches \
                 its port; start agents there\n",
            ),
            Answer::Nothing => {
                let remedy = match self.is_ours() {
                    true => "the next companion removes them",
                    false => "delete them",
                };
                let _ = writeln!(text, "  no answer on this port: these files are stale; {remedy}");
            }
        }
        if with_files {
            for file in &self.files {
                let _ = writeln!(text, "  file: {}", harmless::path(file));
            }
        } else {
            let _ = writeln!(text, "  files: {} (--files lists them)", self.file_count());
        }
        text
    }

    /// Describes the number of files, and their directories.
    fn file_count(&self) -> String {
        let directories: BTreeSet<_> = self.files.iter().filter_map(|file| file.parent()).collect();
        let directories: Vec<_> = directories.into_iter().map(harmless::path).collect();
        format!("{} in {}", self.files.len(), directories.join(", "))
    }

    pub(super) fn json(&self, with_token: bool) -> Value {
        let mut json = json!({
            "name": companions::display_name(&self.record),
            "port": self.record.port,
            "roots": self.roots(),
            "servesHere": self.serves_here(),
            "taken": self.is_chosen,
            "answers": self.answers(),
            "alongside": self.is_ours(),
            "files": self.files,
        });
        if self.is_unreachable {
            json["otherNetwork"] = true.into();
        }
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
            let editor = |editor: &EditorProcess| json!({ "name": editor.display_name, "pid": editor.pid });
            json["editors"] = host.editors.iter().map(editor).collect();
            json["desks"] = host.status.desks.into();
            if let Some(left) = host.seconds_left {
                json["secondsLeft"] = left.into();
            }
            json["keptBy"] = json!(host.kept_by);
            json["context"] = json!(host.status.context);
        }
        if with_token && let Some(token) = &self.record.auth_token {
            json["token"] = token.as_str().into();
        }
        json
    }
}

/// Describes one of our hosts: its context, its editors and its desks.
fn host_text(report: &Report) -> String {
    let context = shared_context(&report.status.context);
    let context = context.map(|files| format!("  agents know: {files}\n")).unwrap_or_default();
    let editor = |editor: &EditorProcess| {
        format!("  editor: {}, process {}\n", harmless::name(&editor.display_name), editor.pid)
    };
    let editors: String = report.editors.iter().map(editor).collect();
    let (desks, host) = (report.status.desks, harmless::name(&report.name));
    let left = report.seconds_left;
    let left = left.map(|left| format!("  no desk is left; the companion waits {left} s more for one\n"));
    let names: Vec<_> = report.kept_by.iter().map(|name| harmless::name(name)).collect();
    let kept_by = if names.is_empty() { String::new() } else { format!("  kept by: {}\n", names.join(", ")) };
    let left = left.unwrap_or_default();
    format!("{context}{editors}  desks: {desks} (host {host})\n{kept_by}{left}")
}

/// Describes the files in the context on one line: the first one with its cursor, and the number of others.
fn shared_context(files: &[SharedFile]) -> Option<String> {
    let (first, others) = files.split_first()?;
    let cursor = first.cursor.map(|at| format!(":{}:{}", at.line + 1, at.character + 1)).unwrap_or_default();
    let selected = match first.selected {
        0 => String::new(),
        1 => ", 1 character selected".into(),
        many => format!(", {many} characters selected"),
    };
    let more = if others.is_empty() { String::new() } else { format!(", and {} more", others.len()) };
    Some(format!("{}{cursor}{selected}{more}", harmless::name(&first.path)))
}
