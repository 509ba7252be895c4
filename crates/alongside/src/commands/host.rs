//! `alongside host`.

use std::path::PathBuf;
use std::process::ExitCode;

use alongside_companion::PortHold;
use alongside_desk::socket::Owner;
use anyhow::Context;

use super::note;
use crate::failure::failure;
use crate::globals::Globals;
use crate::host::{self, Entry, Plan, Registry};

/// Stop the companion's process, or hand over to this version of the program
///
/// The companion of a project runs in a process of its own, the host, which desks start by themselves and
/// which ends after the last of them. You need this command after an update, when a desk says that the host
/// is older than itself, or to end a host whose desks are gone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  alongside host --replace          the host of this project becomes one of this version
  alongside host --stop 12345       end the host that is process 12345; what waits is rejected

Exit codes: 0; 1 after an error, also if there is no such host.")]
pub(crate) struct Args {
    /// Hand over to this version: same port and token, agents stay connected; what waits is rejected, edits
    /// go to drafts
    #[arg(long, conflicts_with = "stop")]
    replace: bool,

    /// End the host: what waits is rejected, edits go to drafts
    #[arg(long)]
    stop: bool,

    /// Which host, by name or process; that of the current directory if nothing is said
    #[arg(value_name = "HOST", conflicts_with = "serve")]
    host: Option<String>,

    /// Be a host of this name
    #[arg(long, value_name = "NAME", hide = true, requires = "starter")]
    serve: Option<String>,

    /// The process that starts this host
    #[arg(long, value_name = "PID", hide = true)]
    starter: Option<u32>,

    /// Standard input hands over a hold on the port of the host before
    #[arg(long, hide = true, requires = "serve")]
    holds_port: bool,

    /// The editor this host belongs to, as JSON
    #[arg(long, value_name = "JSON", hide = true)]
    owner: Option<String>,

    /// The projects of a host
    #[arg(last = true, hide = true)]
    roots: Vec<PathBuf>,
}

impl Args {
    /// Whether this is to be a host.
    pub(crate) fn serves(&self) -> bool {
        self.serve.is_some()
    }
}

pub(crate) async fn run(args: Args, globals: Globals) -> anyhow::Result<ExitCode> {
    if let (Some(name), Some(starter)) = (args.serve, args.starter) {
        let owner: Option<Owner> = args.owner.as_deref().map(serde_json::from_str).transpose()?;
        // Without it, agents have to connect again, and the host says so.
        let port_hold = args.holds_port.then(PortHold::from_stdin).and_then(Result::ok);
        host::serve(Plan { name, roots: args.roots, owner, starter, port_hold, globals }).await?;
        return Ok(ExitCode::SUCCESS);
    }
    if !args.stop && !args.replace {
        return Err(failure(
            "say what to do with the host",
            "--stop ends it, --replace hands over to this version; `alongside status` shows those there are",
        ));
    }
    let entry = chosen(args.host.as_deref())?;
    if args.stop {
        host::stop(&entry).await?;
        note(&format!("the host {} (process {}) has ended", entry.name, entry.pid));
    } else {
        host::replace(&entry).await?;
        note(&format!("the host {} is one of alongside {} now", entry.name, env!("CARGO_PKG_VERSION")));
    }
    Ok(ExitCode::SUCCESS)
}

fn chosen(named: Option<&str>) -> anyhow::Result<Entry> {
    let entries = Registry::open()?.entries();
    let here = std::env::current_dir().context("the current directory is gone")?;
    let is_it = |entry: &Entry| match named {
        Some(named) => entry.pid.to_string() == named || entry.name.starts_with(named),
        None => entry.serves(std::slice::from_ref(&here)),
    };
    entries.into_iter().find(is_it).ok_or_else(|| match named {
        Some(named) => {
            failure(format!("there is no host {named:?}"), "`alongside status` shows those there are")
        }
        None => failure(
            format!("no host serves {}", here.display()),
            "`alongside status` shows those there are; name one by its process",
        ),
    })
}
