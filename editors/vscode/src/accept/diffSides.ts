// Computes the two sides of a change from its unified diff: lines with `-` and `+`, each run after its hunk header
// (`@@`).

const HUNK_HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

interface Run { start: number; count: number; removed: string[]; added: string[] }

function runsOf(diff: string): Run[] {
  const runs: Run[] = [];
  for (const line of diff.split('\n')) {
    const header = HUNK_HEADER.exec(line);
    const run = runs.at(-1);
    if (header) {
      const count = Number(header[4] ?? 1);
      // The header of an empty range has the line before it.
      runs.push({ start: Number(header[3]) - (count === 0 ? 0 : 1), count, removed: [], added: [] });
    } else if (run && /^[ -]/.test(line)) {
      run.removed.push(line.slice(1));
      run.added.push(...(line.startsWith(' ') ? [line.slice(1)] : []));
    } else if (run && line.startsWith('+')) {
      run.added.push(line.slice(1));
    }
  }
  return runs;
}

// Returns the text before the change; undefined if the text does not contain the change, or the diff is truncated.
export function reverted(now: string, diff: string): string | undefined {
  const lines = now.split('\n');
  // Starts with the last run, so that the lines above keep their numbers.
  for (const { start, count, removed, added } of runsOf(diff).reverse()) {
    if (added.length !== count || lines.slice(start, start + count).join('\n') !== added.join('\n')) {
      return undefined;
    }
    lines.splice(start, count, ...removed);
  }
  return lines.join('\n');
}

// Returns both sides of the lines that the diff contains, with a sign between its runs.
export function sidesOf(diff: string): [string, string] {
  const runs = runsOf(diff);
  const text = (lines: string[][]): string => lines.map((run) => run.join('\n')).join('\n⋯\n');
  return [text(runs.map(({ removed }) => removed)), text(runs.map(({ added }) => added))];
}
