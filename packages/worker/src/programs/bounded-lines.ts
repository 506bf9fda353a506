import type { Readable } from 'node:stream';

const lineFeed = 0x0a;

/**
 * Reads the lines of a stream of UTF-8 text. A program can write without an end, so a longer line comes in parts of at least so
 * many bytes; `isWhole` is false for all parts but the last one.
 */
export function readLines(stream: Readable, mostBytes: number, onLine: (line: string, isWhole: boolean) => void): void {
  let parts: Buffer[] = [];
  let size = 0;
  const flush = (isWhole: boolean): void => {
    const line = Buffer.concat(parts).toString();
    parts = [];
    size = 0;
    onLine(line, isWhole);
  };
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      parts.push(chunk.subarray(from, end));
      from = end + 1;
      flush(true);
    }
    parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size >= mostBytes) flush(false);
  });
  stream.on('end', () => {
    if (size > 0) flush(true);
  });
}
