//! Tests of the parts of the reserve that drafts and the journal may use.

use super::*;

fn storage_full() -> io::Error {
    io::ErrorKind::StorageFull.into()
}

/// Returns a reserve with all of its slices, in a directory.
fn filled_reserve() -> (tempfile::TempDir, Reserve) {
    let directory = tempfile::tempdir().unwrap();
    let mut reserve = Reserve::of(directory.path());
    assert!(reserve.fill());
    (directory, reserve)
}

#[test]
fn drafts_may_use_all_of_the_reserve_and_the_journal_half() {
    let (_directory, mut reserve) = filled_reserve();
    assert_eq!(reserve.bytes(), SLICE_COUNT as u64 * SLICE_BYTES);
    let count = |reserve: &Reserve| fs::read_dir(reserve.directory()).unwrap().count();

    let mut tries = 0;
    let mut counts = Vec::new();
    let other = reserve.directory();
    let written = reserve.write(ReserveUse::Drafts, || {
        tries += 1;
        counts.push(fs::read_dir(&other).unwrap().count());
        if tries < 4 { Err(storage_full()) } else { Ok(tries) }
    });
    assert_eq!(
        (written.unwrap(), counts),
        (4, vec![SLICE_COUNT, SLICE_COUNT - 1, SLICE_COUNT - 2, SLICE_COUNT - 3])
    );
    assert!(reserve.is_short());
    assert_eq!(count(&reserve), SLICE_COUNT, "the slices that were not needed are filled again");

    let mut fewest = SLICE_COUNT;
    let written = reserve.write(ReserveUse::Journal, || {
        fewest = fs::read_dir(&other).unwrap().count();
        Err::<(), _>(storage_full())
    });
    assert!(written.is_err());
    assert_eq!(fewest, SLICE_COUNT / 2);
    let written = reserve.write(ReserveUse::Drafts, || {
        fewest = fs::read_dir(&other).unwrap().count();
        Err::<(), _>(storage_full())
    });
    assert!(written.is_err());
    assert_eq!(fewest, 0);
    assert!(reserve.fill() && !reserve.is_short());
}

#[test]
fn only_a_full_disk_uses_the_reserve() {
    let (_directory, mut reserve) = filled_reserve();
    let denied = || Err::<(), _>(io::ErrorKind::PermissionDenied.into());
    assert!(reserve.write(ReserveUse::Drafts, denied).is_err());
    assert!(!reserve.is_short());
}

#[cfg(unix)]
#[test]
fn the_slices_are_private() {
    use std::os::unix::fs::MetadataExt as _;
    let (_directory, reserve) = filled_reserve();
    let modes = [reserve.directory(), reserve.slice(0)].map(|path| path.metadata().unwrap().mode() & 0o777);
    assert_eq!(modes, [0o700, 0o600]);
}
