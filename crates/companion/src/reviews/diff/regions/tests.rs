//! Tests of regions by example, and of the limits of the comparison.

use std::time::Duration;

use super::*;

/// Returns the pseudorandom numbers of a seed.
fn pseudorandom(seed: u64) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(seed), |last| {
        Some(last.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
    })
    .map(|number| (number >> 33) as usize)
}

#[test]
fn the_longest_rising_pairs_keep_their_order_on_both_sides() {
    assert_eq!(longest_rising(vec![]), []);
    // 0 and 1 moved behind the others.
    let pairs = vec![(0, 3), (1, 4), (2, 0), (3, 1), (4, 2), (6, 9)];
    assert_eq!(longest_rising(pairs), [(2, 0), (3, 1), (4, 2), (6, 9)]);
}

fn lines(numbers: impl Iterator<Item = usize>) -> Text {
    Text::new(numbers.map(|number| format!("{number}\n")).collect::<String>())
}

fn compare(old: &Text, new: &Text, limit: Duration) -> Vec<Difference> {
    let mut found = Differences::default();
    let deadline = Instant::now() + limit;
    compare_by_region((old, 0..old.len()), (new, 0..new.len()), deadline, &mut found);
    found.into_iter().collect()
}

#[test]
fn only_the_region_without_anchors_is_coarse_at_the_deadline() {
    // Lines of three kinds, in another order on each side, between lines that are unique.
    let alike = |seed| pseudorandom(seed).map(|number| number % 3).take(3_000);
    let unique = |first: usize| first..first + 2_000;
    let old = lines([7].into_iter().chain(unique(100)).chain(alike(1)).chain(unique(5_000)));
    let new = lines([8].into_iter().chain(unique(100)).chain(alike(2)).chain(unique(5_000)).chain([9]));
    let found = compare(&old, &new, Duration::ZERO);
    let coarse: Vec<bool> = found.iter().map(|found| found.coarse).collect();
    assert_eq!(coarse, [false, true, false]);
    assert!((2_950..=3_000).contains(&found[1].old.len()), "{:?}", found[1]);
    let in_time = compare(&old, &new, Duration::from_secs(60));
    assert!(in_time.len() > 100 && in_time.iter().all(|found| !found.coarse), "{}", in_time.len());
}

#[test]
fn a_region_too_large_for_any_comparison_is_cut_into_blocks() {
    let count = MAX_LINES_WITHOUT_ANCHOR * 2;
    let old = lines(std::iter::repeat_n(0, count));
    let new = lines((0..count).map(|line| usize::from(line % 1000 == 0)));
    let found = compare(&old, &new, Duration::from_secs(60));
    assert!(found.iter().all(|found| found.coarse && found.old.len() < 10), "{found:?}");
    assert_eq!(found.len(), count / 1000);
}

#[test]
fn moved_lines_are_removed_and_added() {
    let old = lines(0..1_000);
    let new = lines((300..1_000).chain(0..300));
    let difference = |old, new| Difference { old, new, coarse: false };
    let expected = [difference(0..300, 0..0), difference(1_000..1_000, 700..1_000)];
    assert_eq!(compare(&old, &new, Duration::ZERO), expected);
}
