import { RequestError } from '@millrace/core';
import type { ChainableCommander } from 'ioredis';
import { Command } from 'ioredis';
import { outageOf } from './outage.ts';

/** The parts of a pipeline of ioredis that its types keep private. */
interface Internals {
  readonly _queue: readonly TransactionCommand[];
  readonly _shaToScript: Readonly<Record<string, { readonly lua: string } | undefined>>;
  sendCommand(command: Command): void;
}

interface TransactionCommand {
  readonly name: string;
  readonly args: readonly (string | Buffer | number)[];
  readonly replyEncoding: string | null;
}

/**
 * Begins a transaction that is begun again, with the same commands, when Redis has refused it because of an outage:
 * then none of its commands was executed. Any other failure is final, such as that of a connection that broke before
 * the reply.
 */
export function repeatable(begin: () => ChainableCommander, over: () => Promise<void>): ChainableCommander {
  const transaction = begin();
  const exec = transaction.exec.bind(transaction);
  transaction.exec = async () => {
    let execute: () => ReturnType<typeof exec> = exec;
    for (;;) {
      try {
        return await execute();
      } catch (error) {
        if (!isRefused(error)) throw refusalBefore(error) ?? error;
      }
      await over();
      const next = begin();
      copyCommands(transaction, next);
      execute = () => next.exec();
    }
  };
  return transaction;
}

/** A refused transaction has an error reply; an outage without one may have come after the execution. */
const isRefused = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ReplyError' && outageOf(error) !== undefined;

/** Returns the refusal of one of the commands, because of which the whole was discarded. */
function refusalBefore(error: unknown): RequestError | undefined {
  if (!(error instanceof Error) || !('previousErrors' in error) || !Array.isArray(error.previousErrors))
    return undefined;
  return error.previousErrors.find((previous) => previous instanceof RequestError);
}

function copyCommands(from: ChainableCommander, to: ChainableCommander): void {
  // Both are pipelines.
  const [source, target] = [from, to] as unknown as [Internals, Internals];
  for (const command of source._queue)
    if (command.name !== 'multi' && command.name !== 'exec') target.sendCommand(copyOf(command, source));
}

/** A script is sent with its text: a server that has refused it does not know it. */
function copyOf({ name, args, replyEncoding }: TransactionCommand, { _shaToScript: scripts }: Internals): Command {
  const script = name === 'evalsha' ? scripts[String(args[0])] : undefined;
  const encoding = { replyEncoding: replyEncoding as BufferEncoding | null };
  return script === undefined
    ? new Command(name, [...args], encoding)
    : new Command('eval', [script.lua, ...args.slice(1)], encoding);
}
