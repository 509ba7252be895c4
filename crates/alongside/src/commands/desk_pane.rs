//! Opens the desk beside the agent, in a pane of the terminal multiplexer around this process.

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

/// The fewest columns of a terminal in which the pane opens beside the agent, and not below it.
const MIN_COLUMNS_BESIDE: u16 = 160;

/// The hint if no pane can be opened.
pub(super) const OPEN_BY_HAND: &str =
    "to review proposed changes, start `alongside` in another terminal of this project";

/// The option for the window to split, since kitty 0.40.
const NEXT_TO: &str = "--next-to";

/// A terminal multiplexer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Multiplexer {
    Tmux,
    Zellij,
    Wezterm,
    Kitty,
}

impl Multiplexer {
    /// Returns the multiplexer whose variable is set. tmux and zellij come first, because they run inside the
    /// others.
    fn detect(is_set: impl Fn(&str) -> bool) -> Option<Self> {
        let known = [
            ("TMUX", Self::Tmux),
            ("ZELLIJ", Self::Zellij),
            ("WEZTERM_PANE", Self::Wezterm),
            ("KITTY_WINDOW_ID", Self::Kitty),
        ];
        known.into_iter().find(|(name, _)| is_set(name)).map(|(_, multiplexer)| multiplexer)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Tmux => "tmux",
            Self::Zellij => "zellij",
            Self::Wezterm => "WezTerm",
            Self::Kitty => "kitty",
        }
    }

    /// Returns the variable with the agent's pane, if the multiplexer needs the pane to split. Without it,
    /// tmux and kitty split the active pane.
    fn pane_variable(self) -> Option<&'static str> {
        match self {
            Self::Tmux => Some("TMUX_PANE"),
            Self::Kitty => Some("KITTY_WINDOW_ID"),
            Self::Zellij | Self::Wezterm => None,
        }
    }

    /// Returns the command that opens a pane with `desk` beside `pane`. In tmux and kitty, the focus stays
    /// with the agent.
    fn command(
        self,
        dir: &Path,
        is_wide: bool,
        pane: Option<&str>,
        desk: &[OsString],
    ) -> (&'static str, Vec<OsString>) {
        let os = |args: &[&str]| args.iter().map(OsString::from).collect::<Vec<_>>();
        let dir = || dir.as_os_str().to_owned();
        let (program, mut args) = match self {
            Self::Tmux => {
                let mut args = os(&["split-window", "-d", if is_wide { "-h" } else { "-v" }]);
                args.extend(pane.into_iter().flat_map(|pane| ["-t".into(), pane.into()]));
                args.extend(["-c".into(), dir()]);
                ("tmux", args)
            }
            Self::Zellij => {
                let direction = if is_wide { "right" } else { "down" };
                let mut args = os(&["run", "--close-on-exit", "--direction", direction, "--cwd"]);
                args.push(dir());
                args.push("--".into());
                ("zellij", args)
            }
            Self::Wezterm => {
                let mut args =
                    os(&["cli", "split-pane", if is_wide { "--right" } else { "--bottom" }, "--cwd"]);
                args.push(dir());
                args.push("--".into());
                ("wezterm", args)
            }
            Self::Kitty => {
                let location = if is_wide { "vsplit" } else { "hsplit" };
                let mut args = os(&["@", "launch", "--keep-focus", "--location", location]);
                // kitty ignores the window unless its tab is also named.
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

/// Returns `env` with the variables of our directories, the agents' directories and the person's editor. A
/// multiplexer may have other values, with which the desk would join another companion.
fn environment(variables: impl Iterator<Item = (OsString, OsString)>) -> Vec<OsString> {
    let agents: Vec<&str> = AGENTS.iter().flat_map(Agent::directory_variables).collect();
    let is_needed = |name: &str| {
        matches!(name, "HOME" | "TMPDIR" | "PATH" | "VISUAL" | "EDITOR")
            || name.starts_with("XDG_")
            || name == runtime_dirs::VARIABLE
            || agents.contains(&name)
    };
    let needed = variables.filter(|(name, _)| name.to_str().is_some_and(is_needed));
    let mut command: Vec<OsString> = vec!["env".into()];
    command.extend(needed.map(|(name, value)| [name, value].join("=".as_ref())));
    command
}

/// Returns the command of a desk beside an agent that ends with a process.
fn desk_command(dir: &Path, until: u32, beside: Option<&Agent>) -> Vec<OsString> {
    let beside: Option<[OsString; 2]> = beside.map(|agent| ["--beside".into(), agent.id.into()]);
    let mut desk = vec![own_program().into(), "--until".into(), until.to_string().into()];
    desk.extend(beside.into_iter().flatten());
    desk.push(dir.as_os_str().to_owned());
    desk
}

/// Opens the desk of `dir` in a pane that closes with this process. `beside`: the starting agent.
///
/// # Errors
/// If no pane opens: the reason and the remedy, as a sentence for the person.
pub(super) async fn open(dir: &Path, beside: Option<&Agent>) -> Result<(), String> {
    let multiplexer =
        Multiplexer::detect(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    let multiplexer = multiplexer.ok_or_else(|| OPEN_BY_HAND.to_owned())?;
    let mut desk = environment(std::env::vars_os());
    desk.extend(desk_command(dir, std::process::id(), beside));
    let is_wide = columns().is_some_and(|columns| columns >= MIN_COLUMNS_BESIDE);
    let pane = multiplexer.pane_variable().and_then(|name| std::env::var(name).ok());
    let pane = pane.as_deref().filter(|pane| !pane.is_empty());
    let (program, args) = multiplexer.command(dir, is_wide, pane, &desk);
    let mut result = run(program, &args).await;
    if let Err(why) = &result
        && why.contains(NEXT_TO)
    {
        // An older kitty splits the active window of the tab.
        result = run(program, &without_option(args, NEXT_TO)).await;
    }
    result.map_err(|why| {
        tracing::warn!(program, why, "cannot open a pane");
        let why = why.lines().next().unwrap_or("for no stated reason");
        format!("{} opened no pane for the desk ({why}); {OPEN_BY_HAND}", multiplexer.name())
    })
}

/// Runs a command of the multiplexer.
///
/// # Errors
/// If the command cannot start or fails: the error of the system, or of the multiplexer.
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

/// Removes an option and its value from arguments.
fn without_option(mut args: Vec<OsString>, option: &str) -> Vec<OsString> {
    if let Some(at) = args.iter().position(|arg| arg == option) {
        args.drain(at..args.len().min(at + 2));
    }
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(multiplexer: Multiplexer, is_wide: bool) -> String {
        let desk = ["alongside".into(), "/p".into()];
        let (program, args) = multiplexer.command(Path::new("/p"), is_wide, Some("7"), &desk);
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
    fn the_command_of_the_desk_names_the_agent() {
        let arguments = |agent| desk_command(Path::new("/p"), 7, agent).split_off(1);
        assert_eq!(arguments(Agent::of_command("/bin/codex")), ["--until", "7", "--beside", "codex", "/p"]);
        assert_eq!(arguments(None), ["--until", "7", "/p"]);
    }

    #[test]
    fn the_innermost_multiplexer_opens_the_pane() {
        let detect = |names: &[&str]| Multiplexer::detect(|name| names.contains(&name));
        assert_eq!(detect(&[]), None);
        assert_eq!(detect(&["KITTY_WINDOW_ID", "TMUX"]), Some(Multiplexer::Tmux));
        assert_eq!(detect(&["WEZTERM_PANE"]), Some(Multiplexer::Wezterm));
    }
}
