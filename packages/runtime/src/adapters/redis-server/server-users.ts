import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, processMark } from './process-mark.ts';

/** Use of a server that several processes share. */
export interface ServerUse {
  /** Returns the number of other living uses; those of dead processes are removed. */
  others(): number;
  leave(): void;
}

/** Registers in the folder that this process uses the server, until it releases it or dies. */
export function joinUsers(folder: string): ServerUse {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = processMark(process.pid);
  writeFileSync(join(folder, own), '');
  return {
    others() {
      const marks = readdirSync(folder).filter((mark) => mark !== own);
      const dead = marks.filter((mark) => !isAlive(mark));
      for (const mark of dead) rmSync(join(folder, mark), { force: true });
      return marks.length - dead.length;
    },
    leave: () => rmSync(join(folder, own), { force: true }),
  };
}
