//! `alongside status`: lists the companions of this machine, and the one that serves this directory.

mod found_companion;

use std::path::PathBuf;
use std::process::ExitCode;

use alongside_agent::find::{self, LockSearch, Surroundings};
use alongside_common::failure;
use alongside_contract::agents::{discovery_files, with_family};
use alongside_contract::discovery::{Record, WRITER};
use alongside_desk::harmless;
use alongside_desk::socket::Report;
use alongside_host::companions::{self, Answer};
use alongside_platform::untrusted::Whose;
use futures_util::future::join_all;
use serde_json::json;

use super::{note, print, print_json, serving_companion, waiting_host};
use found_companion::FoundCompanion;

/// Show the companions of this machine, and which one serves this directory
///
/// Lists every companion that agents can find, also those of other programs, with its process, port,
/// projects, connected agents and waiting reviews. It also lists discovery files whose companion is gone.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 if a companion serves this directory, 1 if none does.")]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,

    /// List every discovery file of a companion (--json always does)
    #[arg(long)]
    files: bool,

    /// Print the tokens too: whoever has one can read your context and propose changes
    #[arg(long)]
    token: bool,
}

pub(crate) async fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let surroundings = companions::surroundings()?;
    let (found, hidden) = find_companions(&surroundings).await;
    let serves_here = found.iter().any(FoundCompanion::serves_here);
    if args.json {
        let companions: Vec<_> = found.iter().map(|companion| companion.json(args.token)).collect();
        print_json(&json!({ "servesHere": serves_here, "companions": companions, "hidden": hidden }))?;
    } else {
        let has_several_here = found.iter().filter(|companion| companion.serves_here()).count() > 1;
        let rival = rival_text(&surroundings, &found);
        let found = found.iter().map(|companion| companion.text(args.files, args.token, has_several_here));
        let texts: Vec<_> = found.chain(hidden.iter().map(hidden_host_text)).chain(rival).collect();
        print(&texts.join("\n"))?;
    }
    if serves_here {
        return Ok(ExitCode::SUCCESS);
    }
    let here = harmless::path(&surroundings.cwd);
    match found.iter().any(FoundCompanion::is_silent_here) {
        true => note(&format!("the companion that serves {here} does not answer")),
        false => failure::print(&serving_companion::unserved_error(&surroundings.cwd, &hidden)),
    }
    Ok(ExitCode::FAILURE)
}

/// Returns the companions that have discovery files, those of this directory first, and the hosts that have
/// none.
async fn find_companions(here: &Surroundings) -> (Vec<FoundCompanion>, Vec<Report>) {
    let queries = records(here).into_iter().map(|(record, files)| async {
        let answer = companions::ask(&record).await;
        let holds_here = find::holds(&record.workspace_path, &here.cwd);
        let paths = files.iter().map(PathBuf::as_path);
        let is_unreachable =
            matches!(answer, Answer::Nothing) && companions::is_in_other_network(&record, paths);
        FoundCompanion { record, files, answer, is_unreachable, holds_here, is_chosen: false, host: None }
    });
    let mut found = join_all(queries).await;
    for companion in &mut found {
        if companion.record.writer.as_deref() == Some(WRITER) {
            let port = companion.record.port;
            companion.files.extend(with_family().filter_map(|agent| find::lock_of(agent, port, here)));
            companion.files.dedup();
        }
    }
    if let Ok(chosen) = companions::find_serving(here).await {
        for companion in &mut found {
            companion.is_chosen = chosen.record.is_same_companion(&companion.record);
        }
    }
    let mut hidden = Vec::new();
    let reports = alongside_host::reports().await;
    let ports_elsewhere = companions::ports_of_other_networks(&reports).await;
    for companion in &mut found {
        companion.is_unreachable |= companion.is_silent_at(&ports_elsewhere);
    }
    for report in reports {
        let port = report.status.port;
        let is_of_report = |companion: &&mut FoundCompanion| {
            companion.status().is_some_and(|status| status.port == port)
                || companion.is_silent_at(&[port]) && companion.is_unreachable
        };
        match found.iter_mut().find(is_of_report) {
            Some(companion) => companion.host = Some(report),
            None => hidden.push(report),
        }
    }
    found.sort_by_key(|companion| (!companion.is_chosen, !companion.serves_here(), !companion.answers()));
    (found, hidden)
}

/// Returns the reason why Claude Code does not connect to our companion here by itself, if there is one.
fn rival_text(here: &Surroundings, found: &[FoundCompanion]) -> Option<String> {
    let ours = found.iter().find(|companion| companion.serves_here())?;
    let (claude, search) = with_family().find_map(|agent| Some((agent, find::locks(agent, here)?)))?;
    let LockSearch::Holding(locks) = search else { return None };
    let others = locks.iter().filter(|lock| lock.port != ours.record.port);
    let others: Vec<String> = others
        .map(|lock| format!("{} (port {})", harmless::name(&lock.content.ide_name), lock.port))
        .collect();
    let name = claude.display_name;
    // Other agents have lock files of the same name in other directories.
    let lock = find::lock_of(claude, ours.record.port, here);
    let has_lock = lock.is_some_and(|lock| ours.files.contains(&lock));
    let why = match (others.is_empty(), locks.is_empty()) {
        (false, _) => format!("{}: serves {name} here, too", others.join(" and ")),
        (true, true) if has_lock => {
            format!("{name} does not find alongside here: another companion serves a directory inside")
        }
        _ => return None,
    };
    Some(format!("{why}\n  to choose alongside: alongside run -- claude\n"))
}

/// Returns every discovery record, each with its files.
fn records(here: &Surroundings) -> Vec<(Record, Vec<PathBuf>)> {
    let mut records: Vec<(Record, Vec<PathBuf>)> =
        find::all_records(here).into_iter().map(|(path, record)| (record, vec![path])).collect();
    for row in discovery_files() {
        let directory = std::fs::read_dir(here.resolve(row.directory)).into_iter().flatten().flatten();
        let matching =
            directory.filter(|entry| entry.file_name().to_str().is_some_and(|name| row.matches(name)));
        let mut paths: Vec<_> = matching.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
        paths.sort();
        for path in paths {
            let Some(read) = companions::read_record(&path, Whose::Anybodys) else { continue };
            let is_same = |known: &&mut (Record, Vec<PathBuf>)| {
                known.0.is_same_companion(&read) && !known.1.contains(&path)
            };
            if let Some((_, files)) = records.iter_mut().find(is_same) {
                files.push(path);
            }
        }
    }
    records
}

/// Describes a host that agents do not find.
fn hidden_host_text(report: &Report) -> String {
    let roots: Vec<_> = report.status.roots.iter().map(|root| harmless::path(root)).collect();
    let why = match report.hidden {
        true => waiting_host::wait_words(report),
        false => "agents cannot find it: its discovery files are gone".into(),
    };
    let (name, pid) = (harmless::name(&report.name), report.status.pid);
    format!("host {name}: process {pid}\n  projects: {}\n  {why}\n", roots.join(", "))
}
