import { setImmediate } from 'node:timers/promises';
import { RequestError } from '@millrace/core';
import { Unzip, UnzipInflate, zipSync } from 'fflate';

/** Maximum unpacked size of the parts that are read, in bytes: a small file can unpack to a thousand times its size. */
const unpackedLimit = 64 * 1024 * 1024;

/** Maximum number of parts: an Excel file has one for each sheet, and some more. */
const partLimit = 1000;
const stepBytes = 16 * 1024;

/**
 * Returns an Excel file with only those parts that are read, uncompressed, so that its reader gets what was measured
 * here. Throws RequestError if it is too large, or not an archive.
 */
export async function unpackWorkbook(file: Uint8Array): Promise<Uint8Array> {
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
