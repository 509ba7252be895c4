// The only file that passes texts to VS Code. VS Code interprets links and icons in some places and not in others, and
// differently in each release, so every text passes `escapeMarkup` here. A test in xtask/src/structure ensures that no
// other file calls these functions.

import * as vscode from 'vscode';
import { escapeLines, escapeMarkup, fencedDiff } from './escapeMarkup';

// The time for which a sentence in the status bar is shown, in milliseconds.
const STATUS_TIME = 5000;

type Answer = Thenable<string | undefined>;

export const inform = (message: string, ...ways: string[]): Answer =>
  vscode.window.showInformationMessage(escapeLines(message), ...ways.map(escapeMarkup));
export const warn = (message: string, ...ways: string[]): Answer =>
  vscode.window.showWarningMessage(escapeLines(message), ...ways.map(escapeMarkup));

// Shows a sentence in the status bar for a while.
export function say(sentence: string): void {
  vscode.window.setStatusBarMessage(escapeMarkup(sentence), STATUS_TIME);
}

// Asks a question with several answers, of which the Enter key gives the first; undefined if the person cancels.
export async function askWhich<T extends string>(question: string, detail: string, ...ways: T[]): Promise<T | undefined> {
  const options = { modal: true, detail: escapeLines(detail) };
  return await vscode.window.showWarningMessage(escapeLines(question), options, ...ways) as T | undefined;
}

// Asks a question. Returns whether the person confirms it.
export async function ask(question: string, detail: string, yes: string): Promise<boolean> {
  return await askWhich(question, detail, yes) === yes;
}

// Shows a list for reading.
export const tell = (title: string, detail: string): Answer =>
  vscode.window.showInformationMessage(escapeLines(title), { modal: true, detail: escapeLines(detail) });

export interface Choice<T> { label: string; description?: string; detail?: string; value: T }

export async function choose<T>(question: string, choices: Choice<T>[]): Promise<T | undefined> {
  const items = choices.map(({ label, description = '', detail, value }) =>
    ({ label: escapeMarkup(label), description: escapeMarkup(description), detail: detail && escapeMarkup(detail), value }));
  return (await vscode.window.showQuickPick(items, { placeHolder: escapeMarkup(question) }))?.value;
}

// Asks for a line of text; undefined if the person cancels.
export const askText = (title: string, prompt: string, value: string): Thenable<string | undefined> =>
  vscode.window.showInputBox({ title: escapeMarkup(title), prompt: escapeMarkup(prompt), value, ignoreFocusOut: true });

const withIcon = (icon: string, text: string, space = ' '): string => (icon ? `$(${icon})${space}${escapeMarkup(text)}` : escapeMarkup(text));

export class StatusBar implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;

  constructor(name: string, command: string) {
    this.item = vscode.window.createStatusBarItem('status', vscode.StatusBarAlignment.Left);
    this.item.name = name;
    this.item.command = command;
  }

  // Shows the item; without a text it is hidden.
  show(icon: string, text: string, tooltip: string[]): void {
    this.item.text = withIcon(icon, text);
    this.item.tooltip = tooltip.map(escapeMarkup).join('\n');
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}

// A tree view.
export class List<T> implements vscode.Disposable {
  private readonly view: vscode.TreeView<T>;

  constructor(id: string, treeDataProvider: vscode.TreeDataProvider<T>) {
    this.view = vscode.window.createTreeView(id, { treeDataProvider });
  }

  showMessage(message: string | undefined): void {
    this.view.message = message && escapeMarkup(message);
  }

  // Shows a description beside the view's title.
  showDescription(description: string | undefined): void {
    this.view.description = description && escapeMarkup(description);
  }

  showCount(value: number, tooltip: string): void {
    this.view.badge = value > 0 ? { value, tooltip: escapeMarkup(tooltip) } : undefined;
  }

  dispose(): void {
    this.view.dispose();
  }
}

export interface Row {
  icon: string;
  // An identifier of a theme colour.
  color?: string;
  // Whether the row has expanded rows below it.
  isOpen?: boolean;
  label: string;
  description: string;
  // The lines of the tooltip.
  tooltip?: string[];
  // The text for screen readers, which otherwise read the tooltip.
  spoken?: string;
  kind?: string;
  command?: vscode.Command;
}

