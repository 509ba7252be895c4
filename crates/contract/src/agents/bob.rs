//! IBM Bob, a fork that we have not run.

use crate::agent::Agent;
use crate::behaviour::DEFAULT_BEHAVIOUR;
use crate::family::{Dialect, Family, FoundBy, Transport, Variables};

pub(super) const AGENT: Agent = Agent {
    id: "bob",
    display_name: "IBM Bob",
    commands: &["bob"],
    packages: &[],
    settings: None,
    own_files: &[".bob", ".bobignore", ".bobrules*"],
    family: Some(Family {
        client_names: &["bob"],
        env: Variables {
            workspace_path: Some("BOB_SHELL_CLI_IDE_WORKSPACE_PATH"),
            auth_token: Some("BOB_SHELL_CLI_IDE_AUTH_TOKEN"),
            ..Variables::port("BOB_SHELL_CLI_IDE_SERVER_PORT")
        },
        found_by: FoundBy::DiscoveryFiles(&[]),
        transport: Transport::Http,
        dialect: Dialect::CONTRACT,
        behaviour: DEFAULT_BEHAVIOUR,
    }),
    hook: None,
    turns: None,
};
