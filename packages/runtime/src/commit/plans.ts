import { createHash } from 'node:crypto';
import type { Plan, Vocabulary, Workflow } from '@millrace/core';
import { compile } from '@millrace/core';
import { LruMap } from '../blobs/read-through-cache.ts';
import { nextTurn } from '../concurrency/in-slices.ts';
import type { Store } from '../ports/store/port.ts';
import { UnrecoverableRunError } from './unrecoverable-run.ts';

/** Store of compiled plans by content hash: stored once, compiled once per process. */
export interface Plans {
  /** Compiles a workflow and returns its hash, which identifies it permanently. */
  hashOf(workflow: Workflow): Promise<string>;
  /** Stores a workflow and returns its hash. */
  save(workflow: Workflow): Promise<string>;
  /** Throws when no workflow with this hash is stored. */
  load(hash: string): Promise<StoredPlan>;
}

/** A stored workflow and its plan. */
export interface StoredPlan {
  readonly workflow: Workflow;
  readonly plan: Plan;
}

/** Maximum number of compiled plans that a process keeps. */
const maxPlans = 500;

/** Characters of a workflow from which hashing and compiling it have turns of the event loop of their own. */
const longText = 64 * 1024;

/** Creates the plans of a store. */
export function createPlans(store: Store, vocabulary: Vocabulary): Plans {
  const known = new LruMap<StoredPlan>({ limit: maxPlans });
  // Compiled from the stored text in every process: another order of the same fields would change requests to models.
  const storedAs = (json: string): StoredPlan => {
    const workflow = JSON.parse(json) as Workflow; // stored by `save`, under the hash of its content
    return { workflow, plan: compile(workflow, vocabulary) };
  };
  const read = async (hash: string): Promise<StoredPlan> => {
    const json = await store.loadPlan(hash);
    if (json === undefined)
      throw new UnrecoverableRunError('PLAN_MISSING', `No workflow with the hash ${hash} is stored.`, undefined);
    try {
      return storedAs(json);
    } catch (error) {
      throw new UnrecoverableRunError(
        'PLAN_INVALID',
        `The stored workflow ${hash} cannot be compiled: ${String(error)}`,
        error,
      );
    }
  };
  const named = new WeakMap<Workflow, HashedWorkflow>();
  async function compiled(workflow: Workflow): Promise<HashedWorkflow> {
    const hashed = named.get(workflow) ?? hashedWorkflow(workflow);
    named.set(workflow, hashed);
    if (hashed.json.length > longText) await nextTurn();
    // Another caller may be about to fail at reading a plan that is saved only now.
    await known.of(hashed.hash, async () => storedAs(hashed.json)).catch(() => storedAs(hashed.json));
    return hashed;
  }
  return {
    hashOf: async (workflow) => (await compiled(workflow)).hash,
    async save(workflow) {
      const { hash, json } = await compiled(workflow);
      // Saved on every call: a store that was reset to an earlier state may have lost a plan that this process saved.
      await store.savePlan(hash, json);
      return hash;
    },
    load: (hash) => known.of(hash, () => read(hash)),
  };
}

/** Returns a workflow's canonical text and its hash. */
interface HashedWorkflow {
  readonly hash: string;
  readonly json: string;
}

function hashedWorkflow(workflow: Workflow): HashedWorkflow {
  const json = JSON.stringify(workflow, withSortedFields);
  return { json, hash: createHash('sha256').update(json).digest('hex').slice(0, 32) };
}

/** Sorts the fields of each object. */
function withSortedFields(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const sorted: Record<string, unknown> = Object.create(null); // so that `__proto__` is a field as any other
  for (const name of Object.keys(value).sort()) sorted[name] = Reflect.get(value, name);
  return sorted;
}
