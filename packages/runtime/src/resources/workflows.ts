import { createHash } from 'node:crypto';
import type { TenantId } from '@millrace/core';
import { omitUndefined, RequestError } from '@millrace/core';
import { LruMap } from '../blobs/read-through-cache.ts';
import type { Store } from '../ports/store/port.ts';

/*
 * A version is the text of a workflow, stored permanently under the hash of that text. A name refers to its head, one
 * record that is only replaced by compare-and-set. Publishing writes the version, then its entry in the history with
 * its author and note, then the head: a crash in between leaves a version that no head refers to, and publishing again
 * completes the work.
 */

/** A published version of a workflow, without its text. */
export interface WorkflowVersion {
  /** The first half of the SHA-256 of its text, in hexadecimal. */
  readonly hash: string;
  /** Time of its first publication, in milliseconds since 1970. */
  readonly createdAt: number;
  /** Caller that published it last. */
  readonly by: string;
  /** Note of its last publication that had one. */
  readonly note?: string;
}

/** A text that is published, and what is recorded with it. */
export interface Publication {
  readonly yaml: string;
  /** Name of the caller. */
  readonly by: string;
  /** Absent: the version keeps the note that it has. */
  readonly note?: string | undefined;
}

/** Head of a name. Times are milliseconds since 1970. */
export interface PublishedWorkflow extends WorkflowVersion {
  readonly name: string;
  /** Time from which the name refers to this version. */
  readonly publishedAt: number;
  /** Absent while runs may be started. */
  readonly archivedAt?: number;
}

/** A version and its text. */
export type WorkflowText = WorkflowVersion & { readonly yaml: string };

/** A page of versions. */
export interface VersionPage {
  readonly versions: readonly WorkflowVersion[];
  /** Cursor of the next page; absent when there is none. */
  readonly next?: string;
}

/** Condition on a name for a change; otherwise the change is refused with `WORKFLOW_MOVED`. */
export type HeadPrecondition =
  | { readonly type: 'absent' }
  | { readonly type: 'present' }
  | { readonly type: 'at'; hash: string };

/** The workflows that a tenant has published under names. All of these throw RequestError. */
export interface Workflows {
  /**
   * Makes a text the current version of a name, archived or not. Returns whether the name referred to another version
   * before.
   */
  publish(
    name: string,
    publication: Publication,
    expected?: HeadPrecondition,
  ): Promise<PublishedWorkflow & { readonly changed: boolean }>;
  find(name: string): Promise<PublishedWorkflow>;
  /** Returns a version, current or not. */
  read(name: string, hash: string): Promise<WorkflowText>;
  /** Returns the text of `name` or `name@hash` for a new run. Throws, too, when the workflow is archived. */
  resolve(reference: string): Promise<Pick<WorkflowText, 'yaml'>>;
  /** Versions of a name, the newest first, from behind `after` on (`''`: from the start). */
  versions(name: string, after: string, limit: number): Promise<VersionPage>;
  /** In the order of their names, from behind `after` on (`''`: from the start). */
  list(after: string, limit: number): Promise<readonly PublishedWorkflow[]>;
  /** Refuses new runs from now on; existing runs continue. */
  archive(name: string, expected?: HeadPrecondition): Promise<PublishedWorkflow>;
}

/** Published workflows in the registry of a store. */
export function createWorkflows({ registry, now }: Pick<Store, 'registry' | 'now'>, tenant: TenantId): Workflows {
  const heads = `workflows/${tenant}`;
  const versions = createVersions({ registry, now }, tenant);
  const move = (name: string, next: HeadChange, expected?: HeadPrecondition) =>
    exchangeHead({ registry, heads, name }, next, expected);

  async function find(name: string): Promise<PublishedWorkflow> {
    const json = await registry.read(heads, name);
    if (json === undefined) throw unknownWorkflow(name);
    return headOf(json);
  }

  return {
    find,
    read: versions.read,
    async publish(name, { yaml, by, note }, expected) {
      const hash = createHash('sha256').update(yaml).digest('hex').slice(0, 32);
      let isMoved = false;
      const next: HeadChange = async (head) => {
        const isCurrent = head?.hash === hash && head.archivedAt === undefined;
        if (isCurrent && (note === undefined || note === head.note)) return head;
        isMoved = !isCurrent;
        const version = await versions.keep(name, { hash, yaml, by, ...omitUndefined({ note }) });
        return { name, ...version, publishedAt: isCurrent ? head.publishedAt : now() };
      };
      const { head } = await move(name, next, expected);
      return { ...head, changed: isMoved };
    },
    async resolve(reference) {
      const [name = '', hash] = reference.split('@', 2);
      const head = await find(name);
      // A head refers to a version only once it is complete.
      if (head.archivedAt === undefined)
        return hash === undefined ? versions.readText(name, head.hash) : versions.read(name, hash);
      throw new RequestError(
        'WORKFLOW_ARCHIVED',
        `The workflow ${name} is archived and starts no runs. Publish it again to use it.`,
      );
    },
    async versions(name, after, limit) {
      await find(name);
      return versions.page(name, after, limit);
    },
    async list(after, limit) {
      return (await registry.page(heads, after, limit)).map(({ json }) => headOf(json));
    },
    async archive(name, expected) {
      const next: HeadChange = async (head) => {
        if (head === undefined) throw unknownWorkflow(name);
        return head.archivedAt === undefined ? { ...head, archivedAt: now() } : head;
      };
      return (await move(name, next, expected)).head;
    },
  };
}

