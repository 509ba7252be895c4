//! Pastes a text without Enter into the pane of an agent. Pastes only if the pane is certain and the agent is
//! its foreground process, because a shell would run the text.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::Write as _;
use std::process::{Command, Stdio};

use alongside_desk::{harmless, without_error_codes};
use alongside_platform::process;
use alongside_turns::RunningAgent;
use serde_json::Value;

/// The name of the paste buffer in tmux. The buffer is deleted after the paste.
const BUFFER: &str = "alongside";

/// A program with its arguments.
type CommandLine = (&'static str, Vec<String>);

/// The pane that the agent's variables name.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Pane {
    Tmux { socket: String, pane: String },
    Wezterm { pane: String },
    Kitty { listens_on: Option<String>, window: String },
}

impl Pane {
    /// Returns the innermost pane: tmux and zellij run inside the other multiplexers.
    ///
    /// # Errors
    /// If the pane is unknown: the reason, for a person.
    fn of(variables: &HashMap<OsString, OsString>) -> Result<Self, String> {
        let get = |name: &str| {
            let value = variables.get(&OsString::from(name))?.to_str()?;
            (!value.is_empty()).then(|| value.to_owned())
        };
        if let (Some(tmux), Some(pane)) = (get("TMUX"), get("TMUX_PANE")) {
            let socket = tmux.split(',').next().unwrap_or_default().to_owned();
            return Ok(Self::Tmux { socket, pane });
        }
        if get("ZELLIJ").is_some() {
            return Err("zellij does not tell in which pane a program runs".to_owned());
        }
        if let Some(pane) = get("WEZTERM_PANE") {
            return Ok(Self::Wezterm { pane });
        }
        let window = get("KITTY_WINDOW_ID").ok_or("it runs in no pane of tmux, WezTerm or kitty")?;
        Ok(Self::Kitty { listens_on: get("KITTY_LISTEN_ON"), window })
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Tmux { .. } => "tmux",
            Self::Wezterm { .. } => "WezTerm",
            Self::Kitty { .. } => "kitty",
        }
    }

    /// Returns the command that prints the terminal or the processes of the pane.
    fn query(&self) -> CommandLine {
        match self {
            Self::Tmux { socket, pane } => {
                ("tmux", owned(&["-S", socket, "display-message", "-p", "-t", pane, "#{pane_tty}"]))
            }
            Self::Wezterm { .. } => ("wezterm", owned(&["cli", "list", "--format", "json"])),
            Self::Kitty { window, .. } => {
                ("kitten", self.kitten(&["ls", "--match", &format!("id:{window}")]))
            }
        }
    }

    /// Whether the output of [`query`](Self::query) shows that this is the pane of an agent.
    fn has_agent(&self, agent: &ForegroundProcess, output: &str) -> bool {
        let tty = format!("/dev/{}", agent.tty);
        match self {
            Self::Tmux { .. } => output.trim() == tty,
            Self::Wezterm { pane } => {
                let panes: Vec<Value> = serde_json::from_str(output).unwrap_or_default();
                let id = |pane: &Value| pane["pane_id"].as_u64().map(|id| id.to_string());
                let listed = panes.iter().find(|listed| id(listed).as_ref() == Some(pane));
                listed.is_some_and(|listed| listed["tty_name"] == tty.as_str())
            }
            Self::Kitty { .. } => {
                let windows: Value = serde_json::from_str(output).unwrap_or_default();
                let array = |value: &Value, name: &str| value[name].as_array().cloned().unwrap_or_default();
                let windows = windows.as_array().cloned().unwrap_or_default();
                let windows = windows.iter().flat_map(|window| array(window, "tabs"));
                let windows: Vec<Value> = windows.flat_map(|tab| array(&tab, "windows")).collect();
                let mut processes = windows.iter().flat_map(|window| array(window, "foreground_processes"));
                windows.len() == 1
                    && processes.any(|process| process["pid"].as_u64() == Some(u64::from(agent.pid)))
            }
        }
    }

    /// Returns the commands that paste their standard input.
    fn paste_commands(&self) -> Vec<CommandLine> {
        match self {
            Self::Tmux { socket, pane } => vec![
                ("tmux", owned(&["-S", socket, "load-buffer", "-b", BUFFER, "-"])),
                ("tmux", owned(&["-S", socket, "paste-buffer", "-p", "-r", "-d", "-b", BUFFER, "-t", pane])),
            ],
            Self::Wezterm { pane } => vec![("wezterm", owned(&["cli", "send-text", "--pane-id", pane]))],
            Self::Kitty { window, .. } => {
                let window = format!("id:{window}");
                vec![(
                    "kitten",
                    self.kitten(&["send-text", "--match", &window, "--bracketed-paste", "auto", "--stdin"]),
                )]
            }
        }
    }

    /// Returns the arguments of `kitten` for the kitty of this pane.
    fn kitten(&self, rest: &[&str]) -> Vec<String> {
        let to = match self {
            Self::Kitty { listens_on: Some(to), .. } => vec!["--to".to_owned(), to.clone()],
            _ => Vec::new(),
        };
        ["@".to_owned()].into_iter().chain(to).chain(owned(rest)).collect()
    }
}

