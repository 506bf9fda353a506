import type { ScriptedHuman } from '../compare/expected.ts';

/** Reaction of a person to a question: an answer, or the end of the conversation. */
export type Reaction =
  | { readonly type: 'answer'; readonly text: string }
  | { readonly type: 'raise'; readonly message: string };

/** The reaction at a node to being asked for the `times`-th time, counted from 1. */
export function reactionOf(people: ScriptedHuman, node: string, times: number): Reaction {
  const script = typeof people === 'string' ? people : (people[node] ?? people['default'] ?? 'ACCEPT');
  const scripted = typeof script === 'string' ? script : (script[times - 1] ?? script.at(-1) ?? 'ACCEPT');
  if (typeof scripted !== 'string') return { type: 'raise', message: scripted.raise };
  return { type: 'answer', text: scripted.replaceAll('{n}', String(times)) };
}
