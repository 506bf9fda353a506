import { randomUUID } from 'node:crypto';
import type { TenantId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { Store } from '../ports/store/port.ts';

/** Claim of a question, until a time (milliseconds since 1970) or until it is answered. */
export interface Claim {
  readonly assignee: string;
  readonly until: number;
}

/** Claims of questions, by the ids of tasks. A claim expires by itself. */
export interface Claims {
  /**
   * Claims a question, or extends the claim. Throws RequestError if another person has claimed it, or is answering it.
   */
  claim(task: string, assignee: string, forMs: number): Promise<Claim>;
  /** Releases a claim; a claim of another person stays. */
  release(task: string, assignee: string): Promise<void>;
  of(tasks: readonly string[]): Promise<readonly (Claim | undefined)[]>;
  /** Submits an answer, while the question cannot be claimed. Throws RequestError if another person has claimed it. */
  answering(task: string, by: string | undefined, give: () => Promise<void>): Promise<void>;
}

/** Time within which an answer must be committed before the question can be claimed again. */
const answeringMs = 30_000;

/** Stored value of a question: a claim, or an answer that is being submitted. */
type TaskHold = Claim | { readonly answering: string };

/**
 * Claims of a tenant. A claim and the submission of an answer are stored under one name, so the first of them excludes
 * the other until it is over. Two answers do not exclude each other: the run's commit decides which one counts.
 */
export function createClaims({ registry, now }: Pick<Store, 'registry' | 'now'>, tenant: TenantId): Claims {
  const nameOf = (task: string): string => `claim/${tenant}/${task}`;
  return {
    of: async (tasks) =>
      (await registry.held(tasks.map(nameOf))).map((text) => {
        const held = heldIn(text);
        return held !== undefined && 'assignee' in held ? held : undefined;
      }),
    async claim(task, assignee, forMs) {
      const claim: Claim = { assignee, until: now() + forMs };
      const after = { text: JSON.stringify(claim), forMs };
      for (;;) {
        const before = await registry.hold(nameOf(task), after.text, forMs);
        if (before === undefined) return claim;
        assertFree(task, heldIn(before), assignee);
        if (await registry.swap(nameOf(task), { before, after })) return claim;
      }
    },
    async release(task, assignee) {
      const [before] = await registry.held([nameOf(task)]);
      const held = heldIn(before);
      if (before === undefined || held === undefined || !('assignee' in held) || held.assignee !== assignee) return;
      await registry.swap(nameOf(task), { before });
    },
    async answering(task, by, give) {
      const mark = JSON.stringify({ answering: randomUUID() } satisfies TaskHold);
      const there = await registry.hold(nameOf(task), mark, answeringMs);
      const held = heldIn(there);
      if (held !== undefined && 'assignee' in held) assertFree(task, held, by);
      try {
        await give();
      } finally {
        // A failed release expires by itself, and changes nothing about the answer.
        if (there === undefined) await registry.swap(nameOf(task), { before: mark }).catch(() => false);
      }
    },
  };
}

const heldIn = (json: string | undefined): TaskHold | undefined =>
  json === undefined ? undefined : (JSON.parse(json) as TaskHold); // written by `claim` and `answering`

function assertFree(task: string, held: TaskHold | undefined, by: string | undefined): void {
  if (held === undefined) return;
  if (!('assignee' in held)) throw new RequestError('TASK_CLAIMED', `Another caller is answering ${task}.`);
  if (held.assignee === by) return;
  const until = new Date(held.until).toISOString();
  throw new RequestError(
    'TASK_CLAIMED',
    `${held.assignee} has claimed ${task} until ${until}, or until it is answered.`,
  );
}
