import type { ListKey, QueueName, RecordKey, RunId, TenantId } from '@millrace/core';
import { defaultQueue, defaultTenant, rootScope } from '@millrace/core';
import { storedFormat } from './format.ts';

/**
 * Every Redis key of an installation. They share the prefix, and with it one hash tag, so that one script may write
 * any of them. The names are meant to be read by people with redis-cli; node ids may hold any character, so they
 * stand last.
 *
 * What processes act upon by themselves stands below `{millrace}:v<format>`, the queues of BullMQ included: builds of
 * different formats that share an installation never take each other's work. Builds of format 1 have no such part in
 * their names, and keep the state of a run under `{millrace}:run:<run>:state`.
 *
 *     {millrace}:format                    string  latest format with which this installation was ever served
 *     {millrace}:v2:taking-over            string  there while a process takes over what earlier builds have left; expires
 *     {millrace}:v2:lease:<name>           string  the process that does one kind of work for all; expires
 *     {millrace}:run:<run>:records         hash    one JSON record per field (core's records.ts), version, nonce, format
 *     {millrace}:run:<run>:journal         stream  one entry per commit, id <version>-0, field `commit`
 *     {millrace}:run:<run>:messages        hash    message id → body
 *     {millrace}:run:<run>:counters        hash    node id → value of the loop counter
 *     {millrace}:run:<run>:timers          hash    node id → start of the loop timer
 *     {millrace}:run:<run>:controllers     hash    node id → what the controller remembers of its rounds
 *     {millrace}:run:<run>:memory:<identity>
 *                                          stream  memory file that is removed with its run
 *     {millrace}:run:<run>:memories        set     identities of those memory files
 *     {millrace}:run:<run>:context:<node>  list    messages that wait at the node
 *     {millrace}:run:<run>:kept:<node>     list    of those, the ones that only an explicit clear removes
 *     {millrace}:run:<run>:outputs:<node>  list    all outputs of the node
 *     {millrace}:run:<run>:archive:journal list    parts of the journal that are kept as blobs
 *     {millrace}:run:<run>:units:<scope>   list    units of a fan-out; likewise other lists of a scope
 *     {millrace}:run:<run>:due:<scope>     list    items of a graph that nothing holds up any more
 *     {millrace}:run:<run>:pending:<scope>/<frame>/<node>
 *                                          list    deliveries that do not count yet
 *     {millrace}:run:<run>:files:<scope>   list    what has become of the files of a graph's workspace
 *     {millrace}:run:<run>:changes:<activation>
 *                                          list    what an activation has changed and nobody else sees yet
 *     {millrace}:run:<run>:turns:<scope>   list    activations held until it is their turn at the workspace
 *     {millrace}:v2:agenda                 zset    wake id → when it is overdue, in milliseconds
 *     {millrace}:v2:ticks                  zset    series of ticks → when each is due, in milliseconds
 *     {millrace}:v2:ticks:entries          hash    series of ticks → its times, and the next one that is not done
 *     {millrace}:runs                      zset    run → start in milliseconds; runs:status:<status>, likewise with one
 *                                                  workflow or tag; runs:asking: with questions to people;
 *                                                  tenant:<tenant>:runs…: of other tenants than the default
 *     {millrace}:v2:batch:<tenant>~<id>~<making>:rows
 *                                          hash    row → what is to be done with it; likewise :statuses, :notes
 *     {millrace}:v2:batch:<tenant>~<id>~<making>:usage
 *                                          hash    numbers of tokens and costs of its rows
 *     {millrace}:v2:batch:<tenant>~<id>~<making>:status:<status>
 *                                          zset    the rows with a status, by their numbers
 *     {millrace}:v2:notices                stream  notices that must be sent to programs outside, fields `run`, `entry`
 *     {millrace}:ended:<status>            zset    run → when it ended so, in milliseconds; of all tenants
 *     {millrace}:discarded                 set     digests of blobs that no run refers to any more, until they are deleted
 *     {millrace}:probe                     none    key of writes that change nothing and test whether Redis accepts writes
 *     {millrace}:summaries                 hash    run → its line in lists of runs
 *     {millrace}:plan:<hash>               string  source of a compiled workflow
 *     {millrace}:text:<hash>               string  text of a workflow file that runs were started with
 *     {millrace}:memory:<identity>         stream  what a memory store holds, one memory per entry, field `memory`
 *     {millrace}:vector:<key>              string  vector of a text; expires; <tenant>~<key> of other tenants than the default
 *     {millrace}:blob:<sha256>             string  contents of an attachment, a file or a long message
 *     {millrace}:blobs                     zset    sha256 → when those contents were put or needed last, in milliseconds
 *     {millrace}:blobs:objects             hash    sha256 → generation and size of the object with those contents, in S3
 *     {millrace}:blobs:uploads             zset    <sha256>.<generation> → when its upload began, until it is an object
 *     {millrace}:blobs:deletions           set     <sha256>.<generation> of objects that must be deleted
 *     {millrace}:register:<name>           hash    entries of a register by id, see registry.ts; those of batches and
 *                                                  schedules are {millrace}:v2:register:<name>
 *     {millrace}:ids:<name>                zset    the ids of a register, in their order; likewise
 *     {millrace}:held:<name>               string  what is kept for a while, such as answers to requests; expires
 *     {millrace}:usage:<tenant>:<day>      hash    <workflow>/<model>/<measure> → number of that day in UTC; expires
 *     {millrace}:usage:tenants             zset    tenant → the last day with usage, in milliseconds
 *     {millrace}:queues                    set     names of queues beside the default one
 *     {millrace}:v2:share:…                 who has how much of the queues, and whose wakes wait outside, see queue/fair
 *     {millrace}:limits                    set     tenants with limits
 *     {millrace}:limits:<tenant>           hash    workflow, or nothing for all → wakes in the queues at a time
 *     {millrace}:rate:<model>              hash    the line in front of a model, with `:log` and `:waiting`; expires
 *
 * Beside the keys, `{millrace}:live:<run>` and `{millrace}:live:watch` are channels: messages there are not stored.
 *
 * Inside a subgraph, counters, timers, controllers, context, kept and outputs carry the frame: `<run>:<frame>:counters`.
 */
