import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Extensions } from '@millrace/catalog';
import type { ModelTable, Vocabulary } from '@millrace/core';
import type { Config } from '../config/settings.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import type { Cli } from '../process/cli.ts';
import { loadMappedTools, loadModelTable, loadPrices } from './load-tables.ts';

/** Vocabulary of workflows, and the end of the process that runs functions in Python. */
export interface OpenVocabulary {
  readonly vocabulary: Vocabulary;
  /** Returns the vocabulary with the functions of a further module, which win. */
  withModule(module: string): Promise<Vocabulary>;
  close(): Promise<void>;
}

/** The vocabulary with the functions that the environment names: those of a module, and those of a folder in Python. */
export async function openVocabulary(cli: Cli): Promise<OpenVocabulary> {
  const config = await cli.config();
  const { createVocabulary } = await import('@millrace/catalog');
  const own = await usable('MILLRACE_EXTENSIONS', () => moduleExtensions(config.extensions));
  const { extensions, close } = await usable('MILLRACE_FUNCTIONS_DIR', () => pythonExtensions(cli, config));
  const mapped = await mappedExtensions(config.tools);
  const { defaultReadLimits } = await import('@millrace/core');
  const limits = { ...defaultReadLimits, ...config.workflowLimits };
  const tables = await operatorTables(config);
  const open = (all: Extensions): Vocabulary => ({ ...createVocabulary(all, tables), limits });
  const all = merged(merged(mapped, extensions), own);
  return {
    vocabulary: open(all),
    withModule: async (module) => open(merged(all, await usable(module, () => moduleExtensions(module)))),
    close,
  };
}

/** Returns the tables of models that the environment names; the first one wins. */
async function operatorTables({ models, prices }: Config): Promise<readonly ModelTable[]> {
  const { tableOfPrices } = await import('@millrace/core');
  return [
    ...(models === undefined ? [] : [await loadModelTable(models)]),
    ...(prices === undefined ? [] : [tableOfPrices(await loadPrices(prices))]),
  ];
}

/** Opens the vocabulary for the duration of `use`. */
export async function withVocabulary<T>(cli: Cli, use: (vocabulary: Vocabulary) => Promise<T>): Promise<T> {
  const { vocabulary, close } = await openVocabulary(cli);
  try {
    return await use(vocabulary);
  } finally {
    await close();
  }
}

async function usable<T>(variable: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(exitCodes.invalid, `${variable} is not usable: ${reason}`, { cause: error });
  }
}

async function moduleExtensions(module: string | undefined): Promise<Extensions> {
  if (module === undefined) return {};
  const { extensions }: { extensions?: Extensions } = await import(pathToFileURL(resolve(module)).href);
  if (extensions === undefined) throw new Error(`${module} exports no \`extensions\`.`);
  return extensions;
}

async function pythonExtensions({ terminal }: Cli, { functions }: Config) {
  if (functions === undefined) return { extensions: {}, close: async () => undefined };
  const [{ withoutBuiltIns }, { openPythonFunctions }] = await Promise.all([
    import('@millrace/catalog'),
    import('@millrace/worker'),
  ]);
  const report = (line: string) => terminal.say(`! python: ${line}`);
  const { extensions, close } = await openPythonFunctions({ ...functions, report });
  return { extensions: withoutBuiltIns(extensions), close };
}

async function mappedExtensions(file: string | undefined): Promise<Extensions> {
  if (file === undefined) return {};
  const { mappedTools } = await import('@millrace/catalog');
  return { tools: mappedTools(await loadMappedTools(file)) };
}

/** Returns the extensions of both; the second one wins if they share a name. */
const merged = (first: Extensions, second: Extensions): Extensions => ({
  conditions: new Map([...(first.conditions ?? []), ...(second.conditions ?? [])]),
  processors: new Map([...(first.processors ?? []), ...(second.processors ?? [])]),
  detects: new Map([...(first.detects ?? []), ...(second.detects ?? [])]),
  tools: [...(first.tools ?? []), ...(second.tools ?? [])],
  terminations: new Map([...(first.terminations ?? []), ...(second.terminations ?? [])]),
});
