//! An agent that the user begins to use while the companion runs.

use super::*;

/// The longest wait: a scan begins within it, and the regular check of the files comes after it.
const LIMIT: Duration = Duration::from_secs(8);

#[tokio::test]
async fn an_agent_at_its_first_start_gets_its_files() {
    let story = Story::begin().await;
    let own = story.path("home/.ola");
    let record = own.join("ide").join(format!("{}.lock", story.companion.port()));
    assert!(!own.exists(), "the agent is not in use");
    fs::create_dir(&own).unwrap();
    let written = async {
        while !record.exists() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(LIMIT, written).await.expect("the discovery file is written");
    story.companion.stop().await;
    assert!(own.exists() && !own.join("ide").exists(), "only our own directory is removed");
}
