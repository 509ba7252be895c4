// The rows of the two views: waiting proposals, and agents. A row is cut at its end, so the counts come first. With
// several agents, each has a row with its proposals below it; the only agent of several proposals is named beside the
// view's title.

import * as vscode from 'vscode';
import { seenWords } from '../accept/seenChanges';
import type { SeenReviews } from '../accept/seenReviews';
import type { Agent, Status } from '../companion/protocol';
import { row } from '../messages/window';
import type { Review, Reviews } from '../reviews/reviews';

export interface ReviewNode { review: Review }

// An agent with its waiting proposals.
interface GroupNode { agent: string; reviews: Review[] }

const agentOf = ({ agent, display }: Review): string => (agent.byHook ? `${display.agent}, by its hook` : display.agent);

// Leaves out the number of kept changes, which the line counts already show.
const statesOf = (states: string): string =>
  states.split(', ').filter((state) => !state.endsWith(' kept')).join(', ');

export class ReviewRows implements vscode.TreeDataProvider<ReviewNode | GroupNode> {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;

  constructor(private readonly reviews: Reviews, private readonly seen: SeenReviews) {}

  refresh(): void {
    this.changes.fire();
  }

  getChildren(node?: ReviewNode | GroupNode): (ReviewNode | GroupNode)[] {
    if (node) {
      return 'reviews' in node ? node.reviews.map((review) => ({ review })) : [];
    }
    const groups = this.groups();
    return groups.length > 1 ? groups : this.reviews.list().map((review) => ({ review }));
  }

  private groups(): GroupNode[] {
    const groups = new Map<string, Review[]>();
    this.reviews.list().forEach((review) => groups.set(agentOf(review), [...(groups.get(agentOf(review)) ?? []), review]));
    return [...groups].map(([agent, reviews]) => ({ agent, reviews }));
  }

  // Returns the only agent of several proposals.
  onlyAgent(): string | undefined {
    const groups = this.groups();
    return groups.length === 1 && groups[0]!.reviews.length > 1 ? groups[0]!.agent : undefined;
  }

  getTreeItem(node: ReviewNode | GroupNode): vscode.TreeItem {
    if ('reviews' in node) {
      return row({ icon: 'robot', label: node.agent, description: String(node.reviews.length), isOpen: true });
    }
    const { display, file } = node.review;
    const unseen = seenWords(this.seen.count(node.review));
    const from = this.reviews.list().length > 1 ? '' : agentOf(node.review);
    const warns = display.notes.some(({ warning }) => warning);
    const seen = unseen.startsWith('seen') ? unseen.replace(/ \w+$/, '') : '';
    return row({
      icon: unseen ? 'circle-filled' : 'diff',
      color: warns ? 'list.warningForeground' : undefined,
      label: display.name,
      description: [`${warns ? '⚠ ' : ''}${display.counts}`, statesOf(display.states), seen, from].filter(Boolean).join(', '),
      tooltip: [display.title, file, unseen, ...display.notes.map(({ text }) => text)].filter(Boolean),
      spoken: [display.title, display.states, unseen].filter(Boolean).join(', '),
      kind: 'review',
      command: { title: 'Show Proposal', command: 'alongside.show', arguments: [node] },
    });
  }
}

// A connected agent, the name of an agent that asks by its hook, or a grant.
type AgentNode = Agent | string | GrantNode;

export interface GrantNode { agent: string; place: string }

export const grantsOf = ({ grants = [], display }: Status): GrantNode[] =>
  grants.map(({ agent }, index) => ({ agent, place: display.granted[index]! }));

export class AgentRows implements vscode.TreeDataProvider<AgentNode> {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private nodes: AgentNode[] = [];

  show(agents: Agent[], byHook: string[], grants: GrantNode[]): void {
    this.nodes = [...agents, ...byHook, ...grants];
    this.changes.fire();
  }

  getChildren(node?: AgentNode): AgentNode[] {
    return node === undefined ? this.nodes : [];
  }

  getTreeItem(node: AgentNode): vscode.TreeItem {
    if (typeof node === 'string') {
      return row({ icon: 'robot', label: node, description: 'by its hook' });
    }
    if ('place' in node) {
      return row({
        icon: 'pass-filled',
        color: 'list.warningForeground',
        label: node.place,
        description: `accepted ahead, ${node.agent}`,
        tooltip: [`What ${node.agent} still proposes for ${node.place} is accepted without you, until it ends.`],
        kind: 'grant',
      });
    }
    return row({ icon: 'robot', label: node.name, description: node.version });
  }
}