/** Texts of the published versions. */
function createVersions({ registry, now }: Pick<Store, 'registry' | 'now'>, tenant: TenantId) {
  const texts = (name: string): string => `workflow-versions/${tenant}/${name}`;
  const history = (name: string): string => `workflow-history/${tenant}/${name}`;

  const readText = (name: string, hash: string): Promise<StoredText> =>
    rememberedTexts(registry).of(`${texts(name)}@${hash}`, async () => {
      const json = await registry.read(texts(name), hash);
      if (json === undefined) throw unknownWorkflow(`${name}@${hash}`);
      return JSON.parse(json) as StoredText; // written by `keep`
    });

  async function recorded(name: string, version: StoredText): Promise<WorkflowVersion | undefined> {
    const json = await registry.read(history(name), cursorOf(version));
    return json === undefined ? undefined : (JSON.parse(json) as WorkflowVersion); // written by `keep`
  }

  return {
    readText,
    async read(name: string, hash: string): Promise<WorkflowText> {
      const text = await readText(name, hash);
      const version = await recorded(name, text);
      // Its publication was interrupted.
      if (version === undefined) throw unknownWorkflow(`${name}@${hash}`);
      return { ...version, ...text };
    },
    async keep(name: string, { yaml, ...publication }: NewVersion): Promise<WorkflowVersion> {
      const fresh: StoredText = { hash: publication.hash, createdAt: now(), yaml };
      const isNew = await registry.add(texts(name), publication.hash, JSON.stringify(fresh));
      const { createdAt } = isNew ? fresh : await readText(name, publication.hash);
      const before = isNew ? undefined : await recorded(name, { ...fresh, createdAt });
      const version = { ...before, ...publication, createdAt };
      await registry.write(history(name), cursorOf(version), JSON.stringify(version));
      return version;
    },
    async page(name: string, after: string, limit: number): Promise<VersionPage> {
      const entries = await registry.page(history(name), after, limit + 1);
      const versions = entries.slice(0, limit).map(({ json }) => JSON.parse(json) as WorkflowVersion); // written by `keep`
      const last = entries[limit - 1];
      return { versions, ...(entries.length > limit && last !== undefined ? { next: last.id } : {}) };
    },
  };
}

/** Number of texts that a process remembers. */
const maxTexts = 50;

const textsByRegistry = new WeakMap<Store['registry'], LruMap<StoredText>>();

/** Returns the texts of versions that this process has read from a registry. */
function rememberedTexts(registry: Store['registry']): LruMap<StoredText> {
  const known = textsByRegistry.get(registry) ?? new LruMap<StoredText>({ limit: maxTexts });
  textsByRegistry.set(registry, known);
  return known;
}

/** Text of a version, which never changes. */
type StoredText = Pick<WorkflowText, 'hash' | 'createdAt' | 'yaml'>;

type NewVersion = Omit<WorkflowText, 'createdAt'>;

interface RegistryHead {
  readonly registry: Store['registry'];
  readonly heads: string;
  readonly name: string;
}

/** Replaces the head of a name, also with concurrent changes. */
async function exchangeHead(
  { registry, heads, name }: RegistryHead,
  next: HeadChange,
  expected?: HeadPrecondition,
): Promise<HeadChangeResult> {
  for (;;) {
    const before = await registry.read(heads, name);
    const head = before === undefined ? undefined : headOf(before);
    assertHeadPrecondition(name, head, expected);
    const wanted = await next(head);
    if (head !== undefined && wanted === head) return { head, changed: false };
    if (await registry.exchange(heads, name, { before, after: JSON.stringify(wanted) })) {
      return { head: wanted, changed: true };
    }
  }
}

const headOf = (json: string): PublishedWorkflow => JSON.parse(json) as PublishedWorkflow; // written by `exchangeHead`

/** Returns the new head; the same one when nothing changes. */
type HeadChange = (head: PublishedWorkflow | undefined) => Promise<PublishedWorkflow>;

interface HeadChangeResult {
  readonly head: PublishedWorkflow;
  readonly changed: boolean;
}

/** The ids of a register are in ascending order; the newest version comes first. */
const cursorOf = ({ hash, createdAt }: Pick<WorkflowVersion, 'hash' | 'createdAt'>): string =>
  `${String(999_999_999_999_999 - Math.trunc(createdAt)).padStart(15, '0')}.${hash}`;

function assertHeadPrecondition(
  name: string,
  head: PublishedWorkflow | undefined,
  expected: HeadPrecondition | undefined,
): void {
  if (expected === undefined) return;
  const holds = {
    absent: head === undefined,
    present: head !== undefined,
    at: expected.type === 'at' && head?.hash === expected.hash,
  };
  if (holds[expected.type]) return;
  const position = head === undefined ? 'is not published' : `is at the version ${head.hash}`;
  throw new RequestError('WORKFLOW_MOVED', `The workflow ${name} ${position}, which is not what this change expects.`);
}

const unknownWorkflow = (reference: string): RequestError =>
  new RequestError('WORKFLOW_UNKNOWN', `There is no workflow ${reference}.`);
