// The two sides of a change of which only the diff is known: lines behind `-` and `+`, each run below its place (`@@`).

const PLACE = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

interface Run { start: number; count: number; removed: string[]; added: string[] }

function runsOf(diff: string): Run[] {
  const runs: Run[] = [];
  for (const line of diff.split('\n')) {
    const place = PLACE.exec(line);
    const run = runs.at(-1);
    if (place) {
      const count = Number(place[4] ?? 1);
      // Nothing is after the line before.
      runs.push({ start: Number(place[3]) - (count === 0 ? 0 : 1), count, removed: [], added: [] });
    } else if (run && /^[ -]/.test(line)) {
      run.removed.push(line.slice(1));
      run.added.push(...(line.startsWith(' ') ? [line.slice(1)] : []));
    } else if (run && line.startsWith('+')) {
      run.added.push(line.slice(1));
    }
  }
  return runs;
}

// The text before the change; nothing if the text does not hold the change, or the diff is cut.
export function reverted(now: string, diff: string): string | undefined {
  const lines = now.split('\n');
  // From the last one on: lines above keep their places.
  for (const { start, count, removed, added } of runsOf(diff).reverse()) {
    if (added.length !== count || lines.slice(start, start + count).join('\n') !== added.join('\n')) {
      return undefined;
    }
    lines.splice(start, count, ...removed);
  }
  return lines.join('\n');
}

// Only the lines that the diff has, with a sign between its places.
export function sidesOf(diff: string): [string, string] {
  const runs = runsOf(diff);
  const text = (lines: string[][]): string => lines.map((run) => run.join('\n')).join('\n⋯\n');
  return [text(runs.map(({ removed }) => removed)), text(runs.map(({ added }) => added))];
}