export interface Keys {
  readonly prefix: string;
  /** Format of the builds that use these keys. */
  readonly format: number;
  /** Prefix of the names of everything that only builds of this format process, the queues of BullMQ included. */
  readonly home: string;
  /** Exists while a process takes over the data of builds with earlier formats. */
  readonly takingOver: string;
  /** Latest format with which the installation was ever served. */
  readonly latestFormat: string;
  /** Holder of a lease, see maintenance/lease.ts. */
  lease(name: string): string;
  readonly agenda: string;
  /** Series of ticks, by the time at which each is due. */
  readonly ticks: string;
  readonly tickEntries: string;
  readonly summaries: string;
  readonly outbox: string;
  /** Of a batch, by its name in the installation. */
  batch(name: string): BatchKeys;
  /** Runs of all tenants that have ended with a status. */
  ended(status: string): string;
  readonly discarded: string;
  /** Numbers of what a tenant used on one day. */
  usage(tenant: TenantId, day: string): string;
  /** The tenants with usage, by their last day. */
  readonly usageTenants: string;
  /** Key of writes that change nothing, which show whether Redis accepts writes; never exists. */
  readonly probe: string;
  /** Prefix of channels; see live.ts. */
  readonly live: string;
  /** The lists of a tenant's runs. */
  lists(tenant: TenantId): ListKeys;
  register(name: string): string;
  ids(register: string): string;
  held(name: string): string;
  /** Names of the queues beside the default one that were ever used. */
  readonly queues: string;
  /** Numbers of wakes in the queues by tenant; see queue/fair. */
  readonly slots: string;
  readonly recounted: string;
  /** Limits of wakes in the queues, by tenant and workflow. */
  limits(tenant: TenantId): string;
  /** The tenants that have limits. */
  readonly limited: string;
  plan(hash: string): string;
  text(hash: string): string;
  memory(identity: string): string;
  vector(key: string): string;
  blob(digest: string): string;
  /** Times at which each of them was last put or needed. */
  readonly blobs: string;
  /** Objects of an S3 store: those with contents, those that are being written, and those that must be deleted. */
  readonly blobObjects: string;
  readonly blobUploads: string;
  readonly blobDeletions: string;
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
  readonly rows: string;
  readonly statuses: string;
  readonly notes: string;
  /** Usage of its rows. */
  readonly usage: string;
  withStatus(status: string): string;
}

