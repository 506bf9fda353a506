import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDirectorySync } from '../../files/make-directory.ts';
import { isAlive, processMark } from './supervise.ts';

const pollMs = 20;

/**
 * Executes the work while no other process (and nothing else in this one) executes work under the lock of the same
 * folder.
 *
 * This is Lamport's bakery: a newcomer shows that it is choosing, takes a number higher than all it sees, and waits
 * until no other is choosing any more and none has a lower number. Everything is a file whose name identifies its
 * owner, and files of dead processes do not count. So a crash needs no repair, and no lock has to be broken, which
 * could break a live one.
 */
export async function withFileLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  makeDirectorySync(folder, 0o700);
  const mark = processMark(process.pid);
  const choosing = join(folder, `choosing.${mark}`);
  let ticket = choosing;
  try {
    writeFileSync(choosing, '');
    const number = 1 + Math.max(0, ...tickets(folder).map((other) => other.number));
    ticket = join(folder, `ticket.${number}.${mark}`);
    writeFileSync(ticket, '');
    rmSync(choosing);
    while (isSomebodyBefore(folder, { number, mark })) await sleep(pollMs);
    return await work();
  } finally {
    rmSync(choosing, { force: true });
    rmSync(ticket, { force: true });
  }
}

interface Ticket {
  readonly number: number;
  readonly mark: string;
}

function isSomebodyBefore(folder: string, own: Ticket): boolean {
  // In this order: a process that stops choosing after the first look has a ticket by the second.
  if (living(folder, 'choosing.').length > 0) return true;
  return tickets(folder).some(({ number, mark }) => number < own.number || (number === own.number && mark < own.mark));
}

function tickets(folder: string): Ticket[] {
  return living(folder, 'ticket.').map((name) => {
    const dot = name.indexOf('.');
    return { number: Number(name.slice(0, dot)), mark: name.slice(dot + 1) };
  });
}

/** Returns names without the prefix; removes files of dead processes. */
function living(folder: string, prefix: string): string[] {
  const names = readdirSync(folder).filter((name) => name.startsWith(prefix));
  return names
    .map((name) => name.slice(prefix.length))
    .filter((name) => {
      const alive = isAlive(prefix === 'ticket.' ? name.slice(name.indexOf('.') + 1) : name);
      if (!alive) rmSync(join(folder, prefix + name), { force: true });
      return alive;
    });
}
