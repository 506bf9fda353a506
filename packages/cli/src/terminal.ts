import picocolors from 'picocolors';

/** Where a command speaks: its result goes to stdout, everything else to stderr. */
export interface Terminal {
  /** One line (or block) of the result. */
  data(text: string): void;
  /** One line of progress or explanation. */
  say(text: string): void;
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
  return {
    data: (text) => void stdout.write(`${text}\n`),
    say: (text) => void stderr.write(`${text}\n`),
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    paint: picocolors.createColors(stderr.isTTY === true && stderr.hasColors()),
  };
}