fn owned(args: &[&str]) -> Vec<String> {
    args.iter().map(|arg| (*arg).to_owned()).collect()
}

/// A process in the foreground process group of its terminal.
#[derive(Debug, PartialEq, Eq)]
struct ForegroundProcess {
    pid: u32,
    /// The terminal as `ps` names it, without `/dev`.
    tty: String,
}

impl ForegroundProcess {
    /// Parses the process group, the foreground process group and the terminal, as `ps` prints them. Returns
    /// `None` for a background process.
    fn parse(pid: u32, printed: &str) -> Option<Self> {
        let mut words = printed.split_whitespace();
        let (group, foreground, tty) = (words.next()?, words.next()?, words.next()?);
        (group == foreground && has_terminal(printed)).then(|| Self { pid, tty: tty.to_owned() })
    }

    /// Finds the foreground process of an agent: the process that starts its hooks, or if that has no
    /// terminal, the only process of its program in the project that has one. `ps` prints as for
    /// [`parse`](Self::parse).
    ///
    /// # Errors
    /// If there is no such process: the reason, for a person.
    fn find(agent: &RunningAgent, ps: impl Fn(u32) -> Result<String, String>) -> Result<Self, &'static str> {
        let ask = |pid: u32| Some((pid, ps(pid).ok().filter(|printed| has_terminal(printed))?));
        let others = || agent.others.iter().copied().filter_map(ask).collect();
        let found: Vec<_> = ask(agent.pid).map_or_else(others, |own| vec![own]);
        match &*found {
            [] => Err("it runs at no terminal of this project"),
            [(pid, printed)] => Self::parse(*pid, printed).ok_or("it is not at the front of its terminal"),
            _ => Err("several of it run in this project"),
        }
    }
}

/// Whether a process has a terminal, as `ps` prints it.
fn has_terminal(printed: &str) -> bool {
    printed.split_whitespace().nth(2).is_some_and(|tty| tty.chars().any(char::is_alphanumeric))
}

/// Pastes a text into the pane of an agent. Returns the name of the multiplexer. Blocks.
///
/// # Errors
/// If nothing is pasted: the reason, for a person.
pub(crate) fn paste(agent: &RunningAgent, text: &str) -> Result<&'static str, String> {
    let ps = |pid: u32| {
        run(&("ps", owned(&["-o", "pgid=", "-o", "tpgid=", "-o", "tty=", "-p", &pid.to_string()])), None)
    };
    let front = ForegroundProcess::find(agent, ps)?;
    let variables = process::environment(front.pid).ok_or("the system does not tell where it runs")?;
    let pane = Pane::of(&variables)?;
    if !pane.has_agent(&front, &run(&pane.query(), None)?) {
        return Err(format!("{} shows something else in its pane", pane.name()));
    }
    let text = clean(text);
    for command in pane.paste_commands() {
        run(&command, Some(&text))?;
    }
    Ok(pane.name())
}

/// Removes control characters, which could end the bracketed paste, and trailing whitespace, which could send
/// the text.
fn clean(text: &str) -> String {
    let kept: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    kept.trim_end().to_owned()
}

