import type { RunId } from '@millrace/core';
import type { Broadcast } from './broadcast.ts';
import type { Utterance } from './utterance.ts';
import { watchTopic } from './utterance.ts';

/** How often a watcher says that it is still there. */
const stillMs = 10_000;
/** How many utterances wait for a slow reader; the oldest are dropped. */
const waitingLimit = 1000;

/** What is said in a run, each character once: what a text so far repeats is left out. */
export async function* listen(broadcast: Broadcast, run: RunId, signal: AbortSignal): AsyncGenerator<Utterance> {
  if (signal.aborted) return;
  const waiting: Utterance[] = [];
  let wake = (): void => undefined;
  const onAbort = (): void => wake();
  const news = createNews();
  const ears = [
    broadcast.listen(run, (words) => {
      // Speakers of the same installation send utterances only.
      const utterance = news(JSON.parse(words) as Utterance);
      if (utterance === undefined) return;
      keep(waiting, utterance);
      wake();
    }),
    broadcast.listen(watchTopic, (words) => {
      if (words === 'who?') broadcast.send(watchTopic, `new ${run}`);
    }),
  ];
  const still = setInterval(() => broadcast.send(watchTopic, `still ${run}`), stillMs).unref();
  signal.addEventListener('abort', onAbort);
  try {
    void Promise.all(ears.map(({ ready }) => ready)).then(() => broadcast.send(watchTopic, `new ${run}`));
    while (!signal.aborted) {
      const utterance = waiting.shift();
      if (utterance !== undefined) yield utterance;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    clearInterval(still);
    for (const ear of ears) ear.stop();
  }
}

/** What of a utterance was not heard before; undefined when there is nothing new about it. */
function createNews(): (utterance: Utterance) => Utterance | undefined {
  const heard = new Map<string, number>();
  return (utterance) => {
    const known = heard.get(utterance.attempt);
    const end = utterance.from + utterance.text.length;
    if (utterance.ended) heard.delete(utterance.attempt);
    else heard.set(utterance.attempt, Math.max(end, known ?? 0));
    if (known === undefined || utterance.from >= known) {
      return known !== undefined && utterance.text === '' && !utterance.ended ? undefined : utterance;
    }
    if (end <= known && !utterance.ended) return undefined;
    return { ...utterance, from: Math.min(known, end), text: utterance.text.slice(known - utterance.from) };
  };
}

/** A piece that goes on where the last one stopped is put behind it, so that a slow reader has few to read. */
function keep(waiting: Utterance[], utterance: Utterance): void {
  const last = waiting.at(-1);
  if (last?.attempt === utterance.attempt && last.from + last.text.length === utterance.from) {
    waiting[waiting.length - 1] = { ...utterance, from: last.from, text: last.text + utterance.text };
    return;
  }
  waiting.push(utterance);
  if (waiting.length > waitingLimit) waiting.shift();
}
