import type { Message } from '@millrace/core';
import { textOf } from '@millrace/core';
import { fakeHost } from '../fakes/fake-host.ts';
import { execute } from './reference-execute.ts';
import type { Frame, Link, Place, Queued } from './reference-frame.ts';
import { placeAt, RunFailed } from './reference-frame.ts';
import type { Group } from './reference-order.ts';
import type { TraceRoute } from './trace.ts';

/** Effect of an execution on a node: over a link, or on itself because its window keeps what it said. */
export interface Delivery {
  readonly to: string;
  /** Makes the target due. */
  readonly triggers: boolean;
  readonly link?: Link;
  readonly queued?: Queued;
}

/** Rules for the groups of a level: the node of a group that is due, and the execution of a cycle. */
export interface LevelRules {
  /** The node of the group that is due, if any: for a cycle, the one that enters it. */
  readonly due: (group: Group) => string | undefined;
  readonly loop: (members: readonly string[], entry: string) => Promise<readonly Delivery[]>;
}

/** Returns true if a node has been triggered since it last ran. */
export const isDue = (frame: Frame, node: string): boolean =>
  placeAt(frame, node).started || frame.links.some(({ edge, fired }) => fired && edge.trigger && edge.to === node);

/**
 * Runs what is due in a level. All of it starts from the same state: nothing that one member does reaches another
 * before the level is over. The result is what they deliver, in the order of the members.
 */
export async function runLevel(
  frame: Frame,
  level: readonly Group[],
  { due, loop }: LevelRules,
): Promise<readonly Delivery[]> {
  const members = level.flatMap((group) => {
    const node = due(group);
    return node === undefined ? [] : [{ group, node }];
  });
  const plain = members.filter(({ group }) => !group.cycle).map(({ node }) => placeAt(frame, node));
  const inputs = new Map(plain.map((place) => [place.node.id, place.queue]));
  for (const place of plain) lowerFlags(frame, place);
  const deliveries: Delivery[] = [];
  let failed: RunFailed | undefined;
  for (const { group, node } of members) {
    try {
      const done = group.cycle
        ? await loop(group.members, node)
        : await run(frame, placeAt(frame, node), inputs.get(node) ?? []);
      deliveries.push(...done);
    } catch (error) {
      if (!(error instanceof RunFailed)) throw error;
      failed ??= error;
    }
  }
  if (failed !== undefined) throw failed;
  for (const place of plain) trim(place);
  return deliveries;
}

function lowerFlags(frame: Frame, place: Place): void {
  place.started = false;
  const { id } = place.node;
  for (const link of frame.links) if (link.edge.to === id || link.edge.from === id) link.fired = false;
}

/** Forgets what the node's window does not keep. */
function trim(place: Place): void {
  const window = place.node.contextWindow;
  if (window < 0) return;
  const kept = place.queue.filter(({ message }) => message.keep).length;
  const others = place.queue.length - kept;
  let surplus = others - Math.max(0, window - kept);
  place.queue = place.queue.filter(({ message }) => message.keep || surplus-- <= 0);
}

async function run(frame: Frame, place: Place, inputs: readonly Queued[]): Promise<readonly Delivery[]> {
  const { outputs, units } = await execute(frame, place, inputs);
  place.outputs.push(...outputs);
  const { deliveries, routes } = await route(frame, place, outputs);
  frame.run.activations.push({
    graph: frame.key,
    instance: frame.instance,
    node: place.node.id,
    inputs: inputs.map(({ message }) => message),
    outputs,
    routes,
    ...(units === undefined ? {} : { units }),
  });
  if (place.node.contextWindow === 0) return deliveries;
  const own = outputs.map((message): Delivery => {
    const said = over(place.node.id, place.node.id, message);
    return { to: place.node.id, triggers: false, queued: { message: said, dynamic: false } };
  });
  return [...deliveries, ...own];
}

/** Runs a node of a graph that votes: its edges count for nothing. */
export async function runAlone(frame: Frame, place: Place): Promise<void> {
  await run({ ...frame, links: [] }, place, place.queue);
  trim(place);
}

async function route(frame: Frame, place: Place, outputs: readonly Message[]) {
  const links = frame.links.filter(({ edge }) => edge.from === place.node.id);
  const deliveries: Delivery[] = [];
  const routes: TraceRoute[] = [];
  for (const [output, message] of outputs.entries()) {
    for (const link of links) {
      const delivery = await follow(link, message);
      const arrived = delivery?.queued?.message;
      if (delivery !== undefined) deliveries.push(delivery);
      routes.push({
        to: link.edge.to,
        output,
        met: delivery !== undefined,
        ...(arrived === undefined ? {} : { delivered: arrived }),
      });
    }
  }
  return { deliveries, routes };
}

/** Sends one message over one link; undefined when its condition does not hold. */
async function follow(link: Link, message: Message): Promise<Delivery | undefined> {
  const { edge } = link;
  if (!(await holds(link, message))) return undefined;
  if (!edge.carryData) return { to: edge.to, triggers: edge.trigger, link };
  const sent = over(edge.from, edge.to, { ...message, keep: message.keep || edge.keepMessage });
  const arrived = await processed(link, sent);
  if (arrived === undefined) return { to: edge.to, triggers: false, link };
  const queued = { message: arrived, dynamic: edge.dynamic !== null };
  return { to: edge.to, triggers: edge.trigger, link, queued };
}

const over = (from: string, to: string, message: Message): Message => ({
  ...message,
  role: message.preserveRole === true ? message.role : from === to ? 'assistant' : 'user',
  source: from,
});

/** A condition that throws holds. */
async function holds(link: Link, message: Message): Promise<boolean> {
  try {
    return await link.condition(textOf(message), message, () => undefined);
  } catch {
    return true;
  }
}

/** A processor that throws changes nothing. */
async function processed(link: Link, message: Message): Promise<Message | undefined> {
  try {
    // No function of an edge that runs programs is used with the reference.
    const result = await link.process(message, fakeHost());
    return result.type === 'message' ? result.message : undefined;
  } catch {
    return message;
  }
}

/** Makes deliveries count, in order. */
export function settle(frame: Frame, deliveries: readonly Delivery[]): void {
  for (const { to, link, queued, triggers } of deliveries) {
    const place = placeAt(frame, to);
    if (link !== undefined) clear(frame, place, link);
    if (queued !== undefined) place.queue = [...place.queue, queued];
    if (link !== undefined && triggers) link.fired = true;
  }
}

function clear({ run }: Frame, place: Place, { edge }: Link): void {
  const kept = edge.clearKeptContext && (edge.clearContext || run.compat);
  place.queue = place.queue.filter(({ message }) => (message.keep ? !kept : !edge.clearContext));
}
