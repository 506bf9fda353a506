import { randomUUID } from 'node:crypto';
import type { RunId } from '@millrace/core';
import type { Redis } from 'ioredis';
import type { Keys } from './keys.ts';
import { askServer } from './master-locator.ts';
import type { FailoverLocation, ServerAddress } from './redis-location.ts';

/*
 * A move of a slot that was interrupted leaves part of the keys at each of two nodes. While the slot is open, the nodes
 * refuse commands; as soon as one of them is its stable owner, it accepts all, beside half of the keys. So when a process
 * begins, when the owner of the slot changes, and after each outage, all commands wait until the keys are complete:
 *
 * - no other master has keys of the slot,
 * - the marker of the installation is the one that this process knows, and
 * - each run that this process knows has a state, unless it was removed: the removal of a run takes its state and its
 *   summary in one step, so a summary without a state is a run whose state is missing.
 *
 * The marker is written by the first process of an installation. A process that knows none accepts the one that it finds. It
 * writes one only where no key can be elsewhere: all masters have answered that they have none, or the slot is empty.
 */

/** Checks that all keys of an installation are at the node that owns their slot. */
export interface KeysCheck {
  /** Returns which keys are missing, as a part of a sentence; undefined if none are. */
  missing(owner: Send): Promise<string | undefined>;
  /** Sets the source of the runs whose state must be there. */
  expectRuns(known: () => readonly RunId[]): void;
}

/** Creates the check of the installation with these keys. */
export function createKeysCheck(location: ClusterLocation, keys: Keys): KeysCheck {
  let marker: string | undefined;
  let knownRuns: () => readonly RunId[] = () => [];
  return {
    async missing(owner) {
      const slot = Number(await owner('CLUSTER', 'KEYSLOT', keys.installation));
      const { found, silent } = await findKeysElsewhere(location, slot, owner);
      const [first] = found;
      if (first !== undefined) return `${first.count} keys of slot ${slot} are at ${first.place}`;
      const present = (await owner('GET', keys.installation)) as string | null;
      if (marker !== undefined && present !== marker) return `the key ${keys.installation} is not the one of before`;
      if (present === null) {
        const isEmpty = Number(await owner('CLUSTER', 'COUNTKEYSINSLOT', slot)) === 0;
        if (silent.length > 0 && !isEmpty)
          return `there is no key ${keys.installation}, and ${silent[0]} does not answer`;
        await owner('SET', keys.installation, randomUUID(), 'NX');
      }
      marker = present ?? String(await owner('GET', keys.installation));
      const run = await runWithoutState(knownRuns(), keys, owner);
      return run === undefined ? undefined : `the state of run ${run} is not there`;
    },
    expectRuns(known) {
      knownRuns = known;
    },
  };
}

/** Returns a run that is listed and has no state. */
async function runWithoutState(runs: readonly RunId[], keys: Keys, owner: Send): Promise<RunId | undefined> {
  const states = await Promise.all(runs.map((run) => owner('EXISTS', keys.run(run).state)));
  for (const run of runs.filter((_, at) => states[at] === 0))
    if ((await owner('HEXISTS', keys.summaries, run)) === 1) return run;
  return undefined;
}

/** Location of a cluster. */
type ClusterLocation = Extract<FailoverLocation, { readonly type: 'cluster' }>;

/** Keys of a slot at masters that do not own it. */
interface KeysElsewhere {
  /** Masters with such keys. */
  readonly found: readonly { readonly place: string; readonly count: number }[];
  /** Masters that did not answer. */
  readonly silent: readonly string[];
}

/** Sends a command to the owner of the slot. */
export type Send = (name: string, ...args: readonly (string | number)[]) => Promise<unknown>;

/**
 * Looks for keys of a slot at all masters but its owner. An interrupted move leaves part of them at another master, to which
 * no node redirects once the slot is stable again. Nodes that the cluster has declared dead are not asked.
 */
async function findKeysElsewhere(location: ClusterLocation, slot: number, owner: Send): Promise<KeysElsewhere> {
  const others = mastersIn(String(await owner('CLUSTER', 'NODES')), location);
  const answers = await Promise.all(
    others.map(async ({ server, isDead }) => ({
      place: `${server.host}:${server.port}`,
      count: isDead
        ? undefined
        : await askServer(location, server, (client) => countAt(client, slot)).catch(() => undefined),
    })),
  );
  return {
    found: answers.flatMap(({ place, count = 0 }) => (count > 0 ? [{ place, count }] : [])),
    silent: answers.flatMap(({ place, count }) => (count === undefined ? [place] : [])),
  };
}

/** A node that was replaced by a failover is a replica, and others learn of that later than it does. */
async function countAt(client: Redis, slot: number): Promise<number> {
  const [count, nodes] = await Promise.all([
    client.call('CLUSTER', 'COUNTKEYSINSLOT', slot),
    client.call('CLUSTER', 'NODES'),
  ]);
  return linesOf(String(nodes)).some(({ flags }) => flags.has('myself') && flags.has('master')) ? Number(count) : 0;
}

interface OtherMaster {
  readonly server: ServerAddress;
  readonly isDead: boolean;
}

/** Returns the masters beside the one that was asked. */
function mastersIn(nodes: string, { settings }: ClusterLocation): readonly OtherMaster[] {
  return linesOf(nodes).flatMap(({ address, flags }) => {
    if (!flags.has('master') || flags.has('myself') || flags.has('handshake')) return [];
    // ip:port@busPort, and the hostname since Redis 7, for which certificates are.
    const [endpoint = '', hostname = ''] = address.split(',');
    const [server = ''] = endpoint.split('@');
    const colon = server.lastIndexOf(':');
    const host = settings.tls !== undefined && hostname !== '' ? hostname : server.slice(0, colon);
    const isDead = flags.has('fail') || flags.has('noaddr');
    return [{ server: { host, port: Number(server.slice(colon + 1)) }, isDead }];
  });
}

const linesOf = (nodes: string) =>
  nodes
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, address = '', flags = ''] = line.split(' ');
      return { address, flags: new Set(flags.split(',')) };
    });
