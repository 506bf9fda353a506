import type { Dynamic, Failure, Host, Message, Outcome } from '@millrace/core';
import { failureOf, textMessage } from '@millrace/core';
import type { Frame, Place, Queued } from './reference-frame.ts';
import { compiled, fanOutOf, RunFailed } from './reference-frame.ts';
import { createHost } from './reference-host.ts';
import type { Unit } from './trace.ts';

/** Result of the execution of a node. */
export interface ExecutionResult {
  readonly outputs: readonly Message[];
  /** Set when the inputs were fanned out. */
  readonly units?: readonly Unit[];
}

/** Runs a node on its inputs: once, or once per unit of its fan-out. */
export async function execute(frame: Frame, place: Place, queue: readonly Queued[]): Promise<ExecutionResult> {
  const behave = (inputs: readonly Message[]) => behaveAt(frame, place, inputs);
  const dynamic = fanOutOf(frame, place.node.id);
  if (dynamic === undefined) return { outputs: await behave(queue.map(({ message }) => message)) };
  const split = compiled(frame.run.vocabulary.splitters, dynamic.split, frame.run);
  const statics = queue.filter((input) => !input.dynamic).map(({ message }) => message);
  const moving = queue.filter((input) => input.dynamic).map(({ message }) => message);
  const items = moving.length === 0 ? [] : [...(await split(moving, Number.MAX_SAFE_INTEGER))];
  if (items.length === 0) return { outputs: statics.length === 0 ? [] : await behave(statics) };
  return dynamic.type === 'map' ? mapOver(items, statics, behave) : reduce(items, { statics, dynamic, behave });
}

type Behave = (inputs: readonly Message[]) => Promise<readonly Message[]>;

async function mapOver(
  items: readonly Message[],
  statics: readonly Message[],
  behave: Behave,
): Promise<ExecutionResult> {
  const units = await sequentially(
    items.map((item) => [...statics, item]),
    behave,
  );
  return { outputs: units.flatMap((unit) => unit.outputs), units };
}

const layerCap = 101;

async function reduce(
  items: readonly Message[],
  { statics, dynamic, behave }: { statics: readonly Message[]; dynamic: Dynamic; behave: Behave },
): Promise<ExecutionResult> {
  let left = items;
  const units: Unit[] = [];
  for (let layer = 1; left.length > 1 && layer <= layerCap; layer++) {
    const prefix = layer === 1 ? statics : [];
    const done = await sequentially(
      chunks(left, dynamic.groupSize).map((group) => [...prefix, ...group]),
      behave,
    );
    units.push(...done);
    left = done.flatMap((unit) => unit.outputs).map((message) => ({ ...message, role: 'user' as const }));
  }
  return units.length === 0 ? { outputs: left } : { outputs: left, units };
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** All units run, even after one has failed; then the first failure counts. */
async function sequentially(inputs: readonly (readonly Message[])[], behave: Behave): Promise<Unit[]> {
  const units: Unit[] = [];
  let failed: RunFailed | undefined;
  for (const input of inputs) {
    try {
      units.push({ inputs: input, outputs: await behave(input) });
    } catch (error) {
      if (!(error instanceof RunFailed)) throw error;
      failed ??= error;
    }
  }
  if (failed !== undefined) throw failed;
  return units;
}

async function behaveAt(frame: Frame, place: Place, inputs: readonly Message[]): Promise<readonly Message[]> {
  if (place.node.graph !== undefined) return frame.run.call(frame, place, inputs);
  const outcome = await attempt(frame, place, inputs);
  if (outcome.type === 'failed') return afterFailure(frame, place, { inputs, failure: outcome.error });
  if (outcome.state !== undefined) place.state = outcome.state.write ?? undefined;
  return outcome.outputs.map((message) => (message.source === '' ? { ...message, source: place.node.id } : message));
}

/** Executes until the node is through: a person's answer comes at once. */
async function attempt(
  frame: Frame,
  place: Place,
  inputs: readonly Message[],
): Promise<Exclude<Outcome, { type: 'suspended' | 'postponed' }>> {
  let host: Host = createHost(frame, place);
  try {
    for (;;) {
      const outcome = await place.definition.execute(place.node.config, inputs, host);
      if (outcome.type === 'postponed') {
        const { until } = outcome;
        host = { ...host, now: () => until };
        continue;
      }
      if (outcome.type !== 'suspended') return outcome;
      const answer = await frame.run.person(place.node.id, host.activation);
      host = { ...host, answer };
    }
  } catch (error) {
    return { type: 'failed', error: failureOf(error) };
  }
}

function afterFailure(
  frame: Frame,
  { node, definition }: Place,
  { inputs, failure }: { inputs: readonly Message[]; failure: Failure },
): readonly Message[] {
  const usual = frame.run.compat && definition.failureText !== undefined ? 'text' : 'fail';
  switch (node.onError ?? usual) {
    case 'continue':
      return [];
    case 'text': {
      const text = definition.failureText?.(node.config, inputs, failure) ?? failure.message;
      return [textMessage('assistant', text, node.id)];
    }
    case 'fail':
      throw new RunFailed(failure, node.id);
  }
}
