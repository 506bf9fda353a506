import { setImmediate as turn } from 'node:timers/promises';
import { RequestError } from '@millrace/core';
import { Unzip, UnzipInflate, zipSync } from 'fflate';

/** Bytes that what is read of an Excel file may come to: a few of a file can unpack to a thousand times as many. */
const unpackedLimit = 64 * 1024 * 1024;

/** An Excel file has a part for each sheet, and some more. */
const partLimit = 1000;
const stepBytes = 16 * 1024;

/**
 * An Excel file anew, with only those parts that are read, and not compressed: whoever reads it meets what was counted
 * here. Throws RequestError when that is too much, or it is no archive.
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
  // Step by step, so that no more is unpacked than a step holds before it is counted, and others have their turn.
  for (let at = 0; at < file.length; at += stepBytes) {
    unzip.push(file.subarray(at, at + stepBytes), at + stepBytes >= file.length);
    await turn();
  }
  return zipSync(Object.fromEntries([...parts].map(([name, pieces]) => [name, Buffer.concat(pieces)])), { level: 0 });
}

const tooLarge = (): RequestError =>
  new RequestError(
    'BATCH_INVALID',
    `The Excel file unpacks to more than ${unpackedLimit.toLocaleString('en')} bytes. Split the table, or save it as CSV.`,
  );
