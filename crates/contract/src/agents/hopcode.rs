//! HopCode, a fork that nobody has run.

use crate::agent::Agent;
use crate::behaviour::FORK;
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
        behaviour: FORK,
    }),
    hook: None,
    turns: None,
};
