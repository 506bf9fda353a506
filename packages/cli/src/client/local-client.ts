import type { Vocabulary, Workflow } from '@millrace/core';
import { compile, defaultTenant, messageWithAttachments, textMessage, textOf } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { attach, blobMissing, createTenantRuntime } from '@millrace/runtime';
import type { CliClient, RunControl, WorkflowRegistry } from './cli-client.ts';

const page = 500;

/** The installation that this process is connected to itself, in Redis or in memory. */
export function localClient(runtime: Runtime, vocabulary: Vocabulary): CliClient {
  const { runs, store, blobs } = runtime;
  return {
    ...ordersOf(runtime),
    start({ task: { text, attachments }, source, workflow, ...request }) {
      if (workflow === undefined) throw new Error('what is started here was read here');
      return soon(runtime, () =>
        runs.start({
          ...request,
          workflow,
          input: attachments.length === 0 ? text : [messageWithAttachments(text, attachments, 'TASK')],
          ...(source.type === 'published' ? { name: source.reference.split('@', 1)[0] ?? '' } : {}),
        }),
      );
    },
    describe: (run) => runs.describe(run),
    list: async (query) => (await runs.list(query)).runs,
    watch: (run, signal) => runs.watch(run, '0', signal),
    listen: (run, signal) => runs.live.listen(run, signal),
    async *journal(run) {
      let entries = await store.journal(run, '0', page);
      while (entries.length > 0) {
        yield* entries;
        entries = await store.journal(run, entries.at(-1)?.id ?? '0', page);
      }
    },
    async outline({ run, plan }) {
      const json = await store.loadPlan(plan);
      if (json === undefined) throw new Error(`the plan ${plan} of ${run} is not stored`);
      // The runtime stored it under the hash of its content, after validation.
      return compile(JSON.parse(json) as Workflow, vocabulary);
    },
    async textOf(run, ref) {
      const [message] = await runs.messages(run, [ref]);
      return message === undefined ? undefined : textOf(message);
    },
    attach: (file) => soon(runtime, () => attach(blobs, file)),
    artifacts: (run, activation) => runs.artifacts(run, activation),
    async content(_run, { digest, path }) {
      const bytes = await blobs.get(digest);
      if (bytes === undefined) throw blobMissing(digest, `The file "${path}"`);
      return bytes;
    },
    workflows: shelfOf(runtime),
    workers: () => runtime.queue.consumers(),
  };
}

/** Does what a person asks, or fails when an outage of Redis stops it: nobody waits for its end. */
const soon = <T>({ outages }: Pick<Runtime, 'outages'>, work: () => Promise<T>): Promise<T> =>
  outages?.bounded('writes', work) ?? work();

function ordersOf(runtime: Runtime): RunControl {
  const { runs } = runtime;
  return {
    answer: ({ run, activation, node }, { text, attachments }) =>
      runs.answer(run, activation, messageWithAttachments(text, attachments, node)),
    cancel: (run, reason) => runs.cancel(run, reason),
    stop: (run, how) => runs.stop(run, how),
    signal: (run, signal) => runs.signal(run, signal),
    pause: (run) => runs.pause(run),
    resume: (run, { input, ...more }) =>
      runs.resume(run, input === undefined ? [] : [textMessage('user', input, 'TASK')], more),
    retry: (run) => runs.retry(run),
    replay: (source, how) => soon(runtime, () => runs.replay(source, how)),
    fork: (source, { at, output }) =>
      soon(runtime, () =>
        runs.fork(source, { at, ...(output === undefined ? {} : { output: textMessage('assistant', output, '') }) }),
      ),
    remove: (run) => runs.remove(run),
  };
}

function shelfOf(runtime: Runtime): WorkflowRegistry {
  const { workflows } = createTenantRuntime(runtime, defaultTenant);
  return {
    publish: (name, yaml) => workflows.publish(name, yaml),
    async read(reference) {
      const [name = '', hash] = reference.split('@', 2);
      return workflows.read(name, hash ?? (await workflows.find(name)).hash);
    },
    resolve: (reference) => workflows.resolve(reference),
    async *list() {
      for (let after = ''; ; ) {
        const found = await workflows.list(after, page);
        yield* found;
        if (found.length < page) return;
        after = found.at(-1)?.name ?? after;
      }
    },
  };
}
