import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { TenantId } from '@millrace/core';
import { missingPackages, RequestError } from '@millrace/core';
import { Unzip, UnzipInflate, zipSync } from 'fflate';
import type { LimitFunction } from 'p-limit';
import createLimit from 'p-limit';
import { rowLimit, widest } from './table-header.ts';

const require = createRequire(import.meta.url);

/** Limits of memory and time for reading the sheet of a table. */
const heapMb = 512;
const readTimeoutMs = 60_000;

/** Maximum number of Excel files that are read at a time in this process, and of those of one tenant that wait. */
const reading = createLimit(2);
const waitingLimit = 8;

/**
 * Slots of tenants with files. Each has one slot, so that at most one file of a tenant waits for the process: tenants alternate, and a
 * tenant that sends many files delays only its own.
 */
const slots = new Map<TenantId, LimitFunction>();

/** Maximum size of the rows as JSON, in bytes: a workbook stores a text once, however many cells contain it. */
const rowsBytes = 32 * 1024 * 1024;

/*
 * A cell contains its row and column, and a reader creates all cells before it: a few bytes can request more memory than
 * the machine has. So a sheet is read by a separate process, whose death affects nothing else.
 */
const program = `
  const { buffer } = require('node:stream/consumers');
  const { readSheet } = require(process.argv[1]);
  const [, , height, width] = process.argv.map(Number);
  buffer(process.stdin)
    .then(readSheet)
    .then((rows) => process.stdout.write(JSON.stringify(rows.slice(0, height).map((row) => row.slice(0, width)))));
`;
/** One row and column beyond the limits, which shows that a table is too large. */
const extent = [rowLimit + 2, widest + 1].map(String);

/** Value of a cell in a sheet; a date is a text in the form of ISO 8601. */
export type Cell = string | number | boolean | null;

/**
 * Returns the cells of the first sheet of an Excel file (XLSX), row by row, up to the limits of a table. Throws
 * RequestError if it cannot be read, or if too many files of the tenant wait.
 */
export async function readWorkbook(file: Uint8Array, tenant: TenantId): Promise<readonly (readonly Cell[])[]> {
  const slot = slots.get(tenant) ?? createLimit(1);
  if (slot.pendingCount >= waitingLimit) {
    throw new RequestError(
      'NOT_READY',
      `${waitingLimit} Excel files of this tenant wait already. Try again in a moment, or send CSV.`,
    );
  }
  slots.set(tenant, slot);
  try {
    return await slot(() => reading(() => readNow(file)));
  } finally {
    if (slot.activeCount === 0 && slot.pendingCount === 0) slots.delete(tenant);
  }
}

const excel = { neededBy: 'A table in an Excel file', install: ['read-excel-file@9'] };

/** Returns the path of the library that reads sheets, an optional package. Throws PACKAGE_MISSING. */
function libraryPath(): string {
  try {
    return require.resolve('read-excel-file/node');
  } catch {
    throw new RequestError('PACKAGE_MISSING', `${missingPackages(excel)} (or send CSV)`);
  }
}

async function readNow(file: Uint8Array): Promise<readonly (readonly Cell[])[]> {
  const unpacked = await unpackWorkbook(file).catch((error: unknown) => {
    throw error instanceof RequestError ? error : damaged();
  });
  const library = libraryPath();
  const reader = promisify(execFile)(
    process.execPath,
    [`--max-old-space-size=${heapMb}`, '--eval', program, library, ...extent],
    { env: {}, timeout: readTimeoutMs, killSignal: 'SIGKILL', maxBuffer: rowsBytes },
  );
  // The exit of the reader reports its death while it received the file.
  reader.child.stdin?.on('error', () => undefined).end(unpacked);
  try {
    return JSON.parse((await reader).stdout) as Cell[][]; // written by `program`
  } catch (error) {
    throw hasRefused(error) ? damaged() : tooMuch();
  }
}

/**
 * Returns whether the reader has exited by itself, as it does for a file that is not an Excel file; a reader that was killed
 * has taken too much.
 */
const hasRefused = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 1;

const damaged = (): RequestError =>
  new RequestError('BATCH_INVALID', 'The file is not an Excel file (XLSX), or it is damaged.');

const tooMuch = (): RequestError =>
  new RequestError(
    'BATCH_INVALID',
    'The first sheet of the Excel file takes too much memory or time to read, or comes to more than 32 MiB. Remove what is beside and below the table, or save it as CSV.',
  );

/** Maximum unpacked size of the parts that are read, in bytes: a small file can unpack to a thousand times its size. */
const unpackedLimit = 64 * 1024 * 1024;

/** Maximum number of parts: an Excel file has one for each sheet, and some more. */
const partLimit = 1000;
const stepBytes = 16 * 1024;

/**
 * Returns an Excel file with only those parts that are read, uncompressed, so that its reader gets what was measured
 * here. Throws RequestError if it is too large, or not an archive.
 */
async function unpackWorkbook(file: Uint8Array): Promise<Uint8Array> {
  const parts = new Map<string, Uint8Array[]>();
  let size = 0;
  const unzip = new Unzip((part) => {
    if (!/\.xml(\.rels)?$/.test(part.name)) return;
    if (parts.size === partLimit) throw tooLarge();
    const pieces: Uint8Array[] = [];
    parts.set(part.name, pieces);
    part.ondata = (error, piece) => {
      if (error !== null) throw error;
      size += piece.length;
      if (size > unpackedLimit) throw tooLarge();
      pieces.push(piece);
    };
    part.start();
  });
  unzip.register(UnzipInflate);
  // In steps, so that at most one step is unpacked before it is measured, and other work runs in between.
  for (let at = 0; at < file.length; at += stepBytes) {
    unzip.push(file.subarray(at, at + stepBytes), at + stepBytes >= file.length);
    await setImmediate();
  }
  return zipSync(Object.fromEntries([...parts].map(([name, pieces]) => [name, Buffer.concat(pieces)])), { level: 0 });
}

const tooLarge = (): RequestError =>
  new RequestError(
    'BATCH_INVALID',
    `The Excel file unpacks to more than ${unpackedLimit.toLocaleString('en')} bytes. Split the table, or save it as CSV.`,
  );
