import { createHash } from 'node:crypto';
import type { MessageBody, Usage, Wake } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { OpenRun, Runs } from '@millrace/runtime';

/** A side effect that is to happen once. */
export interface Step<T> {
  /** The same on every attempt. */
  readonly name: string;
  /** What is asked of the outside, as JSON; must hold no secret. A retry that asks something else gets a new answer. */
  readonly request: unknown;
  /** Which counts of the run it raises, with their values as read. */
  readonly tallies?: (read: (key: string) => number) => Readonly<Record<string, number>>;
  readonly action: (counts: Readonly<Record<string, number>>) => Promise<{ readonly value: T; readonly usage?: Usage }>;
}

/** The steps of one attempt at an activation. */
export interface Steps {
  /** Does a step, or gives what it came to on an earlier attempt. */
  take<T>(step: Step<T>): Promise<T>;
}

/**
 * Steps are told apart by their order. Each is journaled before it happens and again with its result, so that an
 * attempt after a crash finds what is done already and only does the rest.
 */
export function createSteps(
  runs: Runs,
  { wake, signal }: { readonly wake: Wake; readonly signal: AbortSignal },
): Steps {
  const { run, activation, token } = wake;
  let taken = 0;
  const opened = async (): Promise<OpenRun> => {
    const open = await runs.open(run, activation, token);
    if (open === undefined) throw new RequestError('RUN_UNKNOWN', `There is no run ${run} any more.`);
    return open;
  };
  return {
    async take<T>({ name, request, tallies, action }: Step<T>): Promise<T> {
      const step = taken++;
      const hash = digest(request);
      const { state } = await opened();
      const before = state.get(`step/${activation}/${step}`);
      const same = before?.name === name && before.request === hash;
      if (same && before.result !== undefined) {
        const [body] = await runs.bodies(run, [before.result]);
        // A step's result is stored by this function only, as a body that is T's JSON.
        return unwrap(body) as T;
      }
      const counts = same ? (before.counts ?? {}) : await begin();
      signal.throwIfAborted();
      const { value, usage } = await action(counts);
      await order({
        type: 'step.complete',
        activation,
        token,
        step,
        bodies: [wrap(value)],
        ...(usage === undefined ? {} : { usage }),
      });
      return value;

      async function begin(): Promise<Readonly<Record<string, number>>> {
        for (;;) {
          const now = (await opened()).state;
          const read = tallies?.((key) => now.get(`tally/${key}`) ?? 0) ?? {};
          const verdict = await runs.submit(run, {
            type: 'step.start',
            activation,
            token,
            step,
            name,
            request: hash,
            tallies: read,
          });
          if (verdict.type === 'accepted')
            return Object.fromEntries(Object.entries(read).map(([key, value]) => [key, value + 1]));
          if (verdict.code !== 'TALLY_MOVED') throw new RequestError(verdict.code, verdict.message);
          await runs.refresh(run);
        }
      }
    },
  };

  async function order(command: Parameters<Runs['submit']>[1]): Promise<void> {
    const verdict = await runs.submit(run, command);
    if (verdict.type === 'refused') throw new RequestError(verdict.code, verdict.message);
  }
}

const digest = (request: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(request) ?? '')
    .digest('hex')
    .slice(0, 32);

const wrap = (value: unknown): MessageBody => ({ role: 'tool', content: [{ type: 'data', data: { value } }] });

function unwrap(body: MessageBody | undefined): unknown {
  const [block] = typeof body?.content === 'object' ? body.content : [];
  return block?.type === 'data' ? block.data.value : undefined;
}