export function row({ icon, color, label, description, tooltip, spoken, kind, command, isOpen }: Row): vscode.TreeItem {
  const { Expanded, None } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(escapeMarkup(label), isOpen ? Expanded : None);
  item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
  item.description = escapeMarkup(description);
  item.tooltip = tooltip?.map(escapeMarkup).join('\n');
  item.accessibilityInformation = spoken === undefined ? undefined : { label: escapeMarkup(spoken) };
  item.contextValue = kind;
  item.command = command;
  return item;
}

// Returns a badge, which has room for two characters.
export const badge = (count: number, tooltip: string): vscode.FileDecoration =>
  new vscode.FileDecoration(count > 99 ? '99' : String(count), escapeMarkup(tooltip));

// Returns a code lens. Without a command, a click does nothing. VS Code drops a space beside an icon unless it is a
// no-break space.
export function lens(line: number, icon: string, text: string, command = '', given: unknown[] = [], tooltip = ''): vscode.CodeLens {
  const title = withIcon(icon, text, '\u00a0');
  return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, command, arguments: given, tooltip: escapeMarkup(tooltip) });
}

// Returns a hover with sentences and a diff.
export function hover(sentences: string[], diff: string): vscode.Hover {
  const text = new vscode.MarkdownString();
  sentences.forEach((sentence) => text.appendText(`${escapeMarkup(sentence)}\n\n`));
  return new vscode.Hover(diff ? text.appendMarkdown(fencedDiff(diff)) : text);
}

export interface Mark { line: number; words?: string }

// Decorations of lines: a dotted line above each line and a mark in the overview ruler, or a text after each line.
export class Marks implements vscode.Disposable {
  private readonly type: vscode.TextEditorDecorationType;

  constructor(isAbove: boolean) {
    const color = new vscode.ThemeColor('editorCodeLens.foreground');
    const above = { isWholeLine: true, borderStyle: 'dotted', borderWidth: '1px 0 0 0', borderColor: color };
    const warning = new vscode.ThemeColor('alongside.hardToSee');
    const after = { after: { margin: '0 0 0 2em', color: warning } };
    const ruler = { overviewRulerColor: isAbove ? color : warning, overviewRulerLane: vscode.OverviewRulerLane.Center };
    this.type = vscode.window.createTextEditorDecorationType({ ...ruler, ...(isAbove ? above : after) });
  }

  show(editor: vscode.TextEditor, marks: Mark[]): void {
    editor.setDecorations(this.type, marks.map(({ line, words }) => {
      const end = editor.document.lineAt(line).range.end;
      const renderOptions = words === undefined ? undefined : { after: { contentText: escapeMarkup(words) } };
      return { range: new vscode.Range(end, end), renderOptions };
    }));
  }

  dispose(): void {
    this.type.dispose();
  }
}

// Returns the URI of a document. VS Code shows the last part of its path, also in its own messages. It refuses a path
// with two slashes, such as that of a file outside the project, or opens another document.
export function documentUri(scheme: string, name: string, query: string): vscode.Uri {
  const parts = escapeMarkup(name).split('/').filter((part) => !['', '.', '..'].includes(part));
  return vscode.Uri.from({ scheme, path: `/${parts.join('/')}`, query });
}

export const showDiff = (left: vscode.Uri, right: vscode.Uri, title: string, options: vscode.TextDocumentShowOptions): Thenable<unknown> =>
  vscode.commands.executeCommand('vscode.diff', left, right, escapeMarkup(title), options);

// Opens the README of the extension, because the project has no web page yet.
export const openInstallation = (): Thenable<unknown> => vscode.commands.executeCommand('extension.open', 'alongside.alongside');

// Returns a shell command line of a program and arguments that the extension chooses.
export const shellLine = (program: string, words: string): string =>
  `${/^[\w./-]+$/.test(program) ? program : `'${program.replaceAll("'", "'\\''")}'`} ${words}`;

// Runs a command line in a terminal: only one of the person's or of the extension, never text from outside. `isEditor`
// opens the terminal in the editor area, which has room for long output.
export function runInTerminal(name: string, line: string, env?: Record<string, string>, isEditor = false): void {
  const { Editor, Panel } = vscode.TerminalLocation;
  const terminal = vscode.window.createTerminal({ name: escapeMarkup(name), env, location: isEditor ? Editor : Panel });
  terminal.show();
  terminal.sendText(line);
}
