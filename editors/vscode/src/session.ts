// Whether this window has a companion: not without a folder, and not beside another extension that is one.

import * as vscode from 'vscode';
import type { Companion } from './companion';
import type { Overview } from './overview';
import { findProgram } from './program';

// Their companions have the process and the folders of ours.
const OTHERS = ['google.gemini-cli-vscode-ide-companion', 'qwenlm.qwen-code-vscode-ide-companion'];

type State = 'starting' | 'running' | 'noFolder' | 'standsBack' | 'failed';

export class Session implements vscode.Disposable {
  private state: State = 'noFolder';
  private reason = '';
  private hasExplained = false;
  private updating = Promise.resolve();
  private readonly subscriptions: vscode.Disposable[];
  private readonly settling: vscode.EventEmitter<void> = new vscode.EventEmitter();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly companion: Companion,
    private readonly overview: Overview,
    // There is no companion any more.
    private readonly ended: () => void,
  ) {
    this.subscriptions = [
      this.settling,
      vscode.extensions.onDidChange(() => this.update()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.update()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('alongside.program')) {
          this.update(true);
        }
      }),
    ];
  }

  // Starts or ends the companion. One change waits for the other.
  update(startsAgain = false): void {
    this.updating = this.updating.then(() => this.follow(startsAgain)).catch((error: unknown) => this.fail(String(error)));
  }

  private async follow(startsAgain: boolean): Promise<void> {
    const state = other() ? 'standsBack' : hasFolder() ? 'starting' : 'noFolder';
    const isActive = this.state === 'starting' || this.state === 'running';
    if (state === 'starting' && isActive && !startsAgain) {
      return;
    }
    await this.companion.stop();
    this.enter(state);
    if (state === 'starting') {
      const program = findProgram(this.context);
      if (program) {
        void this.companion.start(program);
      } else {
        this.fail('The program `alongside` is not installed here, or is elsewhere than in PATH.');
      }
      return;
    }
    this.ended();
    if (state === 'standsBack' && !this.hasExplained) {
      this.hasExplained = true;
      void this.explain();
    }
  }

  fail(reason: string): void {
    this.reason = reason;
    this.enter('failed');
    this.ended();
    void this.explain();
  }

  started(): void {
    this.enter('running');
  }

  private enter(state: State): void {
    this.state = state;
    void vscode.commands.executeCommand('setContext', 'alongside.state', state);
    if (state === 'standsBack') {
      this.overview.showState('Alongside stands back', sentence());
    } else if (state === 'failed') {
      this.overview.showState('Alongside', this.reason);
    } else if (state === 'noFolder') {
      this.overview.hide();
    }
  }

  // Whether commands have a companion. If not, the person learns why.
  isReady(): boolean {
    const isReady = this.state === 'running' || this.state === 'starting';
    if (!isReady) {
      void this.explain();
    }
    return isReady;
  }

  private async explain(): Promise<void> {
    if (this.state === 'standsBack') {
      if (await vscode.window.showWarningMessage(sentence(), 'Show It')) {
        await showOther();
      }
    } else if (this.state === 'noFolder') {
      if (await vscode.window.showInformationMessage('Agents work in a folder, and none is open.', 'Open a Folder')) {
        await vscode.commands.executeCommand('vscode.openFolder');
      }
    } else if (this.state === 'failed') {
      const answer = await vscode.window.showErrorMessage(this.reason, 'Try Again', 'Open Settings');
      if (answer === 'Try Again') {
        this.update(true);
      } else if (answer) {
        await vscode.commands.executeCommand('workbench.action.openSettings', 'alongside.program');
      }
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}

const hasFolder = (): boolean => vscode.workspace.workspaceFolders?.some(({ uri }) => uri.scheme === 'file') ?? false;

// VS Code knows only enabled extensions.
const other = (): vscode.Extension<unknown> | undefined =>
  OTHERS.map((id) => vscode.extensions.getExtension<unknown>(id)).find((found) => found);

function sentence(): string {
  const found = other();
  const { displayName } = (found?.packageJSON ?? {}) as { displayName?: unknown };
  const name = typeof displayName === 'string' ? displayName : found?.id ?? 'Another companion';
  return `${name} is active in this window, and agents confuse two companions of one window. Disable it to use Alongside.`;
}

export async function showOther(): Promise<void> {
  const found = other();
  if (found) {
    await vscode.commands.executeCommand('extension.open', found.id);
  }
}
