//! Which process of an editor agents take for it, and what it is called. Editors name the process that speaks
//! LSP, which need not be the one that terminals inside descend from.

use alongside_desk::socket::Owner;
use alongside_lsp::Client;
use alongside_lsp::editors;
use alongside_platform::process::{self, Process, is_alive, look_up};

/// The editor that owns the companion. `pid` is what the person says.
pub(super) fn of(client: &Client, pid: Option<u32>) -> Owner {
    let row = client.editor;
    let found = pid.or_else(|| {
        let said = client.process_id.filter(|pid| is_alive(*pid)).unwrap_or_else(parent);
        taken_for_it(row.process, said, look_up, session())
    });
    let own = Owner { pid: found.unwrap_or_else(parent), ..named(client) };
    match &client.owner {
        Some(owner) => Owner { pid: pid.unwrap_or(owner.pid), ..owner.clone() },
        None => own,
    }
}

/// The process that agents take for the editor, starting from the one it names.
fn taken_for_it(
    which: editors::Process,
    said: u32,
    look_up: impl Fn(u32) -> Option<Process>,
    session: Option<u32>,
) -> Option<u32> {
    let above = |pid: u32| look_up(pid).map(|process| process.parent).filter(|parent| *parent > 1);
    let is_embedded = |pid: u32| {
        look_up(pid).is_some_and(|process| process.arguments.iter().any(|argument| argument == "--embed"))
    };
    // An interface that is a process of its own; the editor's other half is the one above.
    let interface = |pid: u32| if is_embedded(pid) { above(pid).unwrap_or(pid) } else { pid };
    Some(match which {
        editors::Process::Itself => said,
        editors::Process::ParentIfEmbedded => interface(said),
        // A plugin's process below Neovim leads to its interface, too.
        editors::Process::Parent => interface(above(said).unwrap_or(said)),
        editors::Process::Session => session.unwrap_or(said),
    })
}

/// The process whose session the environment names, where sessions are named after processes.
fn session() -> Option<u32> {
    let session = std::env::var("kak_session").ok()?;
    session.parse().ok().filter(|pid| is_alive(*pid))
}

/// The editor that started us; we go for it ourselves where that is not known.
fn parent() -> u32 {
    process::parent().unwrap_or_else(std::process::id)
}

/// What the editor is called, without a process.
fn named(client: &Client) -> Owner {
    let (name, display_name) = match (client.editor.name, client.name.trim()) {
        ("", "") => ("editor".to_owned(), "Editor".to_owned()),
        ("", called) => (identifier(called), called.to_owned()),
        (name, _) => (name.to_owned(), client.editor.display_name.to_owned()),
    };
    Owner { pid: 0, name, display_name, window: None }
}

/// A name as agents take it: lower case, with hyphens.
fn identifier(name: &str) -> String {
    let words: Vec<_> = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.is_empty() { "editor".to_owned() } else { words.join("-").to_lowercase() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Terminal 5 → interface 6 → editor 7, started with `--embed`, → plugin host 8.
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
        let of = |which, said| taken_for_it(which, said, neovim, None);
        assert_eq!(of(editors::Process::ParentIfEmbedded, 7), Some(6));
        // A server without an interface, such as one that was detached.
        assert_eq!(of(editors::Process::ParentIfEmbedded, 6), Some(6));
        assert_eq!(of(editors::Process::Parent, 8), Some(6));
        assert_eq!(of(editors::Process::Itself, 7), Some(7));
    }

    #[test]
    fn init_is_nobodys_editor() {
        assert_eq!(taken_for_it(editors::Process::Parent, 5, neovim, None), Some(5));
        assert_eq!(taken_for_it(editors::Process::Parent, 99, neovim, None), Some(99));
    }

    #[test]
    fn a_daemon_is_asked_for_its_session() {
        assert_eq!(taken_for_it(editors::Process::Session, 7, neovim, Some(3)), Some(3));
        assert_eq!(taken_for_it(editors::Process::Session, 7, neovim, None), Some(7));
    }

    #[test]
    fn an_unknown_editor_has_a_name_that_agents_take() {
        assert_eq!(identifier("My Editor (beta)"), "my-editor-beta");
        assert_eq!(identifier("★"), "editor");
    }
}
