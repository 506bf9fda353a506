import type { Decision, MessageId, RunId, RunLimits } from '@millrace/core';
import { attachmentsOf, NodeError } from '@millrace/core';
import { nextTurn } from '../concurrency/in-slices.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Store, StoredDecision } from '../ports/store/port.ts';
import type { StoredContent } from '../ports/store/stored-bytes.ts';
import { digestOf, isDigest } from './digest.ts';
import { encodeLongBody, isLongBody } from './long-bodies.ts';

/*
 * The contents that a run refers to count for its tenant: long messages, attachments, and files of its workspaces. A commit counts
 * those that it refers to before it is sent, each once in a run. Workers count what they are about to store even earlier, so
 * that nothing is stored for a commit that will be refused.
 */

/** What is needed to store contents of runs. */
interface ContentsContext {
  readonly store: Pick<Store, 'stored'>;
  readonly blobs: Pick<Blobs, 'put'>;
  readonly limits: Pick<RunLimits, 'storedBytes'>;
}

/** Returns whether a decision refers to contents beside the run. */
export const hasContents = ({ bodies, events }: Decision): boolean =>
  bodies.some(({ body }) => isLongBody(body) || (typeof body.content !== 'string' && attachmentsOf(body).length > 0)) ||
  events.some(({ type }) => type === 'files.changed');

/**
 * Returns a decision as it is committed: long messages are stored as blobs and replaced by references. Throws NodeError,
 * STORAGE_FULL, before anything is stored if the tenant has no room for what it refers to.
 */
export async function storeContents(context: ContentsContext, run: RunId, decision: Decision): Promise<StoredDecision> {
  const long = new Map<MessageId, StoredContent & { readonly bytes: Uint8Array }>();
  for (const { id, body } of decision.bodies) {
    if (!isLongBody(body)) continue;
    await nextTurn();
    const json = encodeLongBody(body);
    await nextTurn();
    const bytes = Buffer.from(json);
    await nextTurn();
    long.set(id, { bytes, digest: digestOf(bytes), size: bytes.length });
  }
  await countContents(context, run, [...long.values(), ...referredIn(decision)]);
  const stored = decision.bodies.map(async ({ id, body }) => {
    const content = long.get(id);
    return {
      id,
      body: content === undefined ? body : { blob: await context.blobs.put(content.bytes, content.digest) },
    };
  });
  return { ...decision, bodies: await Promise.all(stored) };
}

/** Returns blobs that count what is put for a run. */
export const blobsForRun = (context: ContentsContext, run: RunId): Pick<Blobs, 'put'> => ({
  async put(bytes, digest = digestOf(bytes)) {
    await countContents(context, run, [{ digest, size: bytes.length }]);
    return context.blobs.put(bytes, digest);
  },
});

/** Counts contents for a run, each once. Throws NodeError, STORAGE_FULL, if its tenant has no room for them. */
async function countContents(
  { store, limits }: ContentsContext,
  run: RunId,
  contents: readonly StoredContent[],
): Promise<void> {
  const once = [...new Map(contents.map((content) => [content.digest, content])).values()];
  if (once.length === 0 || (await store.stored.add(run, once, limits.storedBytes))) return;
  const bytes = once.reduce((sum, { size }) => sum + size, 0);
  throw new NodeError('STORAGE_FULL', storageFull(limits.storedBytes, `for ${bytes.toLocaleString('en')} more`));
}

/** Returns the message of an error that a tenant has no room; `what` completes "has no room". */
export const storageFull = (most: number, what: string): string =>
  `The tenant may store ${most.toLocaleString('en')} bytes, and has no room ${what}. Remove runs, files or batches, or raise MILLRACE_MAX_STORED_MB of all servers and workers.`;

/** Returns whether a reference is to stored content. Others may declare anything, such as negative sizes, and count nothing. */
const isStoredContent = (content: Partial<StoredContent> | undefined): content is StoredContent =>
  isDigest(content?.digest ?? '') && Number.isSafeInteger(content?.size) && (content?.size ?? -1) >= 0;

/** Returns the contents that a decision refers to by their digests: attachments of its messages, and changed files. */
function referredIn({ bodies, events }: Decision): readonly StoredContent[] {
  const attached = bodies.flatMap(({ body }) => attachmentsOf(body));
  const files = events.flatMap((event) => (event.type === 'files.changed' ? event.files : []));
  return [...attached, ...files.map(({ file }) => file)].flatMap((content) =>
    isStoredContent(content) ? [{ digest: content.digest, size: content.size }] : [],
  );
}
