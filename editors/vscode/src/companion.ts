// The connection to the companion: `alongside lsp`, which speaks the desk protocol. A server that ends starts again.

import * as path from 'node:path';
import * as vscode from 'vscode';
import {
  CloseAction, ErrorAction, ErrorCodes, LanguageClient, ResponseError, RevealOutputChannelOn, TransportKind,
} from 'vscode-languageclient/node';
import { type ChangedReview, type ClosedReview, type Display, type OpenedReview, type Status } from './protocol';

// In milliseconds, doubled with each end that follows within a minute.
const FIRST_DELAY = 500;
const LAST_DELAY = 30_000;
const MINUTE = 60_000;
const MANY_ENDS = 5;

export interface Handlers {
  started(): void;
  // It will not start by itself.
  failed(message: string): void;
  opened(review: OpenedReview): void;
  changed(review: ChangedReview): void;
  closed(review: ClosedReview): void;
  status(status: Status): void;
  flush(id: number): Promise<void>;
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
    clearTimeout(this.retry);
    this.since = Date.now();
    const client = this.connect(program);
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      // A server that ends without an answer is started again. This one has refused, such as another version.
      if (error instanceof ResponseError && error.code !== ErrorCodes.PendingResponseRejected && this.client === client) {
        await this.stop();
        this.handlers.failed(error.message);
      }
      return;
    }
    if (this.client === client) {
      this.handlers.started();
    }
  }

  async stop(): Promise<void> {
    clearTimeout(this.retry);
    const { client } = this;
    this.client = undefined;
    this.ends = 0;
    // It has ended already, or does not answer.
    await client?.dispose().catch(() => undefined);
  }

  notify(method: string, params: object): void {
    if (this.client?.isRunning()) {
      // The report after the next start repeats it.
      this.client.sendNotification(method, params).catch(() => undefined);
    }
  }

  async request<T>(method: string, params: object): Promise<T> {
    if (!this.client?.isRunning()) {
      throw new Error('There is no companion at the moment.');
    }
    return this.client.sendRequest<T>(method, params);
  }

  private connect(program: string): LanguageClient {
    const run = { command: program, args: ['lsp'], transport: TransportKind.stdio };
    const client: LanguageClient = new QuietClient('alongside', 'Alongside', { run, debug: run }, {
      documentSelector: [],
      initializationFailedHandler: () => false,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: { alongside: { protocol: 1, presentation: true, editor: this.editor() } },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          this.ended(client, program);
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    });
    const { handlers } = this;
    const on = <T extends { display?: Display }>(event: string, then: (params: T) => void, warns = false): void => {
      client.onNotification(`alongside/${event}`, (params: T) => {
        if (this.client === client) {
          then(params);
          say(params.display, warns);
        }
      });
    };
    // A new review is announced with a button, by its handler.
    client.onNotification('alongside/didOpenReview', (review: OpenedReview) => handlers.opened(review));
    on('didChangeReview', (review: ChangedReview) => handlers.changed(review));
    on('didCloseReview', (review: ClosedReview) => handlers.closed(review));
    on('didChangeStatus', (status: Status) => handlers.status(status));
    on('problem', () => undefined, true);
    on('notice', () => undefined);
    client.onRequest('alongside/flushReview', async ({ id }: { id: number }) => {
      await handlers.flush(id);
      return null;
    });
    return client;
  }

  // A terminal's shell is a child of our parent, not of this process. One parent has many windows; the storage is that
  // of this window's folder, also after the window is loaded again.
  private editor(): object {
    const storage = this.context.storageUri?.fsPath;
    const window = storage ? path.basename(path.dirname(storage)) : String(process.pid);
    return { pid: process.ppid, name: 'vscode', displayName: vscode.env.appName, window };
  }

  private ended(client: LanguageClient, program: string): void {
    if (this.client !== client) {
      return;
    }
    this.ends = Date.now() - this.since > MINUTE ? 1 : this.ends + 1;
    if (this.ends === MANY_ENDS) {
      this.handlers.failed(`${program} ended ${MANY_ENDS} times. It starts again every ${LAST_DELAY / 1000} s.`);
    }
    const delay = this.ends >= MANY_ENDS ? LAST_DELAY : FIRST_DELAY * 2 ** (this.ends - 1);
    this.retry = setTimeout(() => {
      void client.dispose().catch(() => undefined);
      void this.start(program);
    }, delay);
  }
}

function say(display: Display | undefined, warns: boolean): void {
  for (const message of display?.messages ?? []) {
    void (warns ? vscode.window.showWarningMessage(message) : vscode.window.showInformationMessage(message));
  }
}
