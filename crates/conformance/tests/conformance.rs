//! docs/conformance.md lists every check of the table, and shows a driver that works. After a change of
//! either, `ALONGSIDE_BLESS=1 cargo test -p alongside-conformance --test conformance` writes the page again.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fmt::Write as _;

use alongside_conformance::{Action, CHECKS, CLAUDE_CHECKS, Check, Clause, Group};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/conformance.md");
/// A story of the rig drives the real editor with it.
const DRIVER: &str = include_str!("../../../docs/examples/drive-neovim.sh");

#[test]
fn the_document_has_every_action_every_check_and_the_driver() {
    is_in_the_document("actions", &actions());
    is_in_the_document("checks", &checks());
    is_in_the_document("driver", &format!("```sh\n{DRIVER}```\n"));
}

fn checks() -> String {
    let mut text = String::new();
    for group in Group::ALL {
        let all = CHECKS.iter().chain(CLAUDE_CHECKS.iter()).copied();
        let checks: Vec<&Check> = all.filter(|check| check.group == group).collect();
        let _ = write!(text, "\n### {} (`{}`)\n\n", group.title(), group.name());
        text += "| check | a companion that conforms | where it is from | without it |\n|---|---|---|---|\n";
        for check in checks {
            let needs: Vec<String> = check.needs.iter().map(|need| format!("`{need}`")).collect();
            let needs =
                if needs.is_empty() { String::new() } else { format!("; needs {}", needs.join(", ")) };
            let _ = writeln!(
                text,
                "| `{}` | {}{needs} | {} | {} |",
                check.id,
                cell(check.title),
                cell(&clause(check.clause)),
                cell(check.harm)
            );
        }
    }
    text.push('\n');
    text
}

fn actions() -> String {
    let mut text = String::from("\n| action | what it asks for |\n|---|---|\n");
    for (name, what) in Action::NAMES {
        let _ = writeln!(text, "| `{name}` | {} |", cell(what));
    }
    text.push('\n');
    text
}

fn clause(clause: Clause) -> String {
    match clause {
        Clause::Spec(..) => format!("specification, {}: {}", clause.level(), clause.says()),
        Clause::Mcp(..) => format!("MCP, {}: {}", clause.level(), clause.says()),
        Clause::Shipped { says, breaks } => format!("shipped agents: {says}. Breaks {breaks}"),
        Clause::Advice(says) => format!("advice: {says}"),
    }
}

/// Escapes characters that a cell of a table cannot hold.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace("${", "$\\{")
}

fn is_in_the_document(part: &str, text: &str) {
    let (begin, end) = (format!("<!-- {part} -->\n"), format!("<!-- end of the {part} -->\n"));
    let document = std::fs::read_to_string(DOCUMENT).unwrap();
    let (before, rest) = document.split_once(&begin).expect("the document has this part");
    let (written, after) = rest.split_once(&end).expect("the part has an end");
    if std::env::var_os("ALONGSIDE_BLESS").is_some() {
        std::fs::write(DOCUMENT, format!("{before}{begin}{text}{end}{after}")).unwrap();
    } else {
        assert_eq!(written, text, "see the top of this file for how to write it anew");
    }
}
