// The parts of VS Code's API that the tested files use outside VS Code. The real editor is tested in rig/tests/editors.

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

// Clicks a button of the last message.
export let click: (way: string) => void = () => undefined;

const message = (text: string, ...ways: unknown[]): Promise<string | undefined> => {
  shown.push([text, ...ways.filter((way) => typeof way === 'string').map((way) => `[${way}]`)].join(' '));
  return new Promise((resolve) => { click = resolve; });
};

export class TabInputText {}

export class TabInputTextDiff {
  constructor(readonly original: unknown, readonly modified: unknown) {}
}

const disposable = { dispose: (): void => undefined };

const activeTabGroup: { activeTab?: object } = {};

export const window = {
  activeTextEditor: undefined,
  tabGroups: { all: [] as { tabs: object[] }[], activeTabGroup, onDidChangeTabs: () => disposable },
  showInformationMessage: message,
  showWarningMessage: message,
  setStatusBarMessage: (text: string): void => void shown.push(text),
};

export const settings: Record<string, unknown> = {};

export const workspace = { getConfiguration: (section: string) => ({ get: (name: string) => settings[`${section}.${name}`] }) };

export const ViewColumn = { Active: -1, Beside: -2 };

// The commands that were executed.
export const executedCommands: string[] = [];

export const commands = { executeCommand: (name: string): Promise<void> => Promise.resolve(void executedCommands.push(name)) };

export const Uri = { from: ({ scheme, path, query }: Record<string, string>): object => ({ scheme, path, query, toString: () => `${scheme}:${path}?${query}` }) };
