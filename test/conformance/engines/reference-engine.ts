import { createVocabulary } from '@millrace/catalog';
import { textMessage } from '@millrace/core';
import { runReference } from '../../support/reference/reference.ts';
import type { Engine } from './engine.ts';
import { createObserver } from './observe.ts';

/** The plain interpreter of test/support as an engine: it shows what a case means when the real one is in doubt. */
export function openReference(): Engine {
  const observer = createObserver(createVocabulary());
  let runs = 0;
  return {
    name: 'reference',
    lacks: ['python nodes', 'tools', 'memory', 'thinking', 'skills', 'code_save_and_run', 'attachments'],
    async run({ workflow, input, setting }) {
      const run = `reference_${runs++}`;
      observer.prepare(run, setting);
      const trace = await runReference(workflow, [textMessage('user', input, 'TASK')], {
        run,
        vocabulary: observer.vocabulary,
        now: Date.now,
        person: (node, activation) => textMessage('user', observer.answer(run, activation), node),
      });
      return { ...trace, calls: observer.calls(run, []) };
    },
    close: () => Promise.resolve(),
  };
}
