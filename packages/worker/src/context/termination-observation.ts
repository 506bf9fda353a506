import type { DeltaItem, Message, NodeEvent, ScopeObservation, TokenCounts } from '@millrace/core';
import { observeLeaves, toDeltaMessage } from '@millrace/core';
import type { ActivationContext } from './activation-context.ts';

/** What an attempt at an activation tells those who watch over its run. It grows while the node is at work. */
export class TerminationObservation {
  readonly events: NodeEvent[] = [];
  tokens: TokenCounts = { prompt: 0, completion: 0 };
  /** What the node says; what it only forwards is none of it. */
  messages: readonly Message[] = [];
  /** It gives on what a graph has come to, or joins what units have said. */
  closes: 'graph' | 'units' | undefined;

  addEvent(event: NodeEvent): void {
    this.events.push(event);
  }

  addTokens({ prompt, completion }: TokenCounts): void {
    this.tokens = { prompt: this.tokens.prompt + prompt, completion: this.tokens.completion + completion };
  }
}

/** What the terminations around an activation see in what it has told. */
export async function observeTerminations(
  { terminations: callContext, node }: Pick<ActivationContext, 'terminations' | 'node'>,
  told: TerminationObservation,
  signal: AbortSignal,
): Promise<readonly ScopeObservation[]> {
  const observed: ScopeObservation[] = [];
  for (const { scope, name, termination, cells, source, nested } of callContext) {
    const items: DeltaItem[] = [
      ...told.events.map((event): DeltaItem => ({ type: 'event', source, ...event })),
      ...told.messages.map(
        (message): DeltaItem => ({
          ...toDeltaMessage(message, source),
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
