//! Discovery files with any content.

use alongside_contract::agents::with_family;
use alongside_contract::discovery::{Record, join_roots, split_roots};
use alongside_contract::token;
use serde_json::Value;

/// Checks a discovery file. The input is its content.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (secret, agent) = token::split(&text);
    assert_eq!(agent.map_or_else(|| secret.to_owned(), |agent| token::for_agent(secret, agent)), text);
    check_list_of_roots(&text);
    let Ok(record) = serde_json::from_slice::<Record>(data) else { return };
    let written = serde_json::to_value(&record).expect("a record can be written");
    let has_no_null =
        |value: &Value| value.as_object().is_some_and(|object| object.values().all(|value| !value.is_null()));
    assert!(has_no_null(&written), "absent fields are written as null: {written}");
    assert_eq!(serde_json::from_value::<Record>(written).ok().as_ref(), Some(&record));
    assert!(record.is_same_companion(&record));
    let contains =
        |text: &Option<String>, other: &str| text.as_deref().is_some_and(|text| text.contains(other));
    if let Some(token) = record.auth_token.as_deref().filter(|token| token.len() > 8) {
        let tokenless = Record { auth_token: None, ..record.clone() };
        let logged = format!("{record:?}");
        assert_eq!(logged.contains(token), format!("{tokenless:?}").contains(token), "{logged}");
        assert!(!contains(&tokenless.auth_token, token));
    }
    for agent in with_family() {
        let given = record.token_for(agent);
        assert_eq!(given.is_some(), record.auth_token.is_some());
        let rewritten = Record { auth_token: given, ..record.clone() };
        assert!(rewritten.is_same_companion(&record), "each agent's token is the same companion's");
    }
    check_list_of_roots(&record.workspace_path);
}

/// Checks that the roots of a list give the same roots when they are joined and split again.
fn check_list_of_roots(list: &str) {
    let roots: Vec<&str> = split_roots(list).collect();
    assert!(roots.iter().all(|root| !root.is_empty()));
    let joined = join_roots(roots.iter().copied()).expect("no part of a list contains the delimiter");
    assert_eq!(split_roots(&joined).collect::<Vec<_>>(), roots);
}
