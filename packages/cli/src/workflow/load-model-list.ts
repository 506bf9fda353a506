import type { MessageLimits, ReadModelList } from '@millrace/core';
import { CommandError, exitCodes } from '../exit/exit.ts';
import type { Cli } from '../process/cli.ts';
import { readLocalFile } from './source-file.ts';

const mebibyte = 1024 * 1024;
const limits: MessageLimits = { bytes: 16 * mebibyte, values: 2_000_000, depth: 50 };
const timeoutMs = 30_000;

/** Reads a list of models from a URL or a file; one that cannot be used ends the command. */
export async function loadModelList(cli: Cli, from: string): Promise<ReadModelList> {
  const isUrl = /^https?:\/\//i.test(from);
  const text = isUrl ? await fetchList(cli, from) : readFileList(from);
  const { readModelList, RequestError } = await import('@millrace/core');
  const today = new Date().toISOString().slice(0, 10);
  const read = readModelList(await parse(text, from), { source: from, today });
  if ('problem' in read) throw new RequestError('MODEL_LIST_INVALID', `${from} is not usable. ${read.problem}`);
  return read;
}

/** Fetches a list within the limits of replies, from an address that workflows of this installation may reach, too. */
async function fetchList(cli: Cli, url: string): Promise<string> {
  const { outbound = ['loopback'] } = await cli.config();
  const [{ createGuardedFetch, createOutboundPolicy }, { boundedResponse, describeExceeded }, { startDeadline }] =
    await Promise.all([import('@millrace/runtime'), import('@millrace/core'), import('@millrace/catalog')]);
  const fetchWithin = createGuardedFetch(createOutboundPolicy(outbound));
  const deadline = startDeadline(timeoutMs);
  try {
    const response = await fetchWithin(url, { signal: deadline.signal });
    if (!response.ok) throw new Error(`The server answers with the status ${response.status}.`);
    const refuse = (...[limit, most]: Parameters<typeof describeExceeded>) =>
      new Error(`The list ${describeExceeded(limit, most)}.`);
    return await boundedResponse(response, { body: limits, refuse }).text();
  } catch (error) {
    throw unreadable(url, error);
  } finally {
    deadline.clear();
  }
}

function readFileList(file: string): string {
  try {
    const bytes = readLocalFile(file);
    if (bytes.length > limits.bytes) throw new Error(`The file is larger than ${limits.bytes / mebibyte} MiB.`);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadable(file, error);
  }
}

async function parse(text: string, from: string): Promise<unknown> {
  try {
    if (!/\.ya?ml$/i.test(from)) return JSON.parse(text);
    const { parse } = await import('yaml');
    return parse(text);
  } catch (error) {
    throw unreadable(from, error);
  }
}

function unreadable(from: string, error: unknown): CommandError {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  const reason = error instanceof Error ? error.message : String(error);
  const message = `The list of models cannot be read from ${from}: ${reason}${cause}`;
  return new CommandError(exitCodes.invalid, message, { code: 'MODEL_LIST_INVALID' });
}
