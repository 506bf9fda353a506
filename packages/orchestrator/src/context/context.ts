import type { Background, OperatorContext } from '@millrace/api';
import { answerContent, callDecision } from '@millrace/catalog';
import type { Vocabulary } from '@millrace/core';
import { markedEncoding } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { assertCron, createApiKeys, nextTick, ticksAfter, version, workflowGraphs } from '@millrace/runtime';
import { newSeed } from './seed.ts';
import { describeEnded, describeIdle } from './until-idle.ts';
import { withRedisTimeout } from './with-redis-timeout.ts';

/** The fields of a context that depend on its caller. */
interface CallerContext extends Pick<OperatorContext, 'tenant' | 'scopes' | 'caller' | 'seed' | 'trace'> {
  /** Returns a signal that is aborted when the caller has disconnected; called only by operations that wait. */
  readonly signalOf: () => AbortSignal;
}

/** The fields of a context that are the same for all callers. */
export type SharedContext = Omit<OperatorContext, keyof CallerContext | 'signal' | 'awaitRun'>;

/** Parts that a shared context is made of. */
interface SharedParts
  extends Pick<SharedContext, 'reader' | 'secretOfWebhook' | 'assertReachable' | 'tables' | 'intakeOf'> {
  readonly runtime: Pick<Runtime, 'store' | 'queue' | 'runs' | 'intake' | 'limits' | 'models' | 'shared'>;
  readonly vocabulary: Vocabulary;
  readonly background: Background | undefined;
}

/** Returns the part of contexts that is the same for all callers. */
export const sharedContext = ({ runtime, ...parts }: SharedParts): SharedContext => ({
  ...parts,
  graphsOf: (workflow) => workflowGraphs(workflow, { vocabulary: parts.vocabulary, now: runtime.store.now() }),
  server: {
    version,
    workers: () => runtime.queue.consumers(),
    storage: runtime.shared === undefined ? 'memory' : 'redis',
  },
  keys: createApiKeys(runtime.store),
  usage: runtime.store.usage,
  intake: runtime.intake,
  installation: {
    limits: runtime.limits,
    models: runtime.models,
    admin: runtime.shared?.admin,
    storedBytes: runtime.runs.limits.storedBytes,
    stored: () => runtime.store.stored.tenants(),
  },
  cron: { assertValid: assertCron, next: nextTick, nextTimes: ticksAfter, sentence: cronSentence },
  answerContent,
  callDecision,
  mediaTypeOf,
  newSeed,
  promptly: withRedisTimeout,
  now: runtime.store.now,
});

/** The library is loaded when the first file comes. */
async function mediaTypeOf(beginning: Uint8Array): Promise<string | undefined> {
  // The library takes the mark of UTF-16 for that of a recording.
  if (markedEncoding(beginning) !== undefined) return undefined;
  const { fileTypeFromBuffer } = await import('file-type');
  return (await fileTypeFromBuffer(beginning))?.mime;
}

/** Returns the context of one call. */
export function contextOf(shared: SharedContext, { signalOf, ...caller }: CallerContext): OperatorContext {
  return {
    ...shared,
    ...caller,
    awaitRun(run, { until, waitMs }) {
      const describe = until === 'ended' ? describeEnded : describeIdle;
      return describe(caller.tenant, run, { waitMs, signal: signalOf() });
    },
    get signal() {
      return signalOf();
    },
  };
}

/** Returns a cron expression in words, as in `At 07:00, Monday through Friday`; the expression where there are none. */
async function cronSentence(cron: string): Promise<string> {
  // The library is loaded when the first schedule is shown.
  const { default: cronstrue } = await import('cronstrue');
  try {
    return cronstrue.toString(cron.trim(), { use24HourTimeFormat: true });
  } catch {
    return cron;
  }
}
