import type { ListKey, QueueName, RunId, TenantId, Wake } from '@millrace/core';
import { defaultQueue, defaultTenant, rootScope } from '@millrace/core';
import { storedFormat } from '../../../ports/store/format.ts';
import { fileSweep } from '../../../ports/store/registry.ts';

/**
 * Names of the Redis keys of an installation; docs/reference/redis-keys.md describes the type and content of each. They
 * share the prefix, and with it one hash tag, so that one script can write any of them. People read them with redis-cli;
 * node ids can contain any character, so they are last.
 *
 * Keys on which processes act by themselves are below `{millrace}:v<format>`, the queues of BullMQ included: builds of
 * different formats that share an installation never take each other's work.
 */
export interface Keys {
  readonly prefix: string;
  /** Format of the builds that use these keys. */
  readonly format: number;
  /** Prefix of the names of everything that only builds of this format process, the queues of BullMQ included. */
  readonly home: string;
  /** Keys of which development builds, which stored in the formats 1 to 3, have written at least one. */
  readonly older: readonly string[];
  /** Holder of a lease, see redis/lease.ts. */
  lease(name: string): string;
  /** Wakes and alarms, by the time at which each is due. */
  readonly agenda: string;
  /** Series of ticks, by the time at which each is due. */
  readonly ticks: string;
  /** Times of each series of ticks. */
  readonly tickEntries: string;
  /** Entries of runs in lists of runs. */
  readonly summaries: string;
  /** Notices that must be sent to programs outside. */
  readonly outbox: string;
  /** Keys of a batch, by its name in the installation. */
  batch(name: string): BatchKeys;
  /** Runs of all tenants that have ended with a status. */
  ended(status: string): string;
  /** Temporary runs of all tenants, by the time at which each is removed. */
  readonly expiring: string;
  /** Digests of blobs that no run refers to any more, until they are deleted. */
  readonly discarded: string;
  /** Numbers of what a tenant used on one day. */
  usage(tenant: TenantId, day: string): string;
  /** Bytes that a tenant has stored, by their owners; their sum under ''. */
  stored(tenant: TenantId): string;
  /** The tenants that have stored any. */
  readonly storedTenants: string;
  /** The tenants with usage, by their last day. */
  readonly usageTenants: string;
  /** Marker of an installation in a cluster; see redis/location/keys-check.ts. */
  readonly installation: string;
  /** Key of writes that change nothing, which show whether Redis accepts writes; never exists. */
  readonly probe: string;
  /** Key of writes whose arrival at replicas is awaited; see redis/store/confirmations.ts. */
  readonly confirmed: string;
  /** Prefix of channels; see live.ts. */
  readonly live: string;
  /** The lists of a tenant's runs. */
  lists(tenant: TenantId): ListKeys;
  /** Entries of a register by id; see registry.ts. */
  register(name: string): string;
  /** Ids of a register, in their order. */
  ids(register: string): string;
  /** Value that is kept for a while, such as the answer to a request; expires. */
  held(name: string): string;
  /** Names of the queues beside the default one that were ever used. */
  readonly queues: string;
  /** Numbers of wakes in the queues by tenant; see queue/fair. */
  readonly slots: string;
  /** Exists for a while after the slots were counted. */
  readonly recounted: string;
  /** Limits of wakes in the queues, by tenant and workflow. */
  limits(tenant: TenantId): string;
  /** The tenants that have limits. */
  readonly limited: string;
  /** Source of a compiled workflow. */
  plan(hash: string): string;
  /** Text of a workflow file with which runs were started. */
  text(hash: string): string;
  /** Memories of a store. */
  memory(identity: string): string;
  /** Vector of a text; expires. */
  vector(key: string): string;
  /** Contents of an attachment, a file or a long message. */
  blob(digest: string): string;
  /** Times at which each blob was last put or needed. */
  readonly blobs: string;
  /** Objects of an S3 store: those with contents, those that are being written, and those that must be deleted. */
  readonly blobObjects: string;
  readonly blobUploads: string;
  readonly blobDeletions: string;
  /** The line of requests for a model; expires. */
  rate(model: string): string;
  run(run: RunId): RunKeys;
}

/** The lists of one tenant's runs. */
export interface ListKeys {
  readonly all: string;
  status(status: string): string;
  workflow(name: string): string;
  tag(tag: string): string;
  /** Runs with open questions. */
  readonly asking: string;
}

/** The keys of one batch. */
export interface BatchKeys {
  /** Data of its rows by their numbers; likewise their statuses and results. */
  readonly rows: string;
  readonly statuses: string;
  readonly notes: string;
  /** Usage of its rows. */
  readonly usage: string;
  /** Rows with a status, by their numbers. */
  withStatus(status: string): string;
}

/** The keys of one run. */
export interface RunKeys {
  /** Beginning of the names of all keys of the run; inside a subgraph the frame follows. */
  readonly base: string;
  /** Records of the run by their keys, and the version, nonce and format of the last commit. */
  readonly state: string;
  /** One entry per commit, with the id `<version>-0`. */
  readonly journal: string;
  /** Bodies of messages by their ids. */
  readonly messages: string;
  /** Names of the memory stores that are removed with the run. */
  readonly memories: string;
  /** Bytes of the contents beside the run that it refers to, by their digests. */
  readonly contents: string;
}

/** Default prefix of an installation. */
export const defaultPrefix = '{millrace}';

