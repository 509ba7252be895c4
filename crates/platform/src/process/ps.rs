//! The table that `ps` prints on macOS and other Unixes.

use super::table::{Process, ProcessOwner, Row, Table, name_in};

/// The arguments for all processes with full command lines.
pub(super) const ARGUMENTS: &[&str] = &["-axww", "-o", "pid=,ppid=,uid=,command="];

/// Reads the table and skips other lines.
pub(super) fn parse(table: &str) -> Table {
    table.lines().filter_map(row).collect()
}

fn row(line: &str) -> Option<(u32, Row)> {
    let (pid, rest) = number(line)?;
    let (parent, rest) = number(rest)?;
    // A user such as `nobody` has a negative number on macOS.
    let (user, command) = word(rest)?;
    let owner = user.parse().map_or(ProcessOwner::Unknown, ProcessOwner::User);
    let arguments = command.split_whitespace().skip(1).map(str::to_owned).collect();
    Some((pid, Row { process: Process { parent, name: name_in(command), arguments }, owner }))
}

fn number(line: &str) -> Option<(u32, &str)> {
    let (word, rest) = word(line)?;
    Some((word.parse().ok()?, rest))
}

fn word(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (!word.is_empty()).then(|| (word, rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Os;
    use crate::process::editor_above;

    /// In the form that `ps` has on macOS 15; the people and their processes are made up.
    const MAC: &str = include_str!("../../samples/macos.ps");

    fn editor(from: u32) -> Option<u32> {
        let table = parse(MAC);
        editor_above(Os::MacOs, from, |pid| table.get(&pid).map(|row| row.process.clone()))
    }

    #[test]
    fn every_row_is_read() {
        let table = parse(MAC);
        assert_eq!(table.len(), MAC.lines().count());
        let shell = &table[&735];
        assert_eq!((shell.process.parent, shell.process.name.as_str()), (734, "-zsh"));
        assert_eq!(shell.owner, ProcessOwner::User(501));
        assert_eq!(table[&734].owner, ProcessOwner::User(0), "root owns login, even in a user's terminal");
        assert_eq!(table[&98].owner, ProcessOwner::Unknown, "nobody is -2");
        assert_eq!(table[&2204].process.arguments, ["--embed", "notes.md"]);
        // Agents split at the first blank.
        assert_eq!(table[&1501].process.name, "Visual");
    }

    #[test]
    fn other_output_has_no_rows() {
        assert!(parse("ps: illegal option -- w\nusage: ps [-AaCcEefhjlMmrSTvwXx]\n\n").is_empty());
        assert!(parse("  12\n").is_empty());
    }

    #[test]
    fn vs_codes_terminal_leads_to_its_main_process() {
        // node ← zsh ← pty host ← the application.
        assert_eq!(editor(1610), Some(1501));
    }

    #[test]
    fn terminal_apps_login_shell_does_not_count() {
        // node ← -zsh ← login ← Terminal ← launchd.
        assert_eq!(editor(790), Some(412));
    }

    #[test]
    fn neovims_terminal_leads_to_its_interface() {
        // node ← zsh ← nvim --embed ← nvim.
        assert_eq!(editor(2250), Some(2203));
    }

    #[test]
    fn an_ended_process_has_no_editor() {
        assert_eq!(editor(4_000_000), None);
    }
}
