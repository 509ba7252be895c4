//! `alongside host`: stops or replaces a host; with hidden options, runs as a host.

use std::path::PathBuf;
use std::process::ExitCode;

use alongside_common::failure::failure;
use alongside_common::globals::Globals;
use alongside_companion::PortHold;
use alongside_desk::socket::EditorProcess;
use alongside_host::{Entry, Plan, Registry, StartLock, host_named, host_of};
use anyhow::Context;

use super::note;

/// Stop a companion's process, or replace it by this version of the program
///
/// The companion of a project runs in a process of its own, the host. Desks start it, and it ends after the
/// last of them. You need this command after an update, when a desk reports that the host is older, or to end
/// a host whose desks are gone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  alongside host --replace          replace the host of this project by this version
  alongside host --stop 12345       stop the host that is process 12345; it rejects waiting reviews

Exit codes: 0; 1 after an error, also if there is no such host.")]
pub(crate) struct Args {
    /// Replace the host by this version: port, token and agents stay; waiting reviews are rejected, and edits
    /// become drafts
    #[arg(long, conflicts_with = "stop")]
    replace: bool,

    /// Stop the host: waiting reviews are rejected, and edits become drafts
    #[arg(long)]
    stop: bool,

    /// The process ID or the beginning of the name [default: the host of the current directory]
    #[arg(value_name = "HOST", conflicts_with = "serve")]
    host: Option<String>,

    /// Run as the host of this name
    #[arg(long, value_name = "NAME", hide = true, requires = "starter")]
    serve: Option<String>,

    /// The process that starts this host
    #[arg(long, value_name = "PID", hide = true)]
    starter: Option<u32>,

    /// Standard input is a socket that holds the previous host's port
    #[arg(long, hide = true, requires = "serve")]
    holds_port: bool,

    /// Standard error is the lock of the process that starts this host
    #[arg(long, hide = true, requires = "serve")]
    holds_lock: bool,

    /// An editor of this host, as JSON
    #[arg(long = "editor", value_name = "JSON", hide = true)]
    editors: Vec<String>,

    /// A desk without an editor, or a keeper, as JSON
    #[arg(long = "party", value_name = "JSON", hide = true)]
    parties: Vec<String>,

    /// The projects of this host
    #[arg(last = true, hide = true)]
    roots: Vec<PathBuf>,
}

impl Args {
    /// Whether this process runs as a host.
    pub(crate) fn serves(&self) -> bool {
        self.serve.is_some()
    }
}

pub(crate) async fn run(args: Args, globals: Globals) -> anyhow::Result<ExitCode> {
    if let (Some(name), Some(starter)) = (args.serve, args.starter) {
        let editors = args.editors.iter().map(|editor| serde_json::from_str::<EditorProcess>(editor));
        let editors = editors.collect::<Result<_, _>>()?;
        let parties = args.parties.iter().map(|party| serde_json::from_str(party));
        let parties = parties.collect::<Result<_, _>>()?;
        // If the socket cannot be taken over, agents have to reconnect, and the host reports it.
        let port_hold = args.holds_port.then(PortHold::from_stdin).and_then(Result::ok);
        let start_lock = args.holds_lock.then(StartLock::from_stderr).and_then(Result::ok);
        let roots = args.roots;
        let plan = Plan { name, roots, editors, parties, starter, port_hold, start_lock, globals };
        alongside_host::serve(plan).await?;
        return Ok(ExitCode::SUCCESS);
    }
    if !args.stop && !args.replace {
        return Err(failure(
            "nothing to do: neither --stop nor --replace is given",
            "use --stop to end the host, or --replace to replace it by this version; `alongside status` \
             lists hosts",
        ));
    }
    let entry = find_host(args.host.as_deref())?;
    if args.stop {
        alongside_host::stop(&entry).await?;
        note(&format!("stopped the host {} (process {})", entry.name, entry.pid));
    } else {
        alongside_host::replace(&entry).await?;
        note(&format!("the host {} now runs alongside {}", entry.name, env!("CARGO_PKG_VERSION")));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the host that the person named, or without a name the host of the current directory.
fn find_host(choice: Option<&str>) -> anyhow::Result<Entry> {
    let entries = Registry::of_this_process().entries();
    match choice {
        Some(choice) => host_named(choice, entries),
        None => host_of(&std::env::current_dir().context("the current directory is gone")?, entries),
    }
}
