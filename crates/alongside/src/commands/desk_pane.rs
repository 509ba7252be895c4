//! Opens the desk beside the agent, in a pane of the terminal multiplexer that we run in.

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;

use alongside_common::own_program::own_program;
use alongside_common::runtime_dirs;
use alongside_contract::agent::Agent;
use alongside_contract::agents::AGENTS;
use alongside_desk::without_error_codes;
use alongside_platform::terminal::columns;
use tokio::process::Command;

/// In a narrower terminal the pane opens below, not beside.
const MIN_COLUMNS_BESIDE: u16 = 160;

/// The hint where no pane can be opened.
pub(super) const OPEN_BY_HAND: &str =
    "to review proposed changes, start `alongside` in another terminal of this project";

/// kitty's option for the window to split, since kitty 0.40.
const NEXT_TO: &str = "--next-to";

/// A terminal multiplexer, which opens panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Multiplexer {
    Tmux,
    Zellij,
    Wezterm,
    Kitty,
}

impl Multiplexer {
    /// The multiplexer whose variable is set. tmux and zellij come first: they run inside the others.
    fn here(variable: impl Fn(&str) -> bool) -> Option<Self> {
        let known = [
            ("TMUX", Self::Tmux),
            ("ZELLIJ", Self::Zellij),
            ("WEZTERM_PANE", Self::Wezterm),
            ("KITTY_WINDOW_ID", Self::Kitty),
        ];
        known.into_iter().find(|(name, _)| variable(name)).map(|(_, here)| here)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Tmux => "tmux",
            Self::Zellij => "zellij",
            Self::Wezterm => "WezTerm",
            Self::Kitty => "kitty",
        }
    }

    /// The variable that names the pane of the agent, where the multiplexer has to be told which pane to
    /// split. By themselves, tmux and kitty split the one that the person looks at.
    fn pane_variable(self) -> Option<&'static str> {
        match self {
            Self::Tmux => Some("TMUX_PANE"),
            Self::Kitty => Some("KITTY_WINDOW_ID"),
            Self::Zellij | Self::Wezterm => None,
        }
    }

    /// The command that opens a pane with `desk` in it, beside `pane`. tmux and kitty leave the keyboard to
    /// the agent.
    fn command(
        self,
        dir: &Path,
        wide: bool,
        pane: Option<&str>,
        desk: &[OsString],
    ) -> (&'static str, Vec<OsString>) {
        let os = |args: &[&str]| args.iter().map(OsString::from).collect::<Vec<_>>();
        let dir = || dir.as_os_str().to_owned();
        let (program, mut args) = match self {
            Self::Tmux => {
                let mut args = os(&["split-window", "-d", if wide { "-h" } else { "-v" }]);
                args.extend(pane.into_iter().flat_map(|pane| ["-t".into(), pane.into()]));
                args.extend(["-c".into(), dir()]);
                ("tmux", args)
            }
            Self::Zellij => {
                let direction = if wide { "right" } else { "down" };
                let mut args = os(&["run", "--close-on-exit", "--direction", direction, "--cwd"]);
                args.push(dir());
                args.push("--".into());
                ("zellij", args)
            }
            Self::Wezterm => {
                let mut args = os(&["cli", "split-pane", if wide { "--right" } else { "--bottom" }, "--cwd"]);
                args.push(dir());
                args.push("--".into());
                ("wezterm", args)
            }
            Self::Kitty => {
                let location = if wide { "vsplit" } else { "hsplit" };
                let mut args = os(&["@", "launch", "--keep-focus", "--location", location]);
                // kitty ignores the window unless its tab is named, too.
                if let Some(pane) = pane {
                    let (tab, window) = (format!("window_id:{pane}"), format!("id:{pane}"));
                    args.extend(["--match".into(), tab.into(), NEXT_TO.into(), window.into()]);
                }
                args.extend(["--cwd".into(), dir()]);
                ("kitten", args)
            }
        };
        args.extend_from_slice(desk);
        (program, args)
    }
}

/// `env` with the variables that lead to our directories, to those of agents and to the person's editor. A
/// multiplexer that was started elsewhere has others, and the desk would join another companion.
fn environment(variables: impl Iterator<Item = (OsString, OsString)>) -> Vec<OsString> {
    let agents: Vec<&str> = AGENTS.iter().flat_map(Agent::directory_variables).collect();
    let leads = |name: &str| {
        matches!(name, "HOME" | "TMPDIR" | "PATH" | "VISUAL" | "EDITOR")
            || name.starts_with("XDG_")
            || name == runtime_dirs::VARIABLE
            || agents.contains(&name)
    };
    let leading = variables.filter(|(name, _)| name.to_str().is_some_and(leads));
    let mut command: Vec<OsString> = vec!["env".into()];
    command.extend(leading.map(|(name, value)| [name, value].join("=".as_ref())));
    command
}

