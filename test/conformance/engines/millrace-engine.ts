import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry } from '@millrace/core';
import { compile, messageWithAttachments, questionOf, textMessage } from '@millrace/core';
import type { Blobs, RuntimeLocation } from '@millrace/runtime';
import { attach, openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { withAttachmentContents } from '../../../packages/worker/src/models/attachment-contents.ts';
import { collectTrace } from '../../support/reference/collect-trace.ts';
import { oracleTools } from '../../support/reference/oracle-tools.ts';
import type { ModelCall } from '../../support/reference/trace.ts';
import { withoutOwnPlaces } from '../places.ts';
import type { Engine } from './engine.ts';
import { createObserver } from './observe.ts';

/** The skills of the recorded engine, where they are beside the checkout. */
const skills = fileURLToPath(new URL('../../../../shared/chatdev/skills', import.meta.url));

/** Millrace itself: a runtime with one worker, on the store that `where` names. */
export async function openMillrace(name: string, where: RuntimeLocation): Promise<Engine> {
  const observer = createObserver(createVocabulary({ tools: oracleTools }));
  const { vocabulary } = observer;
  const report = (message: string, error: unknown) => process.stderr.write(`${message}: ${String(error)}\n`);
  const runtime = await openRuntime(where, vocabulary, report);
  const log = pino({ level: 'silent' });
  const workspaces = await mkdtemp(join(tmpdir(), 'millrace-conformance-'));
  // One at a time, as the recorder did: the scripted model counts its requests, in the order in which they come.
  const worker = startWorker({ runtime, vocabulary, concurrency: 1, name: 'conformance', log, workspaces, skills });
  // Wakes what a retry has put off.
  const caretaker = runtime.startCaretaker();
  const { runs } = runtime;
  return {
    name,
    lacks: [],
    async run({ workflow, input, attachments, setting }, signal) {
      const run = `run_${randomUUID().replaceAll('-', '')}`;
      observer.prepare(run, setting);
      const attached = await Promise.all(attachments.map((file) => attach(runs.blobs, file)));
      const task = attached.length === 0 ? input : [messageWithAttachments(input, attached, 'TASK')];
      await runs.start({ workflow, input: task, run });
      const journal: JournalEntry[] = [];
      for await (const entry of runs.watch(run, '0', signal)) {
        journal.push(entry);
        const { event } = entry;
        if (event.type !== 'activation.suspended') continue;
        const { activation } = event;
        await runs.answer(run, questionOf(event), {
          message: textMessage('user', observer.answer(run, activation), 'person'),
        });
      }
      const { trace, order } = await collectTrace(compile(workflow, vocabulary), journal, (ids) =>
        runs.bodies(run, ids),
      );
      const calls = await asShown(runs.blobs, observer.calls(run, order));
      return withoutOwnPlaces({ ...trace, calls }, { workspaces, skills });
    },
    async close() {
      await worker.close();
      await caretaker.close();
      await runtime.close();
      await rm(workspaces, { recursive: true, force: true });
    },
  };
}

/** Requests with the contents of what is attached, as models were shown it and the recorder has noted it. */
const asShown = (blobs: Blobs, calls: readonly ModelCall[]): Promise<readonly ModelCall[]> =>
  Promise.all(
    calls.map(async (call) => ({
      ...call,
      messages: await withAttachmentContents(blobs, call.messages, {
        compat: true,
        provider: 'openai',
        tools: [],
        warn: () => undefined,
      }),
    })),
  );
