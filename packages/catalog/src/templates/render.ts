import { createRequire } from 'node:module';
import type { Environment } from 'minijinja-js';

/*
 * The template engine is WebAssembly. Its fuel counts steps, not their work, and after a trap (no memory, no stack) it is not usable
 * any more. So everything here is for a process that is ended at its limits, except for templates that are simple; the memory
 * of the engine has a maximum; and after every error that is not the author's, the next call gets a new engine.
 */

/** Maximum number of steps of one rendering. */
const maxSteps = 100_000;
/** Maximum memory of the engine, in pages of 64 KiB. */
const maxPages = 4096;
/** Maximum number of characters of a template, and of its text. */
const maxCharacters = 16 * 1024 * 1024;

/** Thrown for a template that needs more than the limits allow; any other error is the author's. */
export class TemplateLimit extends Error {}

// The types of this project are those of Node.js, which do not declare it.
const { WebAssembly: webAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    Module: new (bytes: Uint8Array) => object;
    Instance: new (module: object, imports: object) => { readonly exports: { readonly memory: EngineMemory } };
  };
};
interface EngineMemory {
  readonly buffer: ArrayBuffer;
}
const require = createRequire(import.meta.url);
const packageName = 'minijinja-js';
let cachedEnvironment: Environment | undefined;
let memory: EngineMemory | undefined;
let hasFailed = false;

/** Memory, in bytes, that an engine may keep; it never gives back what it has grown by. */
const keptBytes = 32 * 1024 * 1024;

/** Returns whether the process of the engine is to be ended: an engine has failed in it, or has grown. */
export const isEngineSpent = (): boolean => hasFailed || (memory?.buffer.byteLength ?? 0) > keptBytes;

/** Renders a Jinja template. Throws an Error whose message is one line; an unknown variable is an error. */
export function render(template: string, variables: Readonly<Record<string, unknown>>): string {
  const text = withEngine((environment) => environment.renderStr(template, variables));
  if (text.length > maxCharacters) throw new TemplateLimit(`its text has more than ${maxCharacters} characters`);
  return text;
}

/** Throws the same kinds of errors if the text is not a template. */
export function assertTemplate(template: string): void {
  const name = 'checked';
  withEngine((environment) => {
    environment.addTemplate(name, template);
    environment.removeTemplate(name);
  });
}

function withEngine<T>(action: (environment: Environment) => T): T {
  const { error: print } = console;
  try {
    cachedEnvironment ??= createEnvironment();
    // The engine prints a stack trace before a trap.
    console.error = () => undefined;
    return action(cachedEnvironment);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Only the errors of the engine itself are of this class.
    if (!(error instanceof Error) || error.constructor !== Error) {
      discardEnvironment();
      throw new TemplateLimit('it needs too much memory, or nests too deeply', { cause: error });
    }
    if (message.startsWith('engine ran out of fuel')) throw new TemplateLimit(`it takes more than ${maxSteps} steps`);
    // The first line is followed by an excerpt.
    throw new Error(message.split('\n')[0]);
  } finally {
    console.error = print;
  }
}

/** Leaves the engine to the garbage collector, which must not call its destructor: that would trap, too. */
function discardEnvironment(): void {
  const environment: (Environment & { __destroy_into_raw?(): number }) | undefined = cachedEnvironment;
  cachedEnvironment = undefined;
  memory = undefined;
  hasFailed = true;
  environment?.__destroy_into_raw?.();
}

/** Returns a new engine. It takes 90 ms to compile, so only processes that use templates load it. */
function createEnvironment(): Environment {
  const { Module, Instance } = webAssembly;
  delete require.cache[require.resolve(packageName)];
  webAssembly.Module = class extends Module {
    constructor(bytes: Uint8Array) {
      super(withMaximumMemory(bytes));
    }
  };
  webAssembly.Instance = class extends Instance {
    constructor(module: object, imports: object) {
      super(module, imports);
      memory = this.exports.memory;
    }
  };
  try {
    const engine: typeof import('minijinja-js') = require(packageName);
    const environment = new engine.Environment();
    environment.undefinedBehavior = 'strict';
    environment.fuel = maxSteps;
    environment.enablePyCompat();
    return environment;
  } finally {
    webAssembly.Module = Module;
    webAssembly.Instance = Instance;
  }
}

/** Section of a module that declares its memory. */
const memorySection = 5;
const headerBytes = 8;

/** Returns a WebAssembly module with a maximum of its only memory, which has none so far. Throws if it is built differently. */
function withMaximumMemory(source: Uint8Array): Uint8Array {
  const bytes = Buffer.from(source);
  for (let at = headerBytes; at < bytes.length; ) {
    const size = readNumber(bytes, at + 1);
    const end = size.end + size.value;
    if (bytes[at] === memorySection) {
      const [count, flags] = bytes.subarray(size.end);
      if (count !== 1 || flags !== 0) break;
      const minimum = bytes.subarray(size.end + 2, end);
      const content = Buffer.concat([Buffer.from([1, 1]), minimum, encodeNumber(maxPages)]);
      const section = [Buffer.from([memorySection]), encodeNumber(content.length), content];
      return Buffer.concat([bytes.subarray(0, at), ...section, bytes.subarray(end)]);
    }
    at = end;
  }
  throw new TypeError('The template engine does not declare its memory as expected.');
}

/** Reads a number in the encoding of WebAssembly (LEB128), and returns the position after it. */
function readNumber(bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let shift = 0, end = at; ; shift += 7) {
    const byte = bytes[end++] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, end };
  }
}

function encodeNumber(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 0x80)) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 0x80) + 0x80);
  }
}
