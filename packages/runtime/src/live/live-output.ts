import type { RunId } from '@millrace/core';
import { v7 as uuid } from 'uuid';
import type { Broadcast } from '../ports/broadcast.ts';
import type { LiveEvent, LiveOutput, LiveStep } from './live-event.ts';
import { createWatchers } from './watchers.ts';

/** Time for which pieces are collected before they are sent, in milliseconds: about ten messages a second. */
const gatherMs = 80;
/** Number of characters of a long output that are kept for watchers who join late. */
const maxKeptChars = 64 * 1024;

/** Output of an open step: its latest text, and how much of it has been sent. */
interface OpenOutput extends LiveStep {
  readonly run: RunId;
  readonly attempt: string;
  /** Offset of `text` in the whole output. */
  start: number;
  text: string;
  sent: number;
  timer: NodeJS.Timeout | undefined;
}

/** Publishes the output of the steps of this process to the watchers of their runs. */
export function createLiveOutputs(broadcast: Broadcast): (run: RunId, step: LiveStep) => LiveOutput {
  const processId = uuid().slice(-10);
  const outputs = new Map<RunId, Set<OpenOutput>>();
  let count = 0;
  const watchers = createWatchers(broadcast, (run) => {
    for (const output of outputs.get(run) ?? []) send(output, output.start);
  });
  const isWatched = watchers.has;

  function send(output: OpenOutput, from: number, ended?: true): void {
    const { run, activation, node, step, attempt, start, text } = output;
    const piece = { activation, node, step, attempt, from: Math.max(from, start), text: text.slice(from - start) };
    const event: LiveEvent = ended ? { ...piece, ended } : piece;
    broadcast.send(run, JSON.stringify(event));
    output.sent = start + text.length;
  }

  function leave(output: OpenOutput): void {
    clearTimeout(output.timer);
    const others = outputs.get(output.run);
    others?.delete(output);
    if (others?.size === 0) outputs.delete(output.run);
  }

  return (run, step): LiveOutput => {
    watchers.start();
    const attempt = `${processId}${(count++).toString(36)}`;
    const output: OpenOutput = { run, attempt, start: 0, text: '', sent: 0, timer: undefined, ...step };
    outputs.set(run, (outputs.get(run) ?? new Set()).add(output));
    if (isWatched(run)) send(output, 0);
    return {
      write(piece) {
        output.text += piece;
        trim(output);
        if (output.timer !== undefined || !isWatched(run)) return;
        output.timer = setTimeout(() => {
          output.timer = undefined;
          send(output, output.sent);
        }, gatherMs).unref();
      },
      end() {
        leave(output);
        if (isWatched(run)) send(output, output.sent, true);
      },
    };
  };
}

/** Drops the oldest part of a long text; not with every piece, because cutting costs as much as copying the rest. */
function trim(output: OpenOutput): void {
  const over = output.text.length - maxKeptChars;
  if (over < maxKeptChars) return;
  output.text = output.text.slice(over);
  output.start += over;
}
