import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of a few megabytes. */
export interface SmallDisk {
  readonly path: string;
  /** Leaves no byte free. */
  fill(): void;
  /** Makes room again. */
  free(): void;
  close(): void;
}

/** Mounts one in memory; undefined where that is not allowed. */
export function openSmallDisk(megabytes = 16): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'millrace-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    rmdirSync(path);
    return undefined;
  }
  const filler = join(path, 'filler');
  return {
    path,
    fill: () => fill(filler),
    free: () => rmSync(filler, { force: true }),
    close() {
      execFileSync('umount', ['-l', path]);
      rmdirSync(path);
    },
  };
}

function fill(file: string): void {
  const descriptor = openSync(file, 'a');
  try {
    for (let size = 1 << 20; size > 0; size >>= 1) writeUntilFull(descriptor, Buffer.alloc(size));
  } finally {
    closeSync(descriptor);
  }
}

function writeUntilFull(descriptor: number, content: Buffer): void {
  try {
    while (writeSync(descriptor, content) === content.length);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOSPC') throw error;
  }
}
