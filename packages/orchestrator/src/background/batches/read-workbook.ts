import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { columns } from '@millrace/api';
import { RequestError } from '@millrace/core';
import createLimit from 'p-limit';
import { rowLimit } from './row-list.ts';
import { unpackWorkbook } from './unpack-workbook.ts';

const require = createRequire(import.meta.url);

/** Memory and time that the sheet of a table may take to read. */
const heapMb = 512;
const patienceMs = 60_000;

/** Excel files read at a time in this process, and those that may wait meanwhile. */
const reading = createLimit(2);
const waitingLimit = 8;

/** Bytes of JSON that the rows may come to: a text of a workbook is there once, however many cells have it. */
const rowsBytes = 32 * 1024 * 1024;

/*
 * A cell says at which row and column it is, and a reader makes all cells before it: a few bytes can ask for more memory
 * than there is. So a sheet is read by a process of its own, which may die of it, and nobody else is held up meanwhile.
 */
const program = `
  const { buffer } = require('node:stream/consumers');
  const { readSheet } = require(process.argv[1]);
  const [, , height, width] = process.argv.map(Number);
  buffer(process.stdin)
    .then(readSheet)
    .then((rows) => process.stdout.write(JSON.stringify(rows.slice(0, height).map((row) => row.slice(0, width)))));
`;
/** One more than a table may have shows that it has too many. */
const extent = [rowLimit + 2, columns.length + 1].map(String);

/** What a sheet has in a cell; a date is a text in the form of ISO 8601. */
export type Cell = string | number | boolean | null;

/**
 * The cells of the first sheet of an Excel file (XLSX), row by row, as far as a table of rows may reach. Throws
 * RequestError when it cannot be read, or too many wait for theirs.
 */
export async function readWorkbook(file: Uint8Array): Promise<readonly (readonly Cell[])[]> {
  if (reading.pendingCount >= waitingLimit) {
    throw new RequestError(
      'NOT_READY',
      'As many Excel files as may are being read at the moment. Send it again in a moment, or send CSV.',
    );
  }
  return reading(() => readNow(file));
}

async function readNow(file: Uint8Array): Promise<readonly (readonly Cell[])[]> {
  const unpacked = await unpackWorkbook(file).catch((error: unknown) => {
    throw error instanceof RequestError ? error : damaged();
  });
  const library = require.resolve('read-excel-file/node');
  const reader = promisify(execFile)(
    process.execPath,
    [`--max-old-space-size=${heapMb}`, '--eval', program, library, ...extent],
    { env: {}, timeout: patienceMs, killSignal: 'SIGKILL', maxBuffer: rowsBytes },
  );
  // That it has died while it was told is said by how it ended.
  reader.child.stdin?.on('error', () => undefined).end(unpacked);
  try {
    return JSON.parse((await reader).stdout) as Cell[][]; // written by `program`
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
    'The first sheet of the Excel file takes too much memory or time to read, or comes to more than 32 MiB. Remove what is beside and below the table, or save it as CSV.',
  );
