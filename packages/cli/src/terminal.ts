import picocolors from 'picocolors';
import type { Paper } from './live-view.ts';

/** Where a command speaks: its result goes to stdout, everything else to stderr. */
export interface Terminal {
  /** One line (or block) of the result. */
  data(text: string): void;
  /** The result as it is, such as the content of a file. */
  bytes(content: Uint8Array): void;
  /** One line of progress or explanation. */
  say(text: string): void;
  /** Where text of progress can flow; absent where nobody reads along. */
  readonly paper?: Paper;
  /** Somebody is there who can be asked. */
  readonly interactive: boolean;
  /** Colours for stderr; they do nothing where colours are not wanted. */
  readonly paint: Paint;
}

/** How a piece of text is shown. */
export type Paint = Pick<
  ReturnType<typeof picocolors.createColors>,
  'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan'
>;

/** The process' own terminal. Node's colour detection knows NO_COLOR and terminals without colours. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  const paint = picocolors.createColors(stderr.isTTY === true && stderr.hasColors());
  return {
    data: (text) => void stdout.write(`${text}\n`),
    bytes: (content) => void stdout.write(content),
    say: (text) => void stderr.write(`${text}\n`),
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    ...(stderr.isTTY === true ? { paper: paperOf(stderr, paint) } : {}),
    paint,
  };
}

const paperOf = (stream: NodeJS.WriteStream, paint: Paint): Paper => ({
  write: (text) => void stream.write(paint.dim(text)),
  get columns() {
    // Some terminals do not know how wide they are.
    return Math.max(stream.columns || 80, 40);
  },
});
