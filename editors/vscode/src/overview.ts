// The waiting reviews and the agents at a glance: the view in the activity bar, and the status bar.

import * as vscode from 'vscode';
import type { Agent, Status } from './protocol';
import type { Review, Reviews } from './reviews';
import { List, row, StatusBar } from './window';

export type Node = { review: Review } | { agent: Agent };

export class Overview implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly view = new List('alongside.reviews', this);
  private readonly bar = new StatusBar('Alongside', 'alongside.glance');
  private readonly subscription: vscode.Disposable;
  private agents: Agent[] = [];

  constructor(private readonly reviews: Reviews) {
    this.subscription = reviews.onDidChange(() => this.update());
  }

  showStatus({ agents, paused, display }: Status): void {
    const message = paused ? 'Reports about files are paused.' : undefined;
    const click = this.reviews.list().length > 0 ? 'Click to show the next proposal.' : 'Click to show the agents.';
    const tooltip = ['Alongside', agents.map(({ name }) => name).join(', '), message ?? '', click].filter(Boolean);
    this.showLine(paused ? 'debug-pause' : 'comment-discussion', display.line, tooltip, agents);
    this.view.showMessage(message);
  }

  // An empty line takes no place.
  showLine(icon: string, line: string, tooltip: string[], agents: Agent[] = []): void {
    this.bar.show(icon, line, tooltip);
    this.view.showMessage(undefined);
    this.agents = agents;
    this.update();
  }

  private update(): void {
    const count = this.reviews.list().length;
    this.view.showCount(count, count === 1 ? '1 proposal waits' : `${count} proposals wait`);
    this.changes.fire();
  }

  getChildren(node?: Node): Node[] {
    return node ? [] : [...this.reviews.list().map((review) => ({ review })), ...this.agents.map((agent) => ({ agent }))];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if ('agent' in node) {
      const { name, version } = node.agent;
      return row({ icon: 'robot', label: name, description: version });
    }
    const { display, file } = node.review;
    return row({
      icon: display.notes.some(({ warning }) => warning) ? 'warning' : 'diff',
      label: display.name,
      description: [display.agent, display.states].filter(Boolean).join(', '),
      tooltip: [display.title, file, ...display.notes.map(({ text }) => text)],
      spoken: `${display.title}, ${display.states}`,
      kind: 'review',
      command: { title: 'Show Proposal', command: 'alongside.show', arguments: [node] },
    });
  }

  dispose(): void {
    vscode.Disposable.from(this.view, this.bar, this.changes, this.subscription).dispose();
  }
}
