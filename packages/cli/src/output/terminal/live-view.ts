import type { ActivationId } from '@millrace/core';
import type { LiveEvent } from '@millrace/runtime';
import { visibleName, visibleText } from './visible-text.ts';

/** Shows what models and tools say while they say it, between the lines of the progress view. */
export interface LiveView {
  hear(utterance: LiveEvent): void;
  /** Ends the line that is being written, so that another one can be said. */
  pause(): void;
}

/** Part of a terminal on which text flows. */
export interface Paper {
  /** Writes without a line end. */
  write(text: string): void;
  /** Ends the line that was begun, if there is one, so that another one can be said. */
  endLine(): void;
  /** True while a line was begun, and not ended. */
  readonly isOpen: boolean;
  /** Characters in a line. */
  readonly columns: number;
}

interface Speaker {
  readonly node: string;
  readonly attempt: string;
  /** Text that was not shown yet. */
  text: string;
}

/**
 * One speaker at a time, or else nothing could be read: who begins has the floor until the step ends; then it goes to
 * one of those who speak still, with what was said by then. Text flows in lines behind the name of the node.
 */
export function createLiveView(paper: Paper): LiveView {
  // An activation does one step at a time, so a new one also takes the place of a step that died with its worker.
  const speakers = new Map<ActivationId, Speaker>();
  let floor: ActivationId | undefined;
  let column = 0;

  function pause(): void {
    paper.endLine();
    column = 0;
  }

  function show(activation: ActivationId): void {
    const speaker = speakers.get(activation);
    if (speaker === undefined) return;
    // Something else may have been said meanwhile.
    if (!paper.isOpen) column = 0;
    const flown = flow(speaker.text, { label: `  ${visibleName(speaker.node)} │ `, column, columns: paper.columns });
    speaker.text = '';
    column = flown.column;
    if (flown.text !== '') paper.write(flown.text);
  }

  return {
    pause,
    hear({ activation, attempt, node, step, text, ended }) {
      const known = speakers.get(activation);
      const speaker = known?.attempt === attempt ? known : { node, attempt, text: opening(step) };
      speaker.text += text;
      speakers.set(activation, speaker);
      if (speaker.text !== '') floor ??= activation;
      if (floor === activation) show(activation);
      if (!ended) return;
      speakers.delete(activation);
      if (floor !== activation) return;
      pause();
      floor = [...speakers].find(([, other]) => other.text !== '')?.[0];
      if (floor !== undefined) show(floor);
    },
  };
}

/** Tools often say nothing while they work: that one is at work is said for them. */
const opening = (step: string): string => (step.startsWith('tool ') ? `${step} …\n` : '');

/** Text in lines, each behind the label. What could steer a terminal is made visible before it is measured. */
function flow(said: string, { label, column: start, columns }: { label: string; column: number; columns: number }) {
  let text = '';
  let column = start;
  for (const character of visibleText(said)) {
    const isEnd = character === '\n';
    if (column > 0 && (isEnd || column >= columns)) {
      text += '\n';
      column = 0;
    }
    if (isEnd) continue;
    if (column === 0) {
      text += label;
      column = label.length;
    }
    text += character;
    column += 1;
  }
  return { text, column };
}
