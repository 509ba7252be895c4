//! An agent that the user begins to use while the companion runs.

use super::*;

/// Longer than a scan takes to begin, and shorter than the files would be checked anyway.
const LIMIT: Duration = Duration::from_secs(8);

#[tokio::test]
async fn an_agent_at_its_first_start_gets_its_files() {
    let story = Story::begin().await;
    let own = story.path("home/.ola");
    let record = own.join("ide").join(format!("{}.lock", story.companion.port()));
    assert!(!own.exists(), "nobody uses the agent");
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
