// The only file that gives VS Code a text to show. VS Code obeys links and icons in some places and not in others, and
// differently in each release: every text passes `escapeMarkup` here. A test in xtask/src/structure holds the other files to
// it.

import * as vscode from 'vscode';
import { escapeLines, escapeMarkup, fencedDiff } from './escapeMarkup';

// In milliseconds.
const SHORT = 5000;

type Answer = Thenable<string | undefined>;

export const inform = (message: string, ...ways: string[]): Answer =>
  vscode.window.showInformationMessage(escapeLines(message), ...ways.map(escapeMarkup));
export const warn = (message: string, ...ways: string[]): Answer =>
  vscode.window.showWarningMessage(escapeLines(message), ...ways.map(escapeMarkup));

// A sentence that goes by itself.
export function say(sentence: string): void {
  vscode.window.setStatusBarMessage(escapeMarkup(sentence), SHORT);
}

// Which of several ways the person takes, of which the first one is the one of the Enter key; undefined for none.
export async function askWhich<T extends string>(question: string, detail: string, ...ways: T[]): Promise<T | undefined> {
  const options = { modal: true, detail: escapeLines(detail) };
  return await vscode.window.showWarningMessage(escapeLines(question), options, ...ways) as T | undefined;
}

// Whether the person says yes.
export async function ask(question: string, detail: string, yes: string): Promise<boolean> {
  return await askWhich(question, detail, yes) === yes;
}

// A list that the person reads.
export const tell = (title: string, detail: string): Answer =>
  vscode.window.showInformationMessage(escapeLines(title), { modal: true, detail: escapeLines(detail) });

export interface Choice<T> { label: string; description?: string; detail?: string; value: T }

export async function choose<T>(question: string, choices: Choice<T>[]): Promise<T | undefined> {
  const items = choices.map(({ label, description = '', detail, value }) =>
    ({ label: escapeMarkup(label), description: escapeMarkup(description), detail: detail && escapeMarkup(detail), value }));
  return (await vscode.window.showQuickPick(items, { placeHolder: escapeMarkup(question) }))?.value;
}

// A line that the person types; undefined if they leave it.
export const askText = (title: string, prompt: string, value: string): Thenable<string | undefined> =>
  vscode.window.showInputBox({ title: escapeMarkup(title), prompt: escapeMarkup(prompt), value, ignoreFocusOut: true });

const withIcon = (icon: string, text: string, blank = ' '): string => (icon ? `$(${icon})${blank}${escapeMarkup(text)}` : escapeMarkup(text));

export class StatusBar implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;

  constructor(name: string, command: string) {
    this.item = vscode.window.createStatusBarItem('status', vscode.StatusBarAlignment.Left);
    this.item.name = name;
    this.item.command = command;
  }

  // No text takes no place.
  show(icon: string, text: string, tooltip: string[]): void {
    this.item.text = withIcon(icon, text);
    this.item.tooltip = tooltip.map(escapeMarkup).join('\n');
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}

// A view of rows below each other.
export class List<T> implements vscode.Disposable {
  private readonly view: vscode.TreeView<T>;

  constructor(id: string, treeDataProvider: vscode.TreeDataProvider<T>) {
    this.view = vscode.window.createTreeView(id, { treeDataProvider });
  }

  showMessage(message: string | undefined): void {
    this.view.message = message && escapeMarkup(message);
  }

  // Beside the view's name.
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
  // A colour of the theme.
  color?: string;
  // With rows below it, which are shown.
  isOpen?: boolean;
  label: string;
  description: string;
  // Lines.
  tooltip?: string[];
  // For a screen reader, which else would say the tooltip.
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

// VS Code has place for two characters.
export const badge = (count: number, tooltip: string): vscode.FileDecoration =>
  new vscode.FileDecoration(count > 99 ? '99' : String(count), escapeMarkup(tooltip));

// A line above another one. Without a command, a click does nothing. VS Code leaves out a space beside an icon, unless it
// does not break.
export function lens(line: number, icon: string, text: string, command = '', given: unknown[] = [], tooltip = ''): vscode.CodeLens {
  const title = withIcon(icon, text, '\u00a0');
  return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, command, arguments: given, tooltip: escapeMarkup(tooltip) });
}

// Sentences and a diff beside the pointer.
export function hover(sentences: string[], diff: string): vscode.Hover {
  const text = new vscode.MarkdownString();
  sentences.forEach((sentence) => text.appendText(`${escapeMarkup(sentence)}\n\n`));
  return new vscode.Hover(diff ? text.appendMarkdown(fencedDiff(diff)) : text);
}

export interface Mark { line: number; words?: string }

// Lines beside which something is to be seen: a dotted line above each, and a mark on the ruler; or words after it.
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

// VS Code shows the last part of the path, also in messages of its own. It refuses a path with two slashes, such as that of
// a file outside the project, or opens another one.
export function documentUri(scheme: string, name: string, query: string): vscode.Uri {
  const parts = escapeMarkup(name).split('/').filter((part) => !['', '.', '..'].includes(part));
  return vscode.Uri.from({ scheme, path: `/${parts.join('/')}`, query });
}

export const showDiff = (left: vscode.Uri, right: vscode.Uri, title: string, options: vscode.TextDocumentShowOptions): Thenable<unknown> =>
  vscode.commands.executeCommand('vscode.diff', left, right, escapeMarkup(title), options);

// The README of the extension, for the project has no address yet.
export const openInstallation = (): Thenable<unknown> => vscode.commands.executeCommand('extension.open', 'alongside.alongside');

// A program and words of ours as a line for a shell.
export const shellLine = (program: string, words: string): string =>
  `${/^[\w./-]+$/.test(program) ? program : `'${program.replaceAll("'", "'\\''")}'`} ${words}`;

// Runs a line of the person's, or of ours: nothing from outside may be in it.
// In an editor's place, it has room for a text to read.
export function runInTerminal(name: string, line: string, env?: Record<string, string>, isEditor = false): void {
  const { Editor, Panel } = vscode.TerminalLocation;
  const terminal = vscode.window.createTerminal({ name: escapeMarkup(name), env, location: isEditor ? Editor : Panel });
  terminal.show();
  terminal.sendText(line);
}
