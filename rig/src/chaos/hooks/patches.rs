//! Patches of one file, as Codex writes and applies them: so much of the format as the rounds need. It shares
//! no code with the program.

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File: ";
const UPDATE: &str = "*** Update File: ";

/// The patch by which a model writes a text to a file that has the text `before`.
pub(super) fn between(path: &str, before: Option<&str>, text: &str) -> String {
    let lines = |sign: char, text: &str| -> String {
        text.split_terminator('\n').map(|line| format!("{sign}{line}\n")).collect()
    };
    let body = match before.filter(|before| !before.is_empty()) {
        None => format!("{ADD}{path}\n{}", lines('+', text)),
        Some(before) => {
            let (above, old, new) = differing(before, text);
            let below = &before[above.len() + old.len()..];
            let changed = [lines('-', old), lines('+', new)].concat();
            format!("{UPDATE}{path}\n@@\n{}{changed}{}", lines(' ', above), lines(' ', below))
        }
    };
    format!("{BEGIN}\n{body}{END}")
}

/// The lines that two texts begin with, and the run of lines behind in which they differ.
pub(super) fn differing<'a>(before: &'a str, text: &'a str) -> (&'a str, &'a str, &'a str) {
    let same = |(one, other): &(&str, &str)| one == other;
    let length = |(line, _): (&str, &str)| line.len();
    let above = before.split_inclusive('\n').zip(text.split_inclusive('\n'));
    let above: usize = above.take_while(same).map(length).sum();
    let (old, new) = (&before[above..], &text[above..]);
    let below = old.split_inclusive('\n').rev().zip(new.split_inclusive('\n').rev());
    let below: usize = below.take_while(same).map(length).sum();
    (&before[..above], &old[..old.len() - below], &new[..new.len() - below])
}

/// The file of a patch.
pub(super) fn path(patch: &str) -> Option<&str> {
    patch.lines().find_map(|line| line.strip_prefix(UPDATE).or_else(|| line.strip_prefix(ADD)))
}

/// The text that Codex makes of a file that has the text `present`.
///
/// # Errors
/// When the patch is none, changes several files, or does not apply.
pub(super) fn apply(patch: &str, present: Option<&str>) -> Result<String, String> {
    let mut lines = patch.trim().lines();
    if lines.next() != Some(BEGIN) || lines.next_back() != Some(END) {
        return Err("a patch has a begin and an end".into());
    }
    let head = lines.next().unwrap_or_default();
    let body: Vec<&str> = lines.collect();
    if body.iter().any(|line| line.starts_with("*** ")) {
        return Err("the rounds play patches of one file".into());
    }
    if head.starts_with(ADD) {
        let added = body.iter().map(|line| line.strip_prefix('+').map(|line| format!("{line}\n")));
        return added.collect::<Option<_>>().ok_or_else(|| "an added file has added lines only".into());
    }
    if !head.starts_with(UPDATE) {
        return Err(format!("an unknown part of a patch: {head}"));
    }
    let present = present.ok_or("there is no such file")?;
    let mut file: Vec<String> = present.split_terminator('\n').map(str::to_owned).collect();
    let mut from = 0;
    for chunk in body.split(|line| line.starts_with("@@")).filter(|chunk| !chunk.is_empty()) {
        let of = |signs: [char; 2]| -> Vec<String> {
            chunk.iter().filter_map(|line| line.strip_prefix(signs)).map(str::to_owned).collect()
        };
        let (old, new) = (of([' ', '-']), of([' ', '+']));
        let at = match old.is_empty() {
            true => file.len(),
            false => {
                let found = file[from..].windows(old.len()).position(|lines| lines == old);
                from + found.ok_or("the lines are not in the file")?
            }
        };
        let end = at + new.len();
        drop(file.splice(at..at + old.len(), new));
        from = end;
    }
    Ok(file.iter().map(|line| format!("{line}\n")).collect())
}
