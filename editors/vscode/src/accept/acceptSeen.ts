// Accepts together the proposals that the person has seen: asks once, and reports the result.

import { type AcceptedTogether, listed, question, sentence } from './acceptTogether';
import { ask, inform, tell, warn } from '../messages/window';
import type { Decider } from '../reviews/decisions';
import type { Reviews } from '../reviews/reviews';
import type { SeenReviews } from './seenReviews';

// Accepts the listed proposals. The list does not change while the person reads it.
export async function acceptSeen(reviews: Reviews, seen: SeenReviews, decider: Decider): Promise<void> {
  const { ready, others, text, detail, yes } = question(reviews.list().map((review) => listed(review, seen.count(review))));
  if (!yes) {
    void tell(text, detail);
    return;
  }
  if (!await ask(text, detail, yes)) {
    return;
  }
  const end: AcceptedTogether = { accepted: 0, changed: 0, ended: 0, others: others.length, refused: [] };
  for (const { review, revision } of ready) {
    const waits = await decider.acceptListed(review, revision);
    if (waits === undefined) {
      end.accepted += 1;
    } else if (typeof waits === 'string') {
      end[waits] += 1;
    } else {
      end.refused.push(waits.why);
    }
  }
  void (end.changed + end.ended + end.refused.length > 0 ? warn : inform)(sentence(end));
}