/** The keys of one run. */
export interface RunKeys {
  readonly base: string;
  readonly state: string;
  readonly journal: string;
  readonly messages: string;
  readonly memories: string;
}

/** Location of a record. */
export interface Field {
  readonly hash: string;
  readonly field: string;
}

/** Default prefix of an installation. */
export const defaultPrefix = '{millrace}';

/** Returns the keys of the installation with this prefix, as builds of a format name them. */
export function createKeys(prefix: string = defaultPrefix, format: number = storedFormat): Keys {
  if (!/\{[^{}]+\}/.test(prefix))
    throw new TypeError(`The Redis prefix "${prefix}" needs a hash tag, as in "{${prefix}}".`);
  const home = format === 1 ? prefix : `${prefix}:v${format}`;
  const registersOf = (name: string): string => (actedUpon.test(name) ? home : prefix);
  return {
    prefix,
    format,
    home,
    takingOver: `${home}:taking-over`,
    latestFormat: `${prefix}:format`,
    lease: (name) => `${home}:lease:${name}`,
    agenda: `${home}:agenda`,
    ticks: `${home}:ticks`,
    tickEntries: `${home}:ticks:entries`,
    summaries: `${prefix}:summaries`,
    outbox: `${home}:notices`,
    batch: (name) => batchKeys(`${home}:batch:${name}`),
    ended: (status) => `${prefix}:ended:${status}`,
    discarded: `${prefix}:discarded`,
    usage: (tenant, day) => `${prefix}:usage:${tenant}:${day}`,
    usageTenants: `${prefix}:usage:tenants`,
    probe: `${prefix}:probe`,
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
    run: (run) => {
      const base = `${prefix}:run:${run}`;
      return {
        base,
        state: format === 1 ? `${base}:state` : `${base}:records`,
        journal: `${base}:journal`,
        messages: `${base}:messages`,
        memories: `${base}:memories`,
      };
    },
  };
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

/** Lease of the caretaker: the agenda, the counts of wakes, and the recovery of jobs. */
export const agendaLease = 'agenda';

/** Exists for a while after unneeded contents were swept; see retention/sweep-files.ts. */
export const fileSweep = 'sweep/files';

/** Returns whether a memory store is run-scoped. */
export const isOfRun = (identity: string): boolean => identity.startsWith('run:');

/**
 * Returns whether a record is stored outside of the state hash, as all lists are. Such a record has an empty field in
 * the state hash under its own key, so the state hash lists everything that must be loaded.
 */
export const isRecordApart = (key: string): key is RecordKey =>
  key.startsWith('counters/') || key.startsWith('timers/') || key.startsWith('controllers/');

/** Returns the place of a record. */
export function fieldOf(run: RunKeys, key: RecordKey): Field {
  if (!isRecordApart(key)) return { hash: run.state, field: key };
  const [kind, rest] = splitOnce(key);
  const [frame, node] = splitOnce(rest);
  return { hash: `${frameBase(run, frame)}:${kind}`, field: node };
}

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

/** Returns the name that BullMQ knows a queue of wakes by. */
export const bullName = (queue: QueueName = defaultQueue): string =>
  queue === defaultQueue ? 'activations' : `activations-${queue}`;
