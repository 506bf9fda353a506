import type { ActivationId } from '@millrace/core';
import { visibleName, visibleText } from '@millrace/core/visible-text';
import type { LiveEvent } from '@millrace/runtime';

/** Shows live output of models and tools between the lines of the progress view. */
export interface LiveView {
  /** Adds output of a step. */
  add(event: LiveEvent): void;
  /** Ends the current line, so that another one can be printed. */
  endLine(): void;
}

/** Part of a terminal to which text is written without line ends. */
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

/** Output of a step that is executing. */
interface StepOutput {
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
  const outputs = new Map<ActivationId, StepOutput>();
  /** The activation whose output is shown. */
  let shown: ActivationId | undefined;
  let column = 0;

  function endLine(): void {
    liveArea.endLine();
    column = 0;
  }

  function show(activation: ActivationId): void {
    const output = outputs.get(activation);
    if (output === undefined) return;
    // Another line may have been printed meanwhile.
    if (!liveArea.isOpen) column = 0;
    const wrapped = wrap(output.text, { label: `  ${visibleName(output.node)} │ `, column, columns: liveArea.columns });
    output.text = '';
    column = wrapped.column;
    if (wrapped.text !== '') liveArea.write(wrapped.text);
  }

  return {
    endLine,
    add({ activation, attempt, node, step, text, ended }) {
      const known = outputs.get(activation);
      const output = known?.attempt === attempt ? known : { node, attempt, text: opening(step) };
      output.text += text;
      outputs.set(activation, output);
      if (output.text !== '') shown ??= activation;
      if (shown === activation) show(activation);
      if (!ended) return;
      outputs.delete(activation);
      if (shown !== activation) return;
      endLine();
      shown = [...outputs].find(([, other]) => other.text !== '')?.[0];
      if (shown !== undefined) show(shown);
    },
  };
}

/** Returns the first text of a step: the name of a tool, because tools often have no output. */
const opening = (step: string): string => (step.startsWith('tool ') ? `${step} …\n` : '');

interface Line {
  readonly label: string;
  /** Column at which the text begins; 0: at the beginning of a line. */
  readonly column: number;
  readonly columns: number;
}

/**
 * Returns a text in lines that begin with the label, broken between words where they fit in a line; a word that comes in
 * pieces is broken where a piece ends. Control characters are escaped before the text is measured.
 */
function wrap(raw: string, { label, column: start, columns }: Line) {
  let text = '';
  let column = start;
  const endLine = () => {
    if (column > 0) text += '\n';
    column = 0;
  };
  const put = (word: string) => {
    for (const character of word) {
      if (column >= columns) endLine();
      text += column === 0 ? label + character : character;
      column = Math.max(column, label.length) + 1;
    }
  };
  for (const word of visibleText(raw).match(/\n| |[^ \n]+/g) ?? []) {
    const isBreak = word === '\n' || (column + word.length > columns && label.length + word.length <= columns);
    if (isBreak) endLine();
    // A space where a line ends is left out.
    if (!isBreak || word.trim() !== '') put(word);
  }
  return { text, column };
}
