import type { ActivationId } from '@millrace/core';
import type { LiveEvent } from '@millrace/runtime';
import { visibleName, visibleText } from './visible-text.ts';

/** Shows live output of models and tools between the lines of the progress view. */
export interface LiveView {
  hear(utterance: LiveEvent): void;
  /** Ends the current line, so that another one can be printed. */
  pause(): void;
}

/** Part of a terminal on which text flows. */
export interface LiveArea {
  /** Writes without a line end. */
  write(text: string): void;
  /** Ends the current line, if there is one, so that another one can be printed. */
  endLine(): void;
  /** True while a line has begun and not ended. */
  readonly isOpen: boolean;
  /** Characters in a line. */
  readonly columns: number;
}

interface Speaker {
  readonly node: string;
  readonly attempt: string;
  /** Text that has not been shown yet. */
  text: string;
}

/**
 * Shows the output of one step at a time, so that the text is readable. When that step ends, the view continues with one of
 * the other executing steps, and with its output so far. Each line begins with the name of the node.
 */
export function createLiveView(liveArea: LiveArea): LiveView {
  // An activation executes one step at a time, so a new step also replaces one that was lost with its worker.
  const speakers = new Map<ActivationId, Speaker>();
  let floor: ActivationId | undefined;
  let column = 0;

  function pause(): void {
    liveArea.endLine();
    column = 0;
  }

  function show(activation: ActivationId): void {
    const speaker = speakers.get(activation);
    if (speaker === undefined) return;
    // Another line may have been printed meanwhile.
    if (!liveArea.isOpen) column = 0;
    const flown = flow(speaker.text, { label: `  ${visibleName(speaker.node)} │ `, column, columns: liveArea.columns });
    speaker.text = '';
    column = flown.column;
    if (flown.text !== '') liveArea.write(flown.text);
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

/** Returns the first text of a step: the name of a tool, because tools often have no output. */
const opening = (step: string): string => (step.startsWith('tool ') ? `${step} …\n` : '');

/** Returns a text in lines that begin with the label. Control characters are escaped before the text is measured. */
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
