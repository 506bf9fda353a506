import { isatty } from 'node:tty';
import { visibleName, visibleText } from '@millrace/core/visible-text';
import picocolors from 'picocolors';
import type { LiveArea } from './live-view.ts';
import { asCalled } from './program-name.ts';
import { wrapped } from './wrapped.ts';

/**
 * Output of a command: its result goes to stdout, everything else to stderr. Texts come from untrusted sources such as
 * models, other tenants and files, so their control characters are escaped here, before colours are added: no byte of a
 * text can control a terminal.
 */
export interface Terminal {
  /** Prints a line (or block) of the result. JSON stays JSON. */
  data(text: string): void;
  /** Prints a line (or block) of a result that people read: commands in it are called as this one was. */
  report(text: string): void;
  /** Prints requested content, such as a file or an output: unchanged to a pipe or a file, escaped on a terminal. */
  content(content: string | Uint8Array): void;
  /** Prints a line (or block) of progress or explanation. */
  say(text: string, style?: Style): void;
  /** Area for live output; absent without a terminal. */
  readonly liveArea?: LiveArea;
  /** Shows a line of progress that replaces the previous one; absent without a terminal. */
  status?(text: string): void;
  /** Width of the terminal that shows the result, in characters; absent: the result goes to a pipe or a file. */
  readonly columns?: number;
  /** True if a person is at the terminal and can be asked. */
  readonly interactive: boolean;
  /** Asks for a line of text; undefined if the person presses Ctrl-C or the signal is aborted. */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Asks for one of some values; undefined if the person presses Ctrl-C. */
  choose(question: string, options: readonly Choice[]): Promise<string | undefined>;
  /** Shows a text in a frame, before a question about it. */
  note(text: string, title: string): Promise<void>;
}

/** Value that a person can choose, with a line about it. */
export interface Choice {
  readonly value: string;
  readonly hint: string;
}

/** Style of a text, applied if colours are enabled. */
export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/**
 * The process' own terminal, where the program is called by a name. Node's colour detection knows NO_COLOR and terminals without
 * colours.
 */
export function processTerminal(program = 'millrace'): Terminal {
  const { stdin, stdout, stderr } = process;
  const paint = picocolors.createColors(stderr.isTTY === true && stderr.hasColors());
  const liveArea = liveAreaOf(stderr, paint.dim);
  return {
    data: (text) => void stdout.write(`${visibleText(text)}\n`),
    report: (text) => void stdout.write(`${visibleText(asCalled(text, program))}\n`),
    content: (content) => void stdout.write(stdout.isTTY === true ? visibleText(decoded(content)) : content),
    say(text, style) {
      const called = visibleText(asCalled(text, program));
      const visible = stderr.isTTY === true ? wrapped(called, liveArea.columns) : called;
      liveArea.endLine();
      stderr.write(`${style === undefined ? visible : paint[style](visible)}\n`);
    },
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    ...(stderr.isTTY === true ? { liveArea, status: statusLine(stderr, liveArea) } : {}),
    ...(stdout.isTTY === true ? { columns: stdout.columns || 80 } : {}),
    async ask(question, signal) {
      const { isCancel, text } = await import('@clack/prompts');
      const message = visibleText(question);
      const answer = await text({ message, output: stderr, ...(signal === undefined ? {} : { signal }) });
      return isCancel(answer) ? undefined : (answer ?? '');
    },
    async choose(question, options) {
      const { isCancel, select } = await import('@clack/prompts');
      const shown = options.map(({ value, hint }) => ({ value, label: `${visibleName(value)}: ${visibleName(hint)}` }));
      const chosen = await select({ message: visibleText(question), options: shown, output: stderr });
      return isCancel(chosen) ? undefined : chosen;
    },
    async note(text, title) {
      const { note } = await import('@clack/prompts');
      note(visibleText(text), visibleName(title), { output: stderr });
    },
  };
}

/** Waits until pipes have received all output. */
export async function flushTerminal(): Promise<void> {
  await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((taken) => stream.write('', taken))));
}

/** Returns whether the terminal of this process was closed. */
export const isTerminalGone = (): boolean =>
  [process.stdin, process.stdout, process.stderr].some(({ isTTY, fd }) => isTTY === true && !isatty(fd));

const decoded = (content: string | Uint8Array): string =>
  typeof content === 'string' ? content : new TextDecoder().decode(content);

function liveAreaOf(stream: NodeJS.WriteStream, paint: (text: string) => string): LiveArea {
  let isOpen = false;
  return {
    get isOpen() {
      return isOpen;
    },
    write(text) {
      stream.write(paint(visibleText(text)));
      if (text !== '') isOpen = !text.endsWith('\n');
    },
    endLine() {
      if (isOpen) stream.write('\n');
      isOpen = false;
    },
    get columns() {
      // Some terminals do not report their width.
      return Math.max(stream.columns || 80, 40);
    },
  };
}

/** Overwrites the line that was shown before: text returns to its beginning and clears it. */
const statusLine =
  (stream: NodeJS.WriteStream, liveArea: LiveArea) =>
  (text: string): void => {
    stream.write('\r\u001b[K');
    liveArea.write(visibleName(text).slice(0, liveArea.columns - 1));
  };