/** Returns the keys of the installation with this prefix, as builds of a format name them. */
export function createKeys(prefix: string = defaultPrefix, format: number = storedFormat): Keys {
  if (!/\{[^{}]+\}/.test(prefix))
    throw new TypeError(`The Redis prefix "${prefix}" needs a hash tag, as in "{${prefix}}".`);
  const home = `${prefix}:v${format}`;
  const registersOf = (name: string): string => (actedUpon.test(name) ? home : prefix);
  return {
    prefix,
    format,
    home,
    older: [`${prefix}:format`, ...['', ':v2', ':v3'].map((former) => `${prefix}${former}:activations:meta`)],
    lease: (name) => `${home}:lease:${name}`,
    agenda: `${home}:agenda`,
    ticks: `${home}:ticks`,
    tickEntries: `${home}:ticks:entries`,
    summaries: `${prefix}:summaries`,
    outbox: `${home}:notices`,
    batch: (name) => batchKeys(`${home}:batch:${name}`),
    ended: (status) => `${prefix}:ended:${status}`,
    expiring: `${prefix}:expiring`,
    discarded: `${prefix}:discarded`,
    usage: (tenant, day) => `${prefix}:usage:${tenant}:${day}`,
    stored: (tenant) => `${prefix}:stored:${tenant}`,
    storedTenants: `${prefix}:stored`,
    usageTenants: `${prefix}:usage:tenants`,
    installation: `${prefix}:installation`,
    probe: `${prefix}:probe`,
    confirmed: `${prefix}:confirmed`,
    blobs: `${prefix}:blobs`,
    blobObjects: `${prefix}:blobs:objects`,
    blobUploads: `${prefix}:blobs:uploads`,
    blobDeletions: `${prefix}:blobs:deletions`,
    live: `${prefix}:live`,
    lists: (tenant) => {
      const all = tenant === defaultTenant ? `${prefix}:runs` : `${prefix}:tenant:${tenant}:runs`;
      return {
        all,
        status: (status) => `${all}:status:${status}`,
        workflow: (name) => `${all}:workflow:${name}`,
        tag: (tag) => `${all}:tag:${tag}`,
        asking: `${all}:asking`,
      };
    },
    register: (name) => `${registersOf(name)}:register:${name}`,
    ids: (register) => `${registersOf(register)}:ids:${register}`,
    held: (name) => `${name === fileSweep ? home : prefix}:held:${name}`,
    queues: `${prefix}:queues`,
    slots: `${home}:share:slots`,
    recounted: `${home}:share:recounted`,
    limits: (tenant) => `${prefix}:limits:${tenant}`,
    limited: `${prefix}:limits`,
    plan: (hash) => `${prefix}:plan:${hash}`,
    text: (hash) => `${prefix}:text:${hash}`,
    // The name of a run-scoped store contains its run, and its key is among the keys of that run.
    memory: (identity) => (isOfRun(identity) ? `${prefix}:${identity}` : `${prefix}:memory:${identity}`),
    vector: (key) => `${prefix}:vector:${key}`,
    blob: (digest) => `${prefix}:blob:${digest}`,
    rate: (model) => `${prefix}:rate:${model}`,
    run: (run) => new NamesOfRun(`${prefix}:run:${run}`),
  };
}

/** A commit uses two or three of the names: each is made when it is asked for. */
class NamesOfRun implements RunKeys {
  readonly base: string;

  constructor(base: string) {
    this.base = base;
  }

  get state(): string {
    return `${this.base}:records`;
  }

  get journal(): string {
    return `${this.base}:journal`;
  }

  get messages(): string {
    return `${this.base}:messages`;
  }

  get memories(): string {
    return `${this.base}:memories`;
  }

  get contents(): string {
    return `${this.base}:contents`;
  }
}

const batchKeys = (base: string): BatchKeys => ({
  rows: `${base}:rows`,
  statuses: `${base}:statuses`,
  notes: `${base}:notes`,
  usage: `${base}:usage`,
  withStatus: (status) => `${base}:status:${status}`,
});

/** Registers that background processes work on; all others are only read. */
const actedUpon = /^(?:schedules|schedule-ticks|open-batches|batches\/.*)$/s;

/** Returns whether a memory store is run-scoped. */
export const isOfRun = (identity: string): boolean => identity.startsWith('run:');

/**
 * Returns whether a list holds messages that wait at a node, or that are on their way to one. It usually has one entry,
 * and that is stored in the state hash under the key of the list; with more entries, it is stored as all lists are: under a
 * key of its own, with an empty field in the state hash, which so lists everything that must be loaded.
 */
export const isMessageList = (key: string): key is ListKey =>
  key.startsWith('recent/') || key.startsWith('kept/') || key.startsWith('pending/');

/** Returns the place of a list. */
export function listOf(run: RunKeys, key: ListKey): string {
  const [kind, rest] = splitOnce(key);
  const name = nodeLists[kind];
  if (name === undefined) return `${run.base}:${kind}:${rest}`;
  const [frame, node] = splitOnce(rest);
  return `${frameBase(run, frame)}:${name}:${node}`;
}

/** Names of the lists of a node in keys, by their kind. */
const nodeLists: Readonly<Record<string, string>> = { recent: 'context', kept: 'kept', outputs: 'outputs' };

const frameBase = (run: RunKeys, frame: string): string => (frame === rootScope ? run.base : `${run.base}:${frame}`);

function splitOnce(key: string): readonly [string, string] {
  const at = key.indexOf('/');
  return at < 0 ? [key, ''] : [key.slice(0, at), key.slice(at + 1)];
}

/**
 * Returns the id of the job of a wake. BullMQ repeats it in most of its commands, and a token occurs only once in an
 * installation, so the id does not contain the run.
 */
export const jobId = ({ activation, token }: Wake): string => `${activation}.${token}`;

/** Returns the name that BullMQ knows a queue of wakes by. */
export const bullName = (queue: QueueName = defaultQueue): string =>
  queue === defaultQueue ? 'jobs' : `jobs-${queue}`;
