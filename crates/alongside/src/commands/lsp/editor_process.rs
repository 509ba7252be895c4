//! Finds the process that agents take for the editor, and the editor's name. An editor reports the process of
//! its language client, which need not be an ancestor of the editor's terminals.

use alongside_desk::socket::EditorProcess;
use alongside_lsp::Client;
use alongside_lsp::editors;
use alongside_platform::process::{self, Process, is_alive, look_up};

/// Returns the editor of a client. `pid`: the person's choice, which takes precedence.
pub(super) fn of(client: &Client, pid: Option<u32>) -> EditorProcess {
    let row = client.kind;
    let editor_pid = pid.or_else(|| {
        let reported = client.process_id.filter(|pid| is_alive(*pid)).unwrap_or_else(parent);
        editor_process(row.process, reported, look_up, session())
    });
    let own = EditorProcess { pid: editor_pid.unwrap_or_else(parent), ..without_pid(client) };
    match &client.named_editor {
        Some(named) => EditorProcess { pid: pid.unwrap_or(named.pid), ..named.clone() },
        None => own,
    }
}

/// Returns the process that agents take for the editor. `reported`: the process that the editor reports.
fn editor_process(
    which: editors::Process,
    reported: u32,
    look_up: impl Fn(u32) -> Option<Process>,
    session: Option<u32>,
) -> Option<u32> {
    let above = |pid: u32| look_up(pid).map(|process| process.parent).filter(|parent| *parent > 1);
    let is_embedded = |pid: u32| {
        look_up(pid).is_some_and(|process| process.arguments.iter().any(|argument| argument == "--embed"))
    };
    // The embedded process is a child of the interface.
    let interface = |pid: u32| if is_embedded(pid) { above(pid).unwrap_or(pid) } else { pid };
    Some(match which {
        editors::Process::Itself => reported,
        editors::Process::ParentIfEmbedded => interface(reported),
        // A plugin's process is a child of Neovim's embedded process.
        editors::Process::Parent => interface(above(reported).unwrap_or(reported)),
        editors::Process::Session => session.unwrap_or(reported),
    })
}

/// Returns the process in the name of Kakoune's session.
fn session() -> Option<u32> {
    let session = std::env::var("kak_session").ok()?;
    session.parse().ok().filter(|pid| is_alive(*pid))
}

/// Returns the process that started this one, or this one if it is unknown.
fn parent() -> u32 {
    process::parent().unwrap_or_else(std::process::id)
}

/// Returns the editor by its name, with process 0.
fn without_pid(client: &Client) -> EditorProcess {
    let (name, display_name) = match (client.kind.name, client.name.trim()) {
        ("", "") => ("editor".to_owned(), "Editor".to_owned()),
        ("", name) => (identifier(name), name.to_owned()),
        (name, _) => (name.to_owned(), client.kind.display_name.to_owned()),
    };
    EditorProcess { pid: 0, name, display_name, window: None }
}

/// Converts a name into the form that agents accept: lower case, with hyphens.
fn identifier(name: &str) -> String {
    let words: Vec<_> = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.is_empty() { "editor".to_owned() } else { words.join("-").to_lowercase() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a process of this chain: terminal 5 → interface 6 → editor 7, started with `--embed`, → plugin
    /// host 8.
    fn neovim(pid: u32) -> Option<Process> {
        let process = |parent, name: &str, arguments: &[&str]| {
            let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
            Some(Process { parent, name: name.to_owned(), arguments })
        };
        match pid {
            8 => process(7, "node", &["coc"]),
            7 => process(6, "nvim", &["--embed", "notes"]),
            6 => process(5, "nvim", &["notes"]),
            5 => process(1, "bash", &[]),
            _ => None,
        }
    }

    #[test]
    fn agents_take_the_interface_for_neovim() {
        let editor_of = |which, reported| editor_process(which, reported, neovim, None);
        assert_eq!(editor_of(editors::Process::ParentIfEmbedded, 7), Some(6));
        // A server without an interface, such as a detached one.
        assert_eq!(editor_of(editors::Process::ParentIfEmbedded, 6), Some(6));
        assert_eq!(editor_of(editors::Process::Parent, 8), Some(6));
        assert_eq!(editor_of(editors::Process::Itself, 7), Some(7));
    }

    #[test]
    fn init_is_never_the_editor() {
        assert_eq!(editor_process(editors::Process::Parent, 5, neovim, None), Some(5));
        assert_eq!(editor_process(editors::Process::Parent, 99, neovim, None), Some(99));
    }

    #[test]
    fn a_daemon_editor_is_its_session() {
        assert_eq!(editor_process(editors::Process::Session, 7, neovim, Some(3)), Some(3));
        assert_eq!(editor_process(editors::Process::Session, 7, neovim, None), Some(7));
    }

    #[test]
    fn unknown_editors_get_a_valid_name() {
        assert_eq!(identifier("My Editor (beta)"), "my-editor-beta");
        assert_eq!(identifier("★"), "editor");
    }
}
