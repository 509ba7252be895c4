//! What the agents themselves make of the companion: the client code of six shipped releases, each story with
//! each.
//!
//! Every assertion is on what the agent returned. The companion runs in a process of its own and is found by
//! its files alone: no agent's variable is set.

mod alone;
mod doctored;
mod restarts;
mod stage;
mod together;

/// One test per release for every named story.
macro_rules! with_each_release {
    ($($story:path as $name:ident),* $(,)?) => {
        with_each_release! { @release gemini_0_8_2, gemini("0.8.2"), $($story as $name),* }
        with_each_release! { @release gemini_0_27_4, gemini("0.27.4"), $($story as $name),* }
        with_each_release! { @release gemini_0_61_0, gemini("0.61.0"), $($story as $name),* }
        with_each_release! { @release qwen_0_5_2, qwen("0.5.2"), $($story as $name),* }
        with_each_release! { @release qwen_0_12_0, qwen("0.12.0"), $($story as $name),* }
        with_each_release! { @release qwen_0_24_4, qwen("0.24.4"), $($story as $name),* }
    };
    (@release $module:ident, $family:ident($version:literal), $($story:path as $name:ident),*) => {
        mod $module {
            $(
                #[tokio::test]
                async fn $name() -> anyhow::Result<()> {
                    let name = concat!(stringify!($module), "::", stringify!($name));
                    let Some(rig) = alongside_rig::rig_or_skip(name) else { return Ok(()) };
                    $story(rig, alongside_rig::Release::$family($version)).await
                }
            )*
        }
    };
}

with_each_release! {
    crate::alone::finds_the_companion_by_file_alone as finds_the_companion_by_file_alone,
    crate::alone::finds_the_companion_from_a_sibling_pane as finds_the_companion_from_a_sibling_pane,
    crate::alone::knows_what_the_person_has_open as knows_what_the_person_has_open,
    crate::alone::writes_what_was_accepted as writes_what_was_accepted,
    crate::alone::writes_the_persons_edits as writes_the_persons_edits,
    crate::alone::writes_nothing_after_a_rejection as writes_nothing_after_a_rejection,
    crate::alone::takes_the_edits_when_answered_in_its_own_prompt as takes_the_edits_when_answered_in_its_own_prompt,
    crate::alone::takes_its_proposal_when_answered_in_its_own_prompt as takes_its_proposal_when_answered_in_its_own_prompt,
    crate::alone::rejects_in_its_own_prompt_and_the_edits_are_kept as rejects_in_its_own_prompt_and_the_edits_are_kept,
    crate::alone::gets_two_diffs_in_a_row_decided_apart as gets_two_diffs_in_a_row_decided_apart,
    crate::alone::proposes_the_same_file_twice as proposes_the_same_file_twice,
    crate::doctored::does_what_the_doctor_says as does_what_the_doctor_says,
    crate::restarts::agent_comes_back as agent_comes_back,
    crate::restarts::companion_stops_with_a_diff_open_and_comes_back as companion_stops_with_a_diff_open_and_comes_back,
    crate::restarts::companion_crashes_and_the_session_goes_on as companion_crashes_and_the_session_goes_on,
    crate::restarts::companion_crashes_with_a_diff_open as companion_crashes_with_a_diff_open,
}
