//! The process table of Windows, as PowerShell prints it: a list of objects, or a single object.

use serde::Deserialize;

use super::table::{Process, ProcessOwner, Row, Table};
use crate::shell::words;

/// The query that agents use.
pub(super) const ARGUMENTS: &[&str] = &[
    "-NoProfile",
    "-NonInteractive",
    "-Command",
    "Get-CimInstance Win32_Process | Select-Object ProcessId,ParentProcessId,Name,CommandLine \
     | ConvertTo-Json -Compress",
];

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Object {
    process_id: u32,
    #[serde(default)]
    parent_process_id: u32,
    #[serde(default)]
    name: Option<String>,
    /// Null for processes of the system and of other users.
    #[serde(default)]
    command_line: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Printed {
    Many(Vec<Object>),
    One(Object),
}

/// Reads the table; `None` for other output.
pub(super) fn parse(json: &str) -> Option<Table> {
    // Some versions of PowerShell begin with a byte-order mark.
    let objects = match serde_json::from_str(json.trim_start_matches('\u{feff}').trim()).ok()? {
        Printed::Many(objects) => objects,
        Printed::One(object) => vec![object],
    };
    Some(objects.into_iter().map(row).collect())
}

fn row(object: Object) -> (u32, Row) {
    let owner = if object.command_line.is_some() { ProcessOwner::Ours } else { ProcessOwner::Unknown };
    let arguments = words(object.command_line.as_deref().unwrap_or_default()).into_iter().skip(1).collect();
    let name = object.name.unwrap_or_default();
    (object.process_id, Row { process: Process { parent: object.parent_process_id, name, arguments }, owner })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Os;
    use crate::process::editor_above;

    /// In the form that Windows PowerShell 5.1 has on Windows 11; the people and their processes are made up.
    const WINDOWS: &str = include_str!("../../samples/windows.json");

    fn editor(from: u32) -> Option<u32> {
        let table = parse(WINDOWS).unwrap();
        editor_above(Os::Windows, from, |pid| table.get(&pid).map(|row| row.process.clone()))
    }

    #[test]
    fn owners_and_arguments_are_read() {
        let table = parse(WINDOWS).unwrap();
        assert_eq!((table[&8200].process.parent, table[&8200].process.name.as_str()), (6120, "Code.exe"));
        assert_eq!(table[&8200].owner, ProcessOwner::Ours);
        assert_eq!(table[&4].owner, ProcessOwner::Unknown, "the system's command line is hidden");
        let node = &table[&9400].process;
        let script = r"C:\Program Files\nodejs\node_modules\@google\gemini-cli\dist\index.js";
        assert_eq!(node.arguments, [script]);
        assert_eq!(table[&9900].process.arguments, ["--embed", r"C:\Users\dev\my notes.md"]);
    }

    #[test]
    fn a_single_object_is_a_table_and_text_is_none() {
        let one =
            parse("\u{feff}{\"ProcessId\":7,\"ParentProcessId\":1,\"Name\":\"a.exe\",\"CommandLine\":null}");
        assert_eq!(one.unwrap()[&7].process.parent, 1);
        assert!(parse("Get-CimInstance : Access denied").is_none());
        assert!(parse("").is_none());
    }

    #[test]
    fn powershell_and_cmd_lead_to_the_editor() {
        // node ← powershell ← Code ← Code ← explorer, whose parent has ended.
        assert_eq!(editor(9400), Some(8260));
        // node ← cmd ← nvim --embed ← nvim ← powershell ← WindowsTerminal ← explorer
        assert_eq!(editor(9950), Some(9700));
        assert_eq!(editor(424_242), None);
    }
}
