//! The location of a text's line on a page.

use alongside_desk::{Hunk, HunkState};

use super::content::Content;
use super::rows::{Block, BlockKind};
use super::texts::Side;

/// The block that shows a line of a text, and the offset of the line in that block.
pub(super) fn block_of_line(content: &Content, side: Side, line: usize) -> Option<(&Block, usize)> {
    let lines = |hunk: &Hunk| match side {
        Side::Original => hunk.original,
        Side::Proposed => hunk.proposed,
        Side::Current => hunk.current,
    };
    let index = content.hunks.partition_point(|hunk| lines(hunk).end <= line);
    if let Some(hunk) = content.hunks.get(index)
        && (lines(hunk).start..lines(hunk).end).contains(&line)
    {
        let within = line - lines(hunk).start;
        let row = match (side, hunk.state) {
            (Side::Original, _) => content.row_of_old(index, within),
            (Side::Current, HunkState::Dropped) => within,
            (Side::Proposed | Side::Current, _) => content.row_of_new(index, within),
        };
        return Some((content.hunk_block(index)?, row));
    }
    let start = |block: &Block| match side {
        Side::Original => block.at.original,
        Side::Proposed => block.at.proposed,
        Side::Current => block.at.current,
    };
    let after = content.blocks.partition_point(|block| start(block) <= line);
    let block = content.blocks[..after].last().filter(|block| !matches!(block.kind, BlockKind::Hunk(_)))?;
    let offset = line - start(block);
    (offset < block.lines()).then_some((block, offset))
}

/// The unwrapped row that shows a line of a text, or the fold that hides the line.
pub(super) fn row_of(content: &Content, side: Side, line: usize) -> Option<usize> {
    block_of_line(content, side, line).map(|(block, offset)| block.row_of(offset))
}
