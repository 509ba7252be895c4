// Decides whether this window has a companion: not without a folder, and not if another extension provides one.

import * as vscode from 'vscode';
import type { Companion } from './companion';
import type { Overview } from '../lists/statusBar';
import { inform, openInstallation, say, warn } from '../messages/window';
import { findProgram, missing } from './program';
import { Subscriber } from '../subscriber';

// Extensions whose companions would have the same process and folders as ours.
const OTHERS = ['google.gemini-cli-vscode-ide-companion', 'qwenlm.qwen-code-vscode-ide-companion'];

type State = 'running' | 'noFolder' | 'standsBack' | 'noProgram' | 'failed';

export class Session extends Subscriber {
  private state: State | undefined;
  private reason = '';
  private updating = Promise.resolve();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly companion: Companion,
    private readonly overview: Overview,
    // Called when the companion has been stopped.
    private readonly ended: () => void,
  ) {
    super();
    this.own(
      vscode.extensions.onDidChange(() => this.update()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.update()),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('alongside.program') && this.update(true)),
    );
  }

  // Starts or stops the companion. Updates run one after the other.
  update(startsAgain = false): void {
    this.updating = this.updating.then(() => this.follow(startsAgain)).catch((error: unknown) => this.fail(String(error)));
  }

  private async follow(startsAgain: boolean): Promise<void> {
    const state = other() ? 'standsBack' : hasFolder() ? 'running' : 'noFolder';
    if (state === this.state && !(state === 'running' && startsAgain)) {
      return;
    }
    await this.companion.stop();
    if (state !== 'running') {
      return this.endAs(state);
    }
    if (this.state) {
      this.ended();
    }
    const program = findProgram(this.context);
    if (program) {
      this.started();
      void this.companion.start(program);
    } else {
      this.reason = missing();
      this.endAs('noProgram');
    }
  }

  started(): void {
    this.enter('running');
  }

  fail(reason: string): void {
    this.reason = reason;
    this.endAs('failed');
  }

  private endAs(state: State): void {
    this.enter(state);
    const line = { standsBack: 'Alongside stands back', noProgram: 'Alongside', failed: 'Alongside', noFolder: '', running: '' }[state];
    this.overview.showLine(line && 'circle-slash', line, [this.sentence()]);
    this.ended();
    if (state !== 'noFolder') {
      void this.explain();
    }
  }

  private enter(state: State): void {
    this.state = state;
    void vscode.commands.executeCommand('setContext', 'alongside.state', state);
  }

  // Whether commands have a companion. If not, shows the reason to the person.
  isReady(): boolean {
    if (this.state !== 'running') {
      void this.explain();
    }
    return this.state === 'running';
  }

  // Starts the companion again. The message with this button may still be shown when the companion runs again.
  tryAgain(): void {
    if (this.state === 'running') {
      say('Alongside runs.');
      return;
    }
    this.state = undefined;
    this.update();
  }

  private sentence(): string {
    const found = other();
    const { displayName = found?.id } = (found?.packageJSON ?? {}) as { displayName?: string };
    return found
      ? `${displayName} is active in this window, and agents confuse two companions of one window. Disable it to use Alongside.`
      : this.state === 'noFolder' ? 'Agents work in a folder, and none is open.' : this.reason;
  }

  private async explain(): Promise<void> {
    if (this.state === 'failed' || this.state === 'noProgram') {
      // A warning disappears after a while; the view and the status bar show the state as long as it lasts.
      const help = this.state === 'noProgram' ? ['How to Install It'] : [];
      const answer = await warn(this.sentence(), ...help, 'Try Again', 'Open Settings');
      if (answer === 'Try Again') {
        this.tryAgain();
      } else if (answer === 'Open Settings') {
        await openSettings();
      } else if (answer) {
        await openInstallation();
      }
    } else if (this.state === 'standsBack' && await warn(this.sentence(), 'Show It')) {
      await showOther();
    } else if (this.state === 'noFolder' && await inform(this.sentence(), 'Open a Folder')) {
      await vscode.commands.executeCommand('vscode.openFolder');
    }
  }
}

// Opens the setting of the program on the machine where the extension runs.
export async function openSettings(): Promise<void> {
  const command = `workbench.action.open${vscode.env.remoteName ? 'Remote' : ''}Settings`;
  await vscode.commands.executeCommand(command, { query: 'alongside.program' });
}

const hasFolder = (): boolean => vscode.workspace.workspaceFolders?.some(({ uri }) => uri.scheme === 'file') ?? false;

// VS Code returns only enabled extensions.
const other = (): vscode.Extension<unknown> | undefined =>
  OTHERS.map((id) => vscode.extensions.getExtension<unknown>(id)).find((found) => found);

export async function showOther(): Promise<void> {
  await vscode.commands.executeCommand('extension.open', other()?.id ?? OTHERS[0]);
}
