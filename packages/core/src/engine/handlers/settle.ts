import type { RunId, ScopeId } from '../../model/ids.ts';
import { storeWithinRun } from '../../model/memory.ts';
import type { Command, Settlement } from '../commands/command.ts';
import type { Refusal } from '../commands/refusal.ts';
import { refuse } from '../commands/refusal.ts';
import { lastingIn } from '../evolve/persistent-state.ts';
import type { Route } from '../records/event.ts';
import type { ActivationRecord, RunRecord } from '../records/records.ts';
import { advance } from '../scopes/advance.ts';
import type { Deciding } from '../state/decision-context.ts';
import { nextScope } from '../state/decision-context.ts';
import { liveActivation } from '../state/live.ts';
import { graphOf, nodeOf, placeOf, runOf, scopeOf } from '../state/lookup.ts';
import { innerOf, isHalted } from '../state/stopping-region.ts';
import { passTurn } from '../state/workspace-lock.ts';
import { armTermination } from '../termination/alarms.ts';
import { watchTerminations } from '../termination/step-terminations.ts';
import { answer } from './answer.ts';

type Settle = Extract<Command, { type: 'settle' }>;
type Result<T extends Settlement['type']> = Extract<Settlement, { type: T }>;

/** Takes the result of an activation and moves the run on. */
export function settle(deciding: Deciding, command: Settle): Refusal | undefined {
  const live = liveActivation(deciding.draft, command);
  if (live.type === 'refused') return live;
  const { record } = live;
  const { activation, steps = 0, files = [] } = command;
  // A store that has stepped back may know the activation, and not what its worker did for it.
  if (steps > 0 && deciding.draft.get(`step/${activation}/${steps - 1}`)?.result === undefined)
    return refuse('STEPS_LOST', `Activation ${activation} is built on steps that its run has lost; run it again.`);
  const { frame, node } = placeOf(deciding.plan, deciding.draft, record);
  if (files.length > 0) deciding.emit({ type: 'files.changed', activation, node: node?.id ?? '', frame, files });
  const refusal = conclude(deciding, command, record);
  if (refusal === undefined) passTurn(deciding, frame);
  return refusal;
}

function conclude(deciding: Deciding, command: Settle, record: ActivationRecord): Refusal | undefined {
  const { result, activation } = command;
  if (record.part === 'exit') {
    if (result.type === 'suspended') return fail(deciding, command, record);
  } else if (
    result.type !== 'completed' &&
    result.type !== 'failed' &&
    isHalted(deciding.plan, deciding.draft, record)
  ) {
    deciding.emit({ type: 'activation.dropped', activation, ...innerOf(deciding, record) });
    advance(deciding, record.scope);
    return undefined;
  }
  switch (result.type) {
    case 'completed':
      return complete(deciding, command, { record, result });
    case 'suspended':
      deciding.emit({ type: 'activation.suspended', activation, wait: result.wait });
      if (result.answer !== undefined)
        answer(deciding, { type: 'answer', activation, answer: result.answer, bodies: command.bodies });
      break;
    case 'postponed':
      deciding.emit({ type: 'activation.postponed', activation, until: result.until, token: deciding.nonce });
      break;
    case 'failed':
      deciding.emit({ type: 'activation.failed', activation, error: result.error });
      break;
    case 'called':
      deciding.emit({ type: 'activation.opened', activation });
      enter(deciding, call(deciding, record, result), result);
      return undefined;
    case 'split':
      deciding.emit({ type: 'activation.opened', activation });
      advance(deciding, split(deciding, record, result));
      return undefined;
  }
  advance(deciding, record.scope);
  return undefined;
}

/** What comes last in a graph that is being stopped may not wait for anybody. */
function fail(deciding: Deciding, { activation }: Settle, { scope }: ActivationRecord): undefined {
  const message = 'It asks somebody and would wait, but its graph is being stopped and waits for nobody.';
  deciding.emit({ type: 'activation.failed', activation, error: { code: 'EXIT_WAITS', message } });
  advance(deciding, scope);
}

