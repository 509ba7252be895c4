//! HopCode, a fork that we have not run.

use crate::agent::Agent;
use crate::behaviour::DEFAULT_BEHAVIOUR;
use crate::family::{Dialect, Family, FoundBy, Transport, Variables};

pub(super) const AGENT: Agent = Agent {
    id: "hopcode",
    display_name: "HopCode",
    commands: &["hopcode"],
    packages: &[],
    settings: None,
    own_files: &[".hopcode"],
    family: Some(Family {
        client_names: &["hopcode"],
        env: Variables {
            workspace_path: Some("HOPCODE_IDE_WORKSPACE_PATH"),
            ..Variables::port("HOPCODE_IDE_SERVER_PORT")
        },
        found_by: FoundBy::DiscoveryFiles(&[]),
        transport: Transport::Http,
        dialect: Dialect::CONTRACT,
        behaviour: DEFAULT_BEHAVIOUR,
    }),
    hook: None,
    turns: None,
};
