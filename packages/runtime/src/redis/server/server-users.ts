import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, processMark } from './process-mark.ts';

/** One use of a server that several processes share. */
export interface ServerUse {
  /** How many other living uses there are; those of dead processes are forgotten. */
  others(): number;
  leave(): void;
}

/** Notes in the folder that this process uses the server, until it leaves or dies. */
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
