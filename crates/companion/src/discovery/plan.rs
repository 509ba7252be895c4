//! The plan of the discovery files that a companion wants: their names, their records, and the claim on each
//! name. The plan follows from [`Facts`] alone, without the disk. The [publisher](super::publisher) finds out
//! which names are free.

use alongside_contract::agent::FamilyAgent;
use alongside_contract::discovery::{IdeInfo, Record, Stdio, WRITER};
use alongside_contract::family::{DiscoveryFile, Fields};
use alongside_contract::token;

use crate::config::Editor;
use crate::endpoint::Endpoint;

/// The facts from which the plan follows.
#[derive(Debug)]
pub(super) struct Facts<'f> {
    /// The editors, each with the ancestors under which agents find it as well.
    pub(super) editors: Vec<(&'f Editor, Vec<u32>)>,
    pub(super) endpoint: &'f Endpoint,
    pub(super) stdio: Option<&'f Stdio>,
    /// The workspace path in the files under the editors' own processes.
    pub(super) own_path: String,
    /// The workspace path in aliases, which are the files under ancestors.
    pub(super) alias_path: String,
}

/// A discovery file that the companion wants.
#[derive(Debug)]
pub(super) struct PlannedFile {
    pub(super) name: String,
    pub(super) claim: Claim,
    pub(super) record: Record,
}

/// The claim on the name of a discovery file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// The name has the companion's port and the process of its own editor, so no other companion wants it.
    Own,
    /// The name has the companion's port and the process of an ancestor. Of several companions with the same
    /// workspace below that ancestor, one gets an alias.
    Alias { ancestor: u32 },
    /// The name has no port. Several companions of one process share it.
    Shared,
}

impl Facts<'_> {
    /// Returns the wanted files for one discovery file of an agent. Of two files with the same name, the
    /// first one counts: an editor's own name precedes the alias of another editor in which it runs.
    pub(super) fn files(&self, agent: FamilyAgent, row: &DiscoveryFile) -> Vec<PlannedFile> {
        let own = self.editors.iter().map(|(editor, _)| (*editor, editor.pid));
        let aliases = self.editors.iter().filter(|_| row.names_pid());
        let aliases = aliases.flat_map(|(editor, pids)| pids.iter().map(move |pid| (*editor, *pid)));
        let file = |editor: &Editor, pid, path| PlannedFile {
            name: row.file_name(pid, self.endpoint.port()),
            claim: match row.names_port() {
                false => Claim::Shared,
                true if editor.pid == pid => Claim::Own,
                true => Claim::Alias { ancestor: pid },
            },
            record: self.record(editor, agent, row.fields, path),
        };
        let own = own.map(|(editor, pid)| file(editor, pid, &self.own_path));
        own.chain(aliases.map(|(editor, pid)| file(editor, pid, &self.alias_path))).collect()
    }

    fn record(&self, editor: &Editor, agent: FamilyAgent, fields: Fields, workspace_path: &str) -> Record {
        Record {
            port: self.endpoint.port(),
            workspace_path: workspace_path.to_owned(),
            auth_token: Some(token::for_agent(&self.endpoint.token, agent)),
            ide_info: Some(IdeInfo { name: editor.name.clone(), display_name: editor.display_name.clone() }),
            // In every record, because it distinguishes an editor's own file from an alias. Gemini ignores
            // it.
            ppid: Some(editor.pid),
            ide_name: (fields == Fields::WithParent).then(|| editor.display_name.clone()),
            stdio: self.stdio.map(|stdio| stdio.for_agent(agent)),
            writer: Some(WRITER.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use alongside_contract::agents::with_family;

    use super::*;

    #[test]
    fn own_names_precede_aliases_and_names_without_a_port_are_shared() {
        let editors = [10, 20].map(|pid| Editor { name: "e".into(), display_name: "E".into(), pid });
        let [outer, inner] = &editors;
        let facts = Facts {
            editors: vec![(outer, vec![2]), (inner, vec![10, 2])],
            endpoint: &Endpoint::at(7, "t"),
            stdio: None,
            own_path: "/home".into(),
            alias_path: "/home/p".into(),
        };
        let rows = with_family()
            .flat_map(|agent| agent.family.discovery_files().iter().map(move |row| (agent, row)));
        for (agent, row) in rows {
            let planned = |editor: u32, pid: u32, certain: Claim, path: &str| {
                let claim = if row.names_port() { certain } else { Claim::Shared };
                (row.file_name(pid, 7), claim, Some(editor), path.to_owned())
            };
            let mut expected =
                vec![planned(10, 10, Claim::Own, "/home"), planned(20, 20, Claim::Own, "/home")];
            if row.names_pid() {
                let aliases = [(10, 2), (20, 10), (20, 2)];
                expected
                    .extend(aliases.map(|(editor, pid)| {
                        planned(editor, pid, Claim::Alias { ancestor: pid }, "/home/p")
                    }));
            }
            let found = facts
                .files(agent, row)
                .into_iter()
                .map(|PlannedFile { name, claim, record }| (name, claim, record.ppid, record.workspace_path));
            assert_eq!(found.collect::<Vec<_>>(), expected);
        }
    }
}
