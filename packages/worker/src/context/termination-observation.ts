import type { DeltaItem, Message, NodeEvent, Observed, Tokens } from '@millrace/core';
import { deltaMessage, observeLeaves } from '@millrace/core';
import type { Assignment } from './activation-context.ts';

/** What an attempt at an activation tells those who watch over its run. It grows while the node is at work. */
export class Telling {
  readonly events: NodeEvent[] = [];
  tokens: Tokens = { prompt: 0, completion: 0 };
  /** What the node says; what it only forwards is none of it. */
  said: readonly Message[] = [];
  /** It gives on what a graph has come to, or joins what units have said. */
  closes: 'graph' | 'units' | undefined;

  note(event: NodeEvent): void {
    this.events.push(event);
  }

  spend({ prompt, completion }: Tokens): void {
    this.tokens = { prompt: this.tokens.prompt + prompt, completion: this.tokens.completion + completion };
  }
}

/** What the terminations around an activation see in what it has told. */
export async function observedBy(
  { around, node }: Pick<Assignment, 'around' | 'node'>,
  told: Telling,
  signal: AbortSignal,
): Promise<readonly Observed[]> {
  const observed: Observed[] = [];
  for (const { scope, name, termination, cells, source, nested } of around) {
    const items: DeltaItem[] = [
      ...told.events.map((event): DeltaItem => ({ type: 'event', source, ...event })),
      ...told.said.map(
        (message): DeltaItem => ({
          ...deltaMessage(message, source),
          ...(told.closes === 'graph' ? { returned: true as const } : {}),
        }),
      ),
    ];
    const turn = node?.speaks === true && told.closes !== 'units';
    const delta = {
      items,
      tokens: told.tokens,
      source: told.closes === 'units' ? '' : source,
      turn,
      task: false,
      nested,
    };
    observed.push({ scope, name, leaves: await observeLeaves(termination, delta, { cells, signal }) });
  }
  return observed;
}
