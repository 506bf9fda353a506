import type { Readable } from 'node:stream';
import type { ExceededLimit, MessageLimits } from '@millrace/core';
import { MessageMeter } from '@millrace/core';

/** Readers of the lines of a process. */
export interface MessageLines {
  readonly limits: MessageLimits;
  readonly onLine: (line: string) => void;
  /** Called once, when a message exceeds a limit; nothing is read after it. */
  readonly onExceeded: (limit: ExceededLimit) => void;
}

const lineFeed = 10;

/**
 * Reads messages in JSON, one a line, from the output of a process. A line is held only up to the limits, whatever the
 * process prints. Returns the meter, to count a stream anew.
 */
export function readMessageLines(stream: Readable, { limits, onLine, onExceeded }: MessageLines): MessageMeter {
  const meter = new MessageMeter('lines', limits);
  let parts: Buffer[] = [];
  const read = (chunk: Buffer): void => {
    const exceeded = meter.add(chunk);
    if (exceeded !== undefined) {
      parts = [];
      stream.off('data', read);
      // The process must not wait for a reader while it is ended.
      stream.resume();
      return onExceeded(exceeded);
    }
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, end)]).toString('utf8');
      parts = [];
      from = end + 1;
      onLine(line);
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  };
  stream.on('data', read);
  return meter;
}

/** Longest line of the printed output that is passed on as a whole, in characters. */
const longestLine = 64 * 1024;

/** Reads what a process prints for people, line by line; a longer line is passed on in parts. */
export function readPrintedLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  /** Passes on the parts of a line that are longer than the longest line; returns what is left. */
  const shortened = (line: string): string => {
    let left = line;
    for (; left.length > longestLine; left = left.slice(longestLine)) onLine(left.slice(0, longestLine));
    return left;
  };
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = (rest + text).split(/\r?\n/);
    const last = lines.pop() ?? '';
    for (const line of lines) onLine(shortened(line));
    rest = shortened(last);
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
  });
}
