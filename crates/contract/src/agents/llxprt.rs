//! LLxprt Code, a fork of Gemini CLI.

use crate::agent::Agent;
use crate::behaviour::{Behaviour, DEFAULT_BEHAVIOUR, Hosts, Lookup, NameSearch, Releases, Unproxied};
use crate::family::{Dialect, Directory, DiscoveryFile, Family, Fields, FoundBy, Transport, Variables};

pub(super) const AGENT: Agent = Agent {
    id: "llxprt",
    display_name: "LLxprt Code",
    commands: &["llxprt"],
    packages: &["@vybestack/llxprt-code"],
    settings: None,
    own_files: &[".llxprt", "LLXPRT.md"],
    family: Some(Family {
        client_names: &["llxprt"],
        env: Variables {
            workspace_path: Some("LLXPRT_CODE_IDE_WORKSPACE_PATH"),
            auth_token: Some("LLXPRT_CODE_IDE_AUTH_TOKEN"),
            ..Variables::port("LLXPRT_CODE_IDE_SERVER_PORT")
        },
        found_by: FoundBy::DiscoveryFiles(&[FILE, PID_FILE]),
        transport: Transport::Http,
        dialect: Dialect::CONTRACT,
        behaviour: BEHAVIOUR,
    }),
    hook: None,
    turns: None,
};

/// Read in the tags of its source: 0.1.14, 0.1.21, 0.2.2, 0.5.0, 0.6.0, 0.8.1, 0.9.0, 0.9.3, 0.10.0, and
/// 0.11.0 before its release.
const BEHAVIOUR: Behaviour = Behaviour {
    known_to: Some((0, 11, 0)),
    connects: Releases::from((0, 1, 14)),
    lookups: &[
        Lookup::new(Releases::from((0, 9, 0)), FILE, NameSearch::ListedForPid).unchecked(Releases::ALL),
        Lookup::new(Releases::from((0, 1, 21)), PID_FILE, NameSearch::Spelled).unchecked(Releases::ALL),
    ],
    pid_variable: Releases::NONE,
    token_variable: Releases::from((0, 9, 0)),
    sends_token: Releases::from((0, 6, 0)),
    knows_diff_rejected: Releases::from((0, 9, 0)),
    reads_editor_name: Releases::from((0, 6, 0)),
    hosts: &[
        (Releases::until((0, 6, 0)), Hosts::OneOf("localhost")),
        (Releases::from((0, 6, 0)), Hosts::OneOf("127.0.0.1")),
    ],
    unproxied: &[
        (Releases::until((0, 1, 23)), Unproxied::Everything),
        (Releases::between((0, 1, 23), (0, 6, 0)), Unproxied::Host("localhost")),
        (Releases::from((0, 6, 0)), Unproxied::Host("127.0.0.1")),
    ],
    ..DEFAULT_BEHAVIOUR
};

/// The file that LLxprt Code lists. It takes the first with its editor's PID.
const FILE: DiscoveryFile = DiscoveryFile {
    directory: Directory::Tmp("llxprt/ide"),
    name: "llxprt-ide-server-{pid}-{port}.json",
    fields: Fields::Contract,
    readers: "LLxprt Code 0.9.0 and newer",
};

/// The file of earlier releases of LLxprt Code. Newer releases read it if they find no other.
const PID_FILE: DiscoveryFile = DiscoveryFile {
    directory: Directory::Tmp(""),
    name: "llxprt-ide-server-{pid}.json",
    fields: Fields::Contract,
    readers: "LLxprt Code 0.1.21 and newer",
};