/// The command of a desk that ends with a process, beside an agent.
fn desk_command(dir: &Path, until: u32, beside: Option<&Agent>) -> Vec<OsString> {
    let beside: Option<[OsString; 2]> = beside.map(|agent| ["--beside".into(), agent.id.into()]);
    let mut desk = vec![own_program().into(), "--until".into(), until.to_string().into()];
    desk.extend(beside.into_iter().flatten());
    desk.push(dir.as_os_str().to_owned());
    desk
}

/// Opens the desk of `dir` in a pane that closes with this process. `beside`: the agent that starts.
///
/// # Errors
/// A sentence for the person: why not, and what to do.
pub(super) async fn open(dir: &Path, beside: Option<&Agent>) -> Result<(), String> {
    let here = Multiplexer::here(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    let here = here.ok_or_else(|| OPEN_BY_HAND.to_owned())?;
    let mut desk = environment(std::env::vars_os());
    desk.extend(desk_command(dir, std::process::id(), beside));
    let wide = columns().is_some_and(|columns| columns >= MIN_COLUMNS_BESIDE);
    let pane = here.pane_variable().and_then(|name| std::env::var(name).ok());
    let pane = pane.as_deref().filter(|pane| !pane.is_empty());
    let (program, args) = here.command(dir, wide, pane, &desk);
    let mut opened = run(program, &args).await;
    if let Err(why) = &opened
        && why.contains(NEXT_TO)
    {
        // An older kitty splits the active window of the tab.
        opened = run(program, &without_option(args, NEXT_TO)).await;
    }
    opened.map_err(|why| {
        tracing::warn!(program, why, "cannot open a pane");
        let why = why.lines().next().unwrap_or("for no stated reason");
        format!("{} opened no pane for the desk ({why}); {OPEN_BY_HAND}", here.name())
    })
}

/// Runs a command of the multiplexer.
///
/// # Errors
/// Why not, in the words of the system or the multiplexer.
async fn run(program: &str, args: &[OsString]) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let output =
        command.output().await.map_err(|error| without_error_codes(&format!("{program}: {error}")))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// The arguments without an option and its value.
fn without_option(mut args: Vec<OsString>, option: &str) -> Vec<OsString> {
    if let Some(at) = args.iter().position(|arg| arg == option) {
        args.drain(at..args.len().min(at + 2));
    }
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(here: Multiplexer, wide: bool) -> String {
        let desk = ["alongside".into(), "/p".into()];
        let (program, args) = here.command(Path::new("/p"), wide, Some("7"), &desk);
        let args: Vec<_> = args.iter().map(|arg| arg.to_str().unwrap()).collect();
        format!("{program} {}", args.join(" "))
    }

    #[test]
    fn the_desk_gets_our_directories_and_no_secret() {
        let variables = [
            "HOME=/h",
            "XDG_STATE_HOME=/s",
            "ALONGSIDE_RUNTIME_DIR=/r",
            "QWEN_HOME=/q",
            "API_KEY=k",
            "TERM=x",
        ];
        let pairs = variables.map(|pair| pair.split_once('=').unwrap());
        let command = environment(pairs.into_iter().map(|(name, value)| (name.into(), value.into())));
        assert_eq!(
            command,
            ["env", "HOME=/h", "XDG_STATE_HOME=/s", "ALONGSIDE_RUNTIME_DIR=/r", "QWEN_HOME=/q"]
        );
    }

    #[test]
    fn each_multiplexer_has_its_own_command() {
        assert_eq!(line(Multiplexer::Tmux, true), "tmux split-window -d -h -t 7 -c /p alongside /p");
        assert_eq!(line(Multiplexer::Tmux, false), "tmux split-window -d -v -t 7 -c /p alongside /p");
        assert_eq!(
            line(Multiplexer::Zellij, true),
            "zellij run --close-on-exit --direction right --cwd /p -- alongside /p"
        );
        assert_eq!(
            line(Multiplexer::Wezterm, false),
            "wezterm cli split-pane --bottom --cwd /p -- alongside /p"
        );
        assert_eq!(
            line(Multiplexer::Kitty, true),
            "kitten @ launch --keep-focus --location vsplit --match window_id:7 --next-to id:7 --cwd /p \
             alongside /p"
        );
    }

    #[test]
    fn the_desk_is_told_which_agent_starts() {
        let of = |agent| desk_command(Path::new("/p"), 7, agent).split_off(1);
        assert_eq!(of(Agent::of_command("/bin/codex")), ["--until", "7", "--beside", "codex", "/p"]);
        assert_eq!(of(None), ["--until", "7", "/p"]);
    }

    #[test]
    fn innermost_multiplexer_opens_the_pane() {
        let here = |names: &[&str]| Multiplexer::here(|name| names.contains(&name));
        assert_eq!(here(&[]), None);
        assert_eq!(here(&["KITTY_WINDOW_ID", "TMUX"]), Some(Multiplexer::Tmux));
        assert_eq!(here(&["WEZTERM_PANE"]), Some(Multiplexer::Wezterm));
    }
}
