//! A desk beside the agent: opened in a pane of whichever terminal multiplexer we run in.

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;

use alongside_platform::terminal::columns;
use tokio::process::Command;

use crate::own_program::own_program;

/// Narrower than this, a pane is opened below and not beside.
const WIDE: u16 = 160;

/// What to do where no pane can be opened.
pub(super) const BY_HAND: &str =
    "to decide proposals change by change, start `alongside` in another terminal of this project";

/// What opens panes here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Multiplexer {
    Tmux,
    Zellij,
    Wezterm,
    Kitty,
}

impl Multiplexer {
    /// By the variables that each sets in its panes; the innermost is asked first.
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

    /// The command that opens a pane with `desk` in it. The keyboard stays with the agent where that can be
    /// asked for.
    fn command(self, dir: &Path, wide: bool, desk: &[OsString]) -> (&'static str, Vec<OsString>) {
        let os = |args: &[&str]| args.iter().map(OsString::from).collect::<Vec<_>>();
        let dir = || dir.as_os_str().to_owned();
        let (program, mut args) = match self {
            Self::Tmux => {
                let mut args = os(&["split-window", "-d", if wide { "-h" } else { "-v" }, "-c"]);
                args.push(dir());
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
                let mut args = os(&["@", "launch", "--keep-focus", "--location", location, "--cwd"]);
                args.push(dir());
                ("kitten", args)
            }
        };
        args.extend_from_slice(desk);
        (program, args)
    }
}

/// Opens the desk of `dir` in a pane that closes with this process. Otherwise says why not, and what to do.
///
/// # Errors
/// The sentence for the person.
pub(super) async fn open(dir: &Path) -> Result<(), String> {
    let here = Multiplexer::here(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    let here = here.ok_or_else(|| BY_HAND.to_owned())?;
    let until = std::process::id().to_string();
    let desk = [own_program().into(), "--until".into(), until.into(), dir.as_os_str().to_owned()];
    let (program, args) = here.command(dir, columns().is_some_and(|columns| columns >= WIDE), &desk);
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let failed = |why: String| {
        tracing::warn!(program, why, "cannot open a pane");
        format!("{} opened no pane for the desk ({why}); {BY_HAND}", here.name())
    };
    let output = command.output().await.map_err(|error| failed(format!("{program}: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(failed(said.lines().next().unwrap_or("it did not say why").to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(here: Multiplexer, wide: bool) -> String {
        let (program, args) = here.command(Path::new("/p"), wide, &["alongside".into(), "/p".into()]);
        let args: Vec<_> = args.iter().map(|arg| arg.to_str().unwrap()).collect();
        format!("{program} {}", args.join(" "))
    }

    #[test]
    fn each_is_asked_in_its_own_words() {
        assert_eq!(line(Multiplexer::Tmux, true), "tmux split-window -d -h -c /p alongside /p");
        assert_eq!(line(Multiplexer::Tmux, false), "tmux split-window -d -v -c /p alongside /p");
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
            "kitten @ launch --keep-focus --location vsplit --cwd /p alongside /p"
        );
    }

    #[test]
    fn the_innermost_one_is_asked() {
        let here = |names: &[&str]| Multiplexer::here(|name| names.contains(&name));
        assert_eq!(here(&[]), None);
        assert_eq!(here(&["KITTY_WINDOW_ID", "TMUX"]), Some(Multiplexer::Tmux));
        assert_eq!(here(&["WEZTERM_PANE"]), Some(Multiplexer::Wezterm));
    }
}
