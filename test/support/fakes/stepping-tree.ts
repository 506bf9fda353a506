import type {
  ConditionStates,
  DeltaItem,
  DeltaMessage,
  PlanCondition,
  TerminationCondition,
  TerminationDelta,
  Vocabulary,
} from '@millrace/core';
import { compileTermination, stepTree, stopReasonText } from '@millrace/core';

/** A message of plain text. */
export const said = (text: string, source = 'user', more: Partial<DeltaMessage> = {}): DeltaMessage => ({
  type: 'message',
  source,
  kind: 'text',
  text,
  ...more,
});

/** Something that happened beside the messages. */
export const happened = (
  kind: Extract<DeltaItem, { type: 'event' }>['kind'],
  source: string,
  more: { readonly text?: string; readonly name?: string; readonly failed?: true } = {},
): DeltaItem => ({ type: 'event', kind, source, text: '', ...more });

/** A tree that is stepped as a run steps it, without the run. */
export class SteppingTree {
  readonly #tree: PlanCondition;
  #cells: ConditionStates = {};
  #now = 0;

  constructor(written: TerminationCondition, vocabulary: Vocabulary) {
    const condition = 'type' in written ? { any_of: [written] } : written;
    const termination = { ...condition, in_flight: 'drain' as const, exit_to: [], carry_last: true };
    const compiled = compileTermination([termination], { vocabulary, indexOf: () => 0 });
    if (compiled === undefined) throw new Error('nothing to compile');
    this.#tree = compiled.tree;
  }

  /** Steps it with one delta; the reason if it is met. */
  async see(items: readonly DeltaItem[], more: Partial<TerminationDelta> = {}): Promise<string | undefined> {
    const delta: TerminationDelta = {
      items,
      tokens: { prompt: 0, completion: 0 },
      source: items[0]?.source ?? 'user',
      turn: true,
      task: false,
      nested: false,
      ...more,
    };
    const observed: Record<string, unknown> = {};
    for (const leaf of leavesOf(this.#tree)) {
      const state = this.#cells[leaf.path]?.state;
      observed[leaf.path] = await leaf.definition.observe?.(leaf.config, delta, {
        state,
        signal: new AbortController().signal,
      });
    }
    return this.#step(observed);
  }

  /** A signal from outside. */
  signal(name: string, note?: string): string | undefined {
    const signal = note === undefined ? { name } : { name, note };
    const observed = leavesOf(this.#tree).map((leaf) => [leaf.path, leaf.definition.onSignal?.(leaf.config, signal)]);
    return this.#step(Object.fromEntries(observed));
  }

  /** Time passes, and the tree is looked at when it has. */
  wait(seconds: number): string | undefined {
    this.#now += seconds * 1000;
    return this.#step({});
  }

  /** A new segment begins. */
  reset(): void {
    this.#cells = {};
    this.#now = 0;
  }

  /** Returns the state that is kept for a path. */
  stateAt(path: string): unknown {
    return this.#cells[path]?.state;
  }

  #step(observed: Readonly<Record<string, unknown>>): string | undefined {
    const stepped = stepTree(this.#tree, this.#cells, { observed, elapsedMs: this.#now, pausedMs: 0 });
    if (stepped.failure !== undefined) throw new Error(`${stepped.failure.code}: ${stepped.failure.message}`);
    this.#cells = { ...this.#cells, ...stepped.changed };
    return stepped.met === undefined ? undefined : stopReasonText(stepped.met);
  }
}

const leavesOf = (condition: PlanCondition): readonly Extract<PlanCondition, { type: 'leaf' }>[] =>
  condition.type === 'leaf' ? [condition] : condition.of.flatMap(leavesOf);

/** Short words for conditions of a vocabulary, and trees of them. */
export function conditions(vocabulary: Vocabulary) {
  const leaf = (type: string, config: Readonly<Record<string, unknown>> = {}): TerminationCondition => ({
    type,
    config: vocabulary.terminations.get(type)?.config.parse(config),
  });
  return {
    leaf,
    max: (count: number, more = {}) => leaf('max_messages', { max_messages: count, ...more }),
    mention: (text: string, more = {}) => leaf('text_mention', { text, ...more }),
    tree: (condition: TerminationCondition) => new SteppingTree(condition, vocabulary),
  };
}
