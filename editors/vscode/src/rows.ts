// The rows of the view: the proposals that wait, and below them the agents. A row is cut at its end, so that the counts
// stand before the agent's name.

import * as vscode from 'vscode';
import type { SeenReviews } from './accepting';
import type { Agent } from './protocol';
import type { Review, Reviews } from './reviews';
import { seenWords } from './seen';
import { lineCounts } from './together';
import { row } from './window';

export interface ReviewNode { review: Review }

export class ReviewRows implements vscode.TreeDataProvider<ReviewNode> {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;

  constructor(private readonly reviews: Reviews, private readonly seen: SeenReviews) {}

  refresh(): void {
    this.changes.fire();
  }

  getChildren(node?: ReviewNode): ReviewNode[] {
    return node ? [] : this.reviews.list().map((review) => ({ review }));
  }

  getTreeItem(node: ReviewNode): vscode.TreeItem {
    const { display, file, agent } = node.review;
    const unseen = seenWords(this.seen.count(node.review));
    const from = agent.byHook ? `${display.agent}, by its hook` : display.agent;
    return row({
      icon: display.notes.some(({ warning }) => warning) ? 'warning' : unseen ? 'circle-filled' : 'diff',
      label: display.name,
      description: [lineCounts(node.review), display.states, unseen.startsWith('seen') ? unseen : '', from].filter(Boolean).join(', '),
      tooltip: [display.title, file, unseen, ...display.notes.map(({ text }) => text)].filter(Boolean),
      spoken: [display.title, display.states, unseen].filter(Boolean).join(', '),
      kind: 'review',
      command: { title: 'Show Proposal', command: 'alongside.show', arguments: [node] },
    });
  }
}

// An agent with a connection, or the name of one that asks by its hook.
type AgentNode = Agent | string;

export class AgentRows implements vscode.TreeDataProvider<AgentNode> {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private agents: AgentNode[] = [];

  show(agents: Agent[], byHook: string[]): void {
    this.agents = [...agents, ...byHook];
    this.changes.fire();
  }

  getChildren(node?: AgentNode): AgentNode[] {
    return node === undefined ? this.agents : [];
  }

  getTreeItem(node: AgentNode): vscode.TreeItem {
    return typeof node === 'string'
      ? row({ icon: 'robot', label: node, description: 'by its hook' })
      : row({ icon: 'robot', label: node.name, description: node.version });
  }
}
