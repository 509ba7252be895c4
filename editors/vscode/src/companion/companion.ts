// The connection to the companion: `alongside lsp`, which speaks the desk protocol. A server that ends is restarted.

import * as path from 'node:path';
import * as vscode from 'vscode';
import { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn } from 'vscode-languageclient/node';
import { allDiagnostics } from './diagnostics';
import { inWindow } from '../messages/outcomes';
import { inform, warn } from '../messages/window';
import { type AcceptedByRule, type ChangedReview, type ClosedReview, type Display, type LastWord, messageOf, type OpenedReview, type Status } from './protocol';

// The delay before a restart, in milliseconds: it doubles with each end within a minute of the last start, up to
// LAST_DELAY after MANY_ENDS ends.
const FIRST_DELAY = 300;
const LAST_DELAY = 30_000;
const MINUTE = 60_000;
const MANY_ENDS = 5;

// The names that `alongside install` has for editors based on VS Code.
const PRODUCTS = ['vscodium', 'cursor', 'windsurf', 'code-server'];

export interface Handlers {
  started(): void;
  // The server has ended and will be restarted.
  lost(): void;
  failed(message: string): void;
  opened(review: OpenedReview): void;
  changed(review: ChangedReview): void;
  closed(review: ClosedReview): void;
  status(status: Status): void;
  acceptedByRule(accepted: AcceptedByRule): void;
  flush(id: number): Promise<void>;
  // The state of the file after a decision.
  lastWord(word: LastWord): void;
}

// A client that shows no error messages of its own, because they name no remedy.
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
      // A server that has ended is restarted by `ended`. A server that still runs has refused to initialize, as one of
      // another version does.
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
    // The server may have ended already.
    await client?.dispose().catch(() => undefined);
  }

  notify(method: string, params: object): void {
    if (this.client?.isRunning()) {
      // The reports after the next start replace a lost notification.
      this.client.sendNotification(method, params).catch(() => undefined);
    }
  }

  async request<T>(method: string, params: object): Promise<T> {
    if (!this.client?.isRunning()) {
      throw new Error('There is no companion at the moment.');
    }
    return this.client.sendRequest<T>(method, params);
  }

  // Sends a request and returns whether it succeeded. If not, shows the reason to the person.
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
    const on = <T>(event: string, handle: (params: T) => void): void => {
      client.onNotification(`alongside/${event}`, (params: T) => {
        if (this.client === client) {
          handle(params);
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
    // The client library would show these messages itself. The server sends none to a plugin.
    client.onNotification('window/showMessage', ({ message }: { message: string }) => void inform(message));
    client.onRequest('window/showMessageRequest', ({ message }: { message: string }) => void inform(message));
    client.onRequest('alongside/flushReview', ({ id }: { id: number }) => handlers.flush(id).then(() => null));
    client.onRequest('alongside/getDiagnostics', allDiagnostics);
    return client;
  }

  // Describes this window. The shell of a terminal is a child of our parent process, not of this one. One parent has
  // many windows; the storage folder identifies the window's workspace, also after a reload.
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
      // Disposing the client removes its output channel.
      client.dispose().catch(() => undefined);
      void this.start(program);
    }, delay);
  }
}

function say({ display }: { display: Display }): void {
  display.messages.forEach((message) => void inform(inWindow(message)));
}
