import { createVocabulary } from '@millrace/catalog';
import type { EdgeHost, ProcessorDefinition } from '@millrace/core';
import { textMessage } from '@millrace/core';

const warmUps = 2000;

/** Returns the CPU time of this process's main thread, in microseconds, for one small template that a message is rendered with. */
export async function renderMicroseconds(renders: number): Promise<number> {
  const definition: ProcessorDefinition | undefined = createVocabulary().processors.get('template');
  if (definition === undefined) throw new Error('There is no template processor.');
  const config = definition.config.parse({ template: 'Review this of {{ source }}: {{ content }}' });
  const render = definition.compile(config, { compat: false });
  const message = textMessage('user', 'A short draft. '.repeat(20), 'Writer');
  // A processor that renders uses nothing else of its host.
  const host = { run: 'run_bench' } as EdgeHost;
  for (let done = 0; done < warmUps; done++) await render(message, host);
  const before = performance.eventLoopUtilization();
  for (let done = 0; done < renders; done++) await render(message, host);
  return (performance.eventLoopUtilization(before).active * 1000) / renders;
}
