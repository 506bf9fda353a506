import type { TenantId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { Store } from './store/port.ts';

/** Somebody has taken a question on, until then (milliseconds since 1970) or until it is answered. */
export interface Claim {
  readonly assignee: string;
  readonly until: number;
}

/** Who works on the answers to which questions, by the ids of tasks. A claim ends by itself. */
export interface Claims {
  /** Takes a question on, or keeps it for longer. Throws RequestError when somebody else has it. */
  claim(task: string, assignee: string, forMs: number): Promise<Claim>;
  /** Gives it back; what somebody else has stays theirs. */
  release(task: string, assignee: string): Promise<void>;
  of(tasks: readonly string[]): Promise<readonly (Claim | undefined)[]>;
  /** Throws RequestError when somebody else has it. */
  assertFree(task: string, by: string | undefined): Promise<void>;
}

/**
 * The claims of a tenant. They say who means to answer and keep two people from writing the same answer; which answer
 * counts is decided by the run, where the first one wins.
 */
export function createClaims({ registry, now }: Pick<Store, 'registry' | 'now'>, tenant: TenantId): Claims {
  const nameOf = (task: string): string => `claim/${tenant}/${task}`;
  const of: Claims['of'] = async (tasks) => (await registry.held(tasks.map(nameOf))).map(claimOf);
  return {
    of,
    async claim(task, assignee, forMs) {
      const claim: Claim = { assignee, until: now() + forMs };
      const there = claimOf(await registry.hold(nameOf(task), JSON.stringify(claim), forMs));
      if (there === undefined) return claim;
      if (there.assignee !== assignee) throw claimed(task, there);
      await registry.replace(nameOf(task), JSON.stringify(claim), forMs);
      return claim;
    },
    async release(task, assignee) {
      const [there] = await of([task]);
      if (there?.assignee === assignee) await registry.release(nameOf(task));
    },
    async assertFree(task, by) {
      const [there] = await of([task]);
      if (there !== undefined && there.assignee !== by) throw claimed(task, there);
    },
  };
}

const claimOf = (json: string | undefined): Claim | undefined =>
  json === undefined ? undefined : (JSON.parse(json) as Claim); // written by `claim`

const claimed = (task: string, { assignee, until }: Claim): RequestError =>
  new RequestError(
    'TASK_CLAIMED',
    `${assignee} has taken ${task} on, until ${new Date(until).toISOString()} or until it is answered.`,
  );
