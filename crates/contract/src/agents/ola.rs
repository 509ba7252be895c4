//! OLA Code, a fork of Qwen Code that we have not run.

use crate::agent::Agent;
use crate::behaviour::{Behaviour, DEFAULT_BEHAVIOUR, Lookup, NameSearch, Releases};
use crate::family::{Dialect, Directory, DiscoveryFile, Family, Fields, FoundBy, Transport, Variables};

pub(super) const AGENT: Agent = Agent {
    id: "ola",
    display_name: "OLA Code",
    commands: &["ola"],
    packages: &[],
    settings: None,
    own_files: &[".ola"],
    family: Some(Family {
        client_names: &["ola"],
        env: Variables {
            workspace_path: Some("OLA_CODE_IDE_WORKSPACE_PATH"),
            ..Variables::port("OLA_CODE_IDE_SERVER_PORT")
        },
        found_by: FoundBy::DiscoveryFiles(&[LOCK]),
        transport: Transport::Http,
        dialect: Dialect::CONTRACT,
        behaviour: Behaviour {
            lookups: &[
                Lookup::new(Releases::ALL, LOCK, NameSearch::Spelled),
                Lookup::new(Releases::ALL, LOCK, NameSearch::ListedByAge),
            ],
            needs_living_editor: Releases::ALL,
            ..DEFAULT_BEHAVIOUR
        },
    }),
    hook: None,
    turns: None,
};

/// The discovery file, named like a lock file.
const LOCK: DiscoveryFile = DiscoveryFile {
    directory: Directory::Home { below_home: ".ola/ide", base_variable: None, below_base: "" },
    name: "{port}.lock",
    fields: Fields::WithParent,
    readers: "OLA Code",
};