/** A graph that was called begins with its task, which may be all that it needs to be stopped. */
function enter(deciding: Deciding, scope: ScopeId, { observed }: Result<'called'>): void {
  watchTerminations(deciding, [{ scope, name: '', leaves: observed ?? {} }]);
  armTermination(deciding, { scope, name: '' });
  advance(deciding, scope);
}

function complete(
  deciding: Deciding,
  { activation }: Settle,
  { record, result }: { record: ActivationRecord; result: Result<'completed'> },
): Refusal | undefined {
  const { draft, plan, emit, refOf } = deciding;
  const { frame, node } = placeOf(plan, draft, record);
  if (result.state !== undefined && node?.state !== undefined) {
    const current = draft.get(`${node.state}/${frame}/${node.id}`);
    if (!isSame(current, result.state.read))
      return refuse('STATE_MOVED', `The state of node "${node.id}" has changed since it was read; run it again.`);
  }
  const routes = result.routes.map(
    ({ message, ...route }): Route => (message === undefined ? route : { ...route, message: refOf(message) }),
  );
  const halted = isHalted(plan, draft, record);
  const late = halted || !isCounted(runOf(draft));
  emit({
    type: 'activation.completed',
    activation,
    outputs: result.outputs.map(refOf),
    routes: halted || record.part === 'exit' ? [] : routes,
    ...(late ? { late } : {}),
    ...(result.state === undefined ? {} : { state: result.state }),
    ...(result.warnings === undefined ? {} : { warnings: result.warnings }),
    ...(result.failure === undefined ? {} : { failure: result.failure }),
    ...rememberedBy(deciding.run, result),
  });
  if (!late && result.observed !== undefined) {
    const refusal = watchTerminations(deciding, result.observed, { frame, node: record.node });
    if (refusal !== undefined) return refusal;
  }
  advance(deciding, record.scope);
  return undefined;
}

/** Whether what is said in a run counts for its terminations. */
const isCounted = ({ status }: RunRecord): boolean => status === 'running' || status === 'paused';

function rememberedBy(run: RunId, { memory = [] }: Result<'completed'>) {
  const remembered: Record<string, number> = {};
  for (const { store } of memory) {
    const within = storeWithinRun(run, store);
    if (within !== undefined) remembered[within] = (remembered[within] ?? 0) + 1;
  }
  return Object.keys(remembered).length === 0 ? {} : { remembered };
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

function call({ draft, plan, emit, refOf }: Deciding, record: ActivationRecord, result: Result<'called'>) {
  const scope = nextScope(draft);
  const node = nodeOf(graphOf(plan, scopeOf(draft, record.scope)), record.node);
  emit({
    type: 'graph.entered',
    scope,
    graph: node.graph ?? '',
    caller: { scope: record.scope, node: record.node, ...(record.unit === undefined ? {} : { unit: record.unit }) },
    task: result.task.map(refOf),
    presets: result.presets.map((preset) => ({ ...preset, messages: preset.messages.map(refOf) })),
  });
  return scope;
}

function split({ draft, plan, emit, refOf }: Deciding, record: ActivationRecord, result: Result<'split'>) {
  const scope = nextScope(draft);
  const { node } = placeOf(plan, draft, record);
  if (node?.fanOut === undefined) throw new Error(`activation of node ${record.node} was split but has no fan-out`);
  emit({
    type: 'fanout.entered',
    scope,
    parent: record.scope,
    node: node.index,
    kind: node.fanOut.type,
    statics: result.statics.map(refOf),
    units: result.units.map(refOf),
    groupSize: node.fanOut.groupSize,
    // A node with a state of its own takes its units one by one, in order, so that they see each other's effect.
    maxParallel: node.state === undefined && lastingIn(plan, node) === undefined ? node.fanOut.maxParallel : 1,
  });
  return scope;
}
