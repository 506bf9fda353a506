import type { ActivationId, ForkCommand, StateView } from '@millrace/core';
import {
  bodyOf,
  elapsedTimes,
  givenEvents,
  hasTerminations,
  inputOf,
  mergeVariables,
  omitUndefined,
  RequestError,
  skeletonDifference,
  tenantOf,
  textMessage,
  variablesOf,
  withoutTenant,
  withVariables,
} from '@millrace/core';
import { assertMessageSize, newMessage } from '../commit/new-bodies.ts';
import type { ForkRequest } from '../contract/runs.ts';
import type { Blobs } from '../ports/blobs.ts';
import { definitionRef, loadDefinition, saveDefinition } from '../resources/definition-text.ts';
import { hasWebhooks } from '../resources/webhooks.ts';
import type { DescendantContext } from './descendant-context.ts';
import type { DescendantInMaking } from './descendant-in-making.ts';
import type { Ancestor } from './find-ancestor.ts';
import { messagesOf } from './find-ancestor.ts';
import type { FoundForkPoint } from './fork-point.ts';
import { forkPointOf } from './fork-point.ts';
import { forkedNode, withSettings } from './forked-node.ts';
import { inheritedMemory } from './inherited-memory.ts';
import { shareHistory } from './shared-history.ts';

interface ForkInput extends Omit<ForkRequest, 'as' | 'onProgress'>, DescendantInMaking {
  readonly ancestor: Ancestor;
}

/** Returns the command that starts a run with the history of another one. Throws RequestError. */
export async function forkCommand(context: DescendantContext, request: ForkInput): Promise<ForkCommand> {
  const { ancestor, run, at, output, input } = request;
  const point = await forkPointOf(ancestor, at);
  const { end } = point;
  const changed = await otherPlan(context, request, point);
  const without = givenEvents(point.own, at);
  const { history, copies, state } = await shareHistory(context, ancestor, { making: request, end, without });
  const { at: until } = point.before;
  const edited =
    output &&
    withVariables(output, {
      // Nodes after it may need the variables of its former output, whatever its new output is.
      ...mergeVariables(await messagesOf(ancestor, context.blobs, point.output.slice(-1))),
      ...variablesOf(output),
    });
  const given =
    input === undefined ? [] : [await newInput(context.blobs, { ancestor, state: await state(), at }, input)];
  const bodies = [...(edited === undefined ? [] : [edited]), ...given].map(bodyOf);
  assertMessageSize(bodies, edited === undefined ? 'The input' : 'The output');
  return {
    type: 'fork',
    of: ancestor.run,
    plan: ancestor.planHash,
    ...changed,
    history,
    copies,
    until,
    elapsed: hasTerminations(ancestor.plan) ? elapsedTimes(await state(), until) : [],
    activation: at,
    ...(edited === undefined ? {} : { output: newMessage(edited, 0) }),
    ...(input === undefined ? {} : { input: given.map((message) => newMessage(message, bodies.length - 1)) }),
    ...((await hasWebhooks(context.store, tenantOf(run))) ? { told: true as const } : {}),
    memory: await inheritedMemory(context.store, {
      run,
      ancestor,
      history,
      end,
      most: context.cache.limits.commitCharacters,
    }),
    bodies,
  };
}

/** Stores the plan with which a fork continues. Throws RequestError when the state of the run does not fit it. */
async function otherPlan(context: DescendantContext, request: ForkInput, point: FoundForkPoint) {
  const plan = await wantedPlan(context, request, point);
  if (plan === undefined) return {};
  const { cache, store } = context;
  const { ancestor } = request;
  const hash = await cache.plans.save(plan.workflow);
  const difference = skeletonDifference(ancestor.plan, (await cache.plans.load(hash)).plan);
  if (difference !== undefined)
    throw new RequestError(
      'FORK_PLAN_DIFFERS',
      `Run ${withoutTenant(ancestor.run)} cannot continue under this workflow: ${difference}. Its nodes and edges must be the same; start a new run of the workflow instead.`,
    );
  await saveDefinition(store, plan.definition);
  return { plan: hash, ...omitUndefined({ definition: definitionRef(plan.definition) }) };
}

/** Returns the workflow under which a fork continues; undefined: the one of the original run. */
async function wantedPlan({ cache, store }: DescendantContext, request: ForkInput, point: FoundForkPoint) {
  const { ancestor, at, plan, settings } = request;
  if (settings === undefined) return plan;
  const known = plan ?? {
    workflow: (await cache.plans.load(ancestor.planHash)).workflow,
    ...omitUndefined({ definition: await loadDefinition(store, ancestor.state) }),
  };
  const node = forkedNode(ancestor.plan, point.before, at);
  return withSettings(known, { run: ancestor.run, node, settings });
}

interface ForkedActivation {
  readonly ancestor: Ancestor;
  /** The state at the end of the history of the fork. */
  readonly state: StateView;
  readonly at: ActivationId;
}

/** Returns a message with a text that takes the place of all messages that an activation was given. */
async function newInput(blobs: Blobs, { ancestor, state, at }: ForkedActivation, text: string) {
  const before = await messagesOf(ancestor, blobs, inputOf(ancestor.plan, state, at));
  return withVariables(textMessage('user', text, before.at(-1)?.source ?? 'TASK'), mergeVariables(before));
}
