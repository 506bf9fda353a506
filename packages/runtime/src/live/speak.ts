import type { RunId } from '@millrace/core';
import { v7 as uuid } from 'uuid';
import type { Broadcast } from './broadcast.ts';
import type { SpeakingStep, Speech, Utterance } from './utterance.ts';
import { watchTopic } from './utterance.ts';

/** How long pieces are gathered before they are sent: fast enough to be read, and some ten messages a second. */
const gatherMs = 80;
/** A watcher that was not heard of for this long is gone. */
const patienceMs = 30_000;
/** How much of a long text so far is kept for those who join late, in characters. */
const keptLength = 64 * 1024;

/** A speech that has begun: what it has said of late, and how much of that is sent. */
interface Speaking extends SpeakingStep {
  readonly run: RunId;
  readonly attempt: string;
  /** Where `text` begins in all that was said. */
  start: number;
  text: string;
  sent: number;
  timer: NodeJS.Timeout | undefined;
}

/** Speaks for the steps of this process, to those who watch their runs. */
export function createSpeakers(broadcast: Broadcast): (run: RunId, step: SpeakingStep) => Speech {
  const own = uuid().slice(-10);
  const watched = new Map<RunId, number>();
  const speaking = new Map<RunId, Set<Speaking>>();
  let count = 0;
  let listening = false;

  const isWatched = (run: RunId): boolean => {
    const until = watched.get(run);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    watched.delete(run);
    return false;
  };

  function send(speech: Speaking, from: number, ended?: true): void {
    const { run, activation, node, step, attempt, start, text } = speech;
    const piece = { activation, node, step, attempt, from: Math.max(from, start), text: text.slice(from - start) };
    const utterance: Utterance = ended ? { ...piece, ended } : piece;
    broadcast.send(run, JSON.stringify(utterance));
    speech.sent = start + text.length;
  }

  function hear(words: string): void {
    const [word, run = ''] = words.split(' ', 2);
    if (word !== 'new' && word !== 'still') return;
    const known = isWatched(run);
    watched.set(run, performance.now() + patienceMs);
    if (known && word === 'still') return;
    for (const speech of speaking.get(run) ?? []) send(speech, speech.start);
  }

  function attend(): void {
    if (listening) return;
    listening = true;
    void broadcast.listen(watchTopic, hear).ready.then(() => broadcast.send(watchTopic, 'who?'));
  }

  function leave(speech: Speaking): void {
    clearTimeout(speech.timer);
    const others = speaking.get(speech.run);
    others?.delete(speech);
    if (others?.size === 0) speaking.delete(speech.run);
  }

  return (run, step): Speech => {
    attend();
    const attempt = `${own}${(count++).toString(36)}`;
    const speech: Speaking = { ...step, run, attempt, start: 0, text: '', sent: 0, timer: undefined };
    speaking.set(run, (speaking.get(run) ?? new Set()).add(speech));
    if (isWatched(run)) send(speech, 0);
    return {
      tell(piece) {
        speech.text += piece;
        trim(speech);
        if (speech.timer !== undefined || !isWatched(run)) return;
        speech.timer = setTimeout(() => {
          speech.timer = undefined;
          send(speech, speech.sent);
        }, gatherMs).unref();
      },
      end() {
        leave(speech);
        if (isWatched(run)) send(speech, speech.sent, true);
      },
    };
  };
}

/** Forgets the oldest part of a long text; not at every piece, as cutting costs as much as is left. */
function trim(speech: Speaking): void {
  const over = speech.text.length - keptLength;
  if (over < keptLength) return;
  speech.text = speech.text.slice(over);
  speech.start += over;
}
