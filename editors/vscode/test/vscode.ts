// The few parts of VS Code's interface that the tested files use outside VS Code. The real editor is in rig/tests/editors.

export class Position {
  constructor(readonly line: number, readonly character: number) {}

  compareTo(other: Position): number {
    return this.line - other.line || this.character - other.character;
  }
}

export class Range {
  readonly start: Position;
  readonly end: Position;

  constructor(...[line, character, lastLine, lastCharacter]: [number, number, number, number]) {
    this.start = new Position(line, character);
    this.end = new Position(lastLine, lastCharacter);
  }
}

// The messages that were shown.
export const shown: string[] = [];

export const window = {
  tabGroups: { all: [] },
  showInformationMessage: (message: string): Promise<string | undefined> => {
    shown.push(message);
    return new Promise(() => undefined);
  },
};

export const Uri = { from: ({ scheme, path, query }: Record<string, string>): string => `${scheme}:${path}?${query}` };