/// Runs a command with this standard input, and returns its standard output.
fn run((program, args): &CommandLine, input: Option<&str>) -> Result<String, String> {
    let error_text = |why: &str| {
        let why = without_error_codes(why.lines().next().unwrap_or("it failed"));
        format!("{program}: {}", harmless::name(&why))
    };
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error_text(&error.to_string()))?;
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
        // A command that reads no input may have ended.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output().map_err(|error| error_text(&error.to_string()))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(error_text(&String::from_utf8_lossy(&output.stderr))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(variables: &[(&str, &str)]) -> Result<Pane, String> {
        Pane::of(&variables.iter().map(|(name, value)| (name.into(), value.into())).collect())
    }

    fn lines(pane: &Pane) -> Vec<String> {
        let all = std::iter::once(pane.query()).chain(pane.paste_commands());
        all.map(|(program, args)| format!("{program} {}", args.join(" "))).collect()
    }

    #[test]
    fn each_multiplexer_has_its_own_commands() {
        let tmux = pane(&[("TMUX", "/s,1,0"), ("TMUX_PANE", "%3"), ("WEZTERM_PANE", "1")]).unwrap();
        let expected = [
            "tmux -S /s display-message -p -t %3 #{pane_tty}",
            "tmux -S /s load-buffer -b alongside -",
            "tmux -S /s paste-buffer -p -r -d -b alongside -t %3",
        ];
        assert_eq!(lines(&tmux), expected);
        let wezterm = pane(&[("WEZTERM_PANE", "7")]).unwrap();
        assert_eq!(lines(&wezterm), ["wezterm cli list --format json", "wezterm cli send-text --pane-id 7"]);
        let kitty = pane(&[("KITTY_WINDOW_ID", "4"), ("KITTY_LISTEN_ON", "unix:/k")]).unwrap();
        let expected = [
            "kitten @ --to unix:/k ls --match id:4",
            "kitten @ --to unix:/k send-text --match id:4 --bracketed-paste auto --stdin",
        ];
        assert_eq!(lines(&kitty), expected);
        assert!(pane(&[("ZELLIJ", "0"), ("KITTY_WINDOW_ID", "4")]).is_err() && pane(&[]).is_err());
    }

    #[test]
    fn only_the_foreground_process_of_that_pane_counts() {
        let front = ForegroundProcess::parse(12, " 12 12 pts/3\n").unwrap();
        assert_eq!(
            (
                ForegroundProcess::parse(12, "12 99 pts/3"),
                ForegroundProcess::parse(12, "12 -1 ?"),
                ForegroundProcess::parse(12, "")
            ),
            (None, None, None)
        );
        let tmux = Pane::Tmux { socket: "/s".into(), pane: "%3".into() };
        assert!(tmux.has_agent(&front, "/dev/pts/3\n") && !tmux.has_agent(&front, "/dev/pts/30\n"));
        let wezterm = Pane::Wezterm { pane: "7".into() };
        let listed = r#"[{"pane_id":6,"tty_name":"/dev/pts/3"},{"pane_id":7,"tty_name":"/dev/pts/4"}]"#;
        assert!(
            !wezterm.has_agent(&front, listed)
                && wezterm.has_agent(&front, &listed.replace("pts/4", "pts/3"))
        );
        let kitty = Pane::Kitty { listens_on: None, window: "4".into() };
        let listed = r#"[{"tabs":[{"windows":[{"id":4,"foreground_processes":[{"pid":12}]}]}]}]"#;
        assert!(kitty.has_agent(&front, listed) && !kitty.has_agent(&front, &listed.replace("12", "13")));
        assert!(!kitty.has_agent(&front, "nonsense"));
    }

    #[test]
    fn the_only_terminal_of_an_agent_is_used_if_hooks_have_none() {
        let found = |others: &[u32]| {
            let agent = RunningAgent { name: "Codex".into(), pid: 1, others: others.to_vec() };
            let ps = |pid| match pid {
                1 => Ok("49 -1 ?".to_owned()),
                2 => Ok("20 20 pts/0".to_owned()),
                3 => Ok("21 99 pts/1".to_owned()),
                4 => Ok("22 -1 ??".to_owned()),
                _ => Err("it has ended".to_owned()),
            };
            ForegroundProcess::find(&agent, ps)
        };
        assert_eq!(found(&[4, 2, 5]), Ok(ForegroundProcess { pid: 2, tty: "pts/0".into() }));
        assert_eq!(found(&[4, 5]), Err("it runs at no terminal of this project"));
        assert_eq!(found(&[3]), Err("it is not at the front of its terminal"));
        assert_eq!(found(&[2, 3]), Err("several of it run in this project"));
        // The process that starts the hooks counts if it has a terminal.
        let agent = RunningAgent { name: "Claude Code".into(), pid: 3, others: vec![2] };
        let ps = |pid| Ok(if pid == 3 { "21 21 pts/1" } else { "20 20 pts/0" }.to_owned());
        assert_eq!(
            ForegroundProcess::find(&agent, ps),
            Ok(ForegroundProcess { pid: 3, tty: "pts/1".into() })
        );
    }

    #[test]
    fn a_pasted_text_cannot_end_the_paste_or_send_itself() {
        assert_eq!(clean("a\u{1b}[201~\r\nb\u{9b}201~\n\n"), "a[201~\nb201~");
    }
}
