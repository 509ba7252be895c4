// The connection to the companion: `alongside lsp`, which speaks the desk protocol. A server that ends starts again.

import * as path from 'node:path';
import * as vscode from 'vscode';
import { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn } from 'vscode-languageclient/node';
import { allDiagnostics } from './diagnostics';
import { inWindow } from '../messages/outcomes';
import { inform, warn } from '../messages/window';
import { type AcceptedByRule, type ChangedReview, type ClosedReview, type Display, type LastWord, messageOf, type OpenedReview, type Status } from './protocol';

// In milliseconds, doubled with each end that follows within a minute.
const FIRST_DELAY = 300;
const LAST_DELAY = 30_000;
const MINUTE = 60_000;
const MANY_ENDS = 5;

// The names of `alongside install` for other editors than VS Code itself.
const PRODUCTS = ['vscodium', 'cursor', 'windsurf', 'code-server'];

export interface Handlers {
  started(): void;
  // The server has ended, and another one starts.
  lost(): void;
  failed(message: string): void;
  opened(review: OpenedReview): void;
  changed(review: ChangedReview): void;
  closed(review: ClosedReview): void;
  status(status: Status): void;
  acceptedByRule(accepted: AcceptedByRule): void;
  flush(id: number): Promise<void>;
  // The file after a decision.
  lastWord(word: LastWord): void;
}

// Its own messages to the person name no remedy.
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class Companion {
  private client: LanguageClient | undefined;
  private retry: NodeJS.Timeout | undefined;
  private ends = 0;
  private since = 0;

  constructor(private readonly context: vscode.ExtensionContext, private readonly handlers: Handlers) {}

  async start(program: string): Promise<void> {
    this.retry = undefined;
    this.since = Date.now();
    const client = this.connect(program);
    this.client = client;
    try {
      await client.start();
      if (this.client === client) {
        this.handlers.started();
      }
    } catch (error) {
      // A server that has ended starts again. One that still runs has refused, such as another version.
      await new Promise((done) => setTimeout(done, FIRST_DELAY));
      if (this.client === client && !this.retry) {
        await this.stop();
        this.handlers.failed(messageOf(error));
      }
    }
  }

  async stop(): Promise<void> {
    clearTimeout(this.retry);
    const { client } = this;
    this.client = undefined;
    this.ends = 0;
    // It may have ended already.
    await client?.dispose().catch(() => undefined);
  }

  notify(method: string, params: object): void {
    if (this.client?.isRunning()) {
      // The report after the next start repeats what is lost.
      this.client.sendNotification(method, params).catch(() => undefined);
    }
  }

  async request<T>(method: string, params: object): Promise<T> {
    if (!this.client?.isRunning()) {
      throw new Error('There is no companion at the moment.');
    }
    return this.client.sendRequest<T>(method, params);
  }

  // Whether the companion has done it. If not, the person learns why.
  async ask(method: string, params: object): Promise<boolean> {
    try {
      await this.request(method, params);
      return true;
    } catch (error) {
      void warn(messageOf(error));
      return false;
    }
  }

  private connect(program: string): LanguageClient {
    const client: LanguageClient = new QuietClient('alongside', 'Alongside', { command: program, args: ['lsp'] }, {
      documentSelector: [],
      initializationFailedHandler: () => false,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: { alongside: { protocol: 1, presentation: true, diagnostics: true, editor: this.editor() } },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          this.ended(client, program);
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    });
    const { handlers } = this;
    const on = <T>(event: string, then: (params: T) => void): void => {
      client.onNotification(`alongside/${event}`, (params: T) => {
        if (this.client === client) {
          then(params);
        }
      });
    };
    on('didOpenReview', (review: OpenedReview) => handlers.opened(review));
    on('didCloseReview', (review: ClosedReview) => handlers.closed(review));
    on('didChangeReview', (review: ChangedReview) => {
      handlers.changed(review);
      say(review);
    });
    on('didChangeStatus', (status: Status) => handlers.status(status));
    on('didAcceptByRule', (accepted: AcceptedByRule) => handlers.acceptedByRule(accepted));
    on('notice', say);
    on('lastWord', (word: LastWord) => handlers.lastWord(word));
    on('problem', ({ display }: { display: Display }) => display.messages.forEach((message) => void warn(message)));
    // The client would show these itself. The server sends none to a plugin.
    client.onNotification('window/showMessage', ({ message }: { message: string }) => void inform(message));
    client.onRequest('window/showMessageRequest', ({ message }: { message: string }) => void inform(message));
    client.onRequest('alongside/flushReview', ({ id }: { id: number }) => handlers.flush(id).then(() => null));
    client.onRequest('alongside/getDiagnostics', allDiagnostics);
    return client;
  }

  // A terminal's shell is a child of our parent, not of this process. One parent has many windows; the storage is that
  // of this window's folder, also after a reload.
  private editor(): object {
    const storage = this.context.storageUri?.fsPath;
    const window = storage ? path.basename(path.dirname(storage)) : String(process.pid);
    const displayName = vscode.env.appName;
    const name = PRODUCTS.find((product) => displayName.toLowerCase().startsWith(product)) ?? 'vscode';
    return { pid: process.ppid, name, displayName, window };
  }

  private ended(client: LanguageClient, program: string): void {
    if (this.client !== client) {
      return;
    }
    this.handlers.lost();
    this.ends = Date.now() - this.since > MINUTE ? 1 : this.ends + 1;
    if (this.ends === MANY_ENDS) {
      this.handlers.failed(`${program} ended ${MANY_ENDS} times. It starts again every ${LAST_DELAY / 1000} s.`);
    }
    const delay = this.ends < MANY_ENDS ? FIRST_DELAY * 2 ** this.ends : LAST_DELAY;
    this.retry = setTimeout(() => {
      // Its output channel goes, too.
      client.dispose().catch(() => undefined);
      void this.start(program);
    }, delay);
  }
}

function say({ display }: { display: Display }): void {
  display.messages.forEach((message) => void inform(inWindow(message)));
}
