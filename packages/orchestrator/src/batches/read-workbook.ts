import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { RequestError } from '@millrace/core';
import { unpackedLimit, unpackWorkbook } from './unpack-workbook.ts';

const require = createRequire(import.meta.url);

/** Memory and time that the sheet of a table may take to read. */
const heapMb = 512;
const patienceMs = 60_000;

/*
 * A cell says at which row and column it is, and a reader makes all cells before it: a few bytes can ask for more memory
 * than there is. So a sheet is read by a process of its own, which may die of it, and nobody else is held up meanwhile.
 */
const program = `
  const { buffer } = require('node:stream/consumers');
  const { readSheet } = require(process.argv[1]);
  buffer(process.stdin).then(readSheet).then((rows) => process.stdout.write(JSON.stringify(rows)));
`;

/** What a sheet has in a cell; a date is a text in the form of ISO 8601. */
export type Cell = string | number | boolean | null;

/** The cells of the first sheet of an Excel file (XLSX), row by row. Throws RequestError when it cannot be read. */
export async function readWorkbook(file: Uint8Array): Promise<readonly (readonly Cell[])[]> {
  const unpacked = await unpackWorkbook(file).catch((error: unknown) => {
    throw error instanceof RequestError ? error : damaged();
  });
  const library = require.resolve('read-excel-file/node');
  const reading = promisify(execFile)(
    process.execPath,
    [`--max-old-space-size=${heapMb}`, '--eval', program, library],
    { env: {}, timeout: patienceMs, killSignal: 'SIGKILL', maxBuffer: unpackedLimit },
  );
  // That it has died while it was told is said by how it ended.
  reading.child.stdin?.on('error', () => undefined).end(unpacked);
  try {
    return JSON.parse((await reading).stdout) as Cell[][]; // written by `program`
  } catch (error) {
    throw hasRefused(error) ? damaged() : tooMuch();
  }
}

/** Whether the reader has ended of itself, as it does over what is no Excel file; one that died has taken too much. */
const hasRefused = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 1;

const damaged = (): RequestError =>
  new RequestError('BATCH_INVALID', 'The file is no Excel file (XLSX), or is damaged.');

const tooMuch = (): RequestError =>
  new RequestError(
    'BATCH_INVALID',
    'The first sheet of the Excel file takes too much memory or time to read. Remove what is beside and below the table, or save it as CSV.',
  );
