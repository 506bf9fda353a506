import type { Message } from '@millrace/core';
import { textMessage, textOf } from '@millrace/core';

/** The most frequent text wins, compared letter by letter; among equals the first. Blank votes only count when there are no others. */
export function majorityVote(votes: readonly Message[]): Message {
  const texts = votes.map(textOf);
  const cast = texts.some((text) => text.trim() !== '') ? texts.filter((text) => text.trim() !== '') : texts;
  const counts = new Map<string, number>();
  for (const text of cast) counts.set(text, (counts.get(text) ?? 0) + 1);
  let winner = '';
  for (const [text, count] of counts) if (count > (counts.get(winner) ?? 0)) winner = text;
  return textMessage('assistant', winner, 'MAJORITY_VOTE');
}
