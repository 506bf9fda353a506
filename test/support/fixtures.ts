import { randomUUID } from 'node:crypto';
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest';

/*
 * Resources of tests: each is one line at the top of a file or suite, is there during the tests below, and is closed after them, the
 * last one first. What a line returns stands for the resource, so that helpers of the file can use it by its name:
 *
 *   const directory = directoryBeforeAll();
 *   const stage = openBeforeAll(() => openStage({ where: { local: true }, workspaces: directory }));
 */

/** Opens a resource before the tests of this file or suite, and closes it after them, by its method `close`, `stop` or the like. */
export const openBeforeAll = <T extends object>(open: () => T | Promise<T>): T => opened(open, beforeAll, afterAll);

/** Opens a resource before each test of this file or suite, and closes it after the test. */
export const openBeforeEach = <T extends object>(open: () => T | Promise<T>): T => opened(open, beforeEach, afterEach);

/** Makes a directory with these files for the tests of this file or suite. */
export const directoryBeforeAll = (files: Files = {}): string => directory(files, beforeAll, afterAll);

/** Makes a directory with these files for each test of this file or suite; all have the same path. */
export const directoryBeforeEach = (files: Files = {}): string => directory(files, beforeEach, afterEach);

/** Makes a directory for the rest of the test that calls this. */
export function directoryOfTest(): string {
  const path = newPath();
  mkdirSync(path, { mode: 0o700 });
  onTestFinished(() => remove(path));
  return path;
}

/** Texts or bytes by the names of files. */
type Files = Readonly<Record<string, string | Uint8Array>>;

type Hook = typeof beforeAll | typeof beforeEach;

function opened<T extends object>(open: () => T | Promise<T>, before: Hook, after: Hook): T {
  let resource: T | undefined;
  before(async () => {
    resource = await open();
  });
  after(async () => {
    const last = resource;
    resource = undefined;
    if (last !== undefined) await close(last);
  });
  const current = (): T => {
    if (resource === undefined) throw new Error('The resource is there when a test or a hook runs.');
    return resource;
  };
  return new Proxy<T>({} as T, {
    get(_, name) {
      const value: unknown = Reflect.get(current(), name);
      // Methods of classes reach their private fields through `this`.
      return typeof value === 'function' ? value.bind(current()) : value;
    },
    set: (_, name, value) => Reflect.set(current(), name, value),
    has: (_, name) => Reflect.has(current(), name),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_, name) => {
      const found = Reflect.getOwnPropertyDescriptor(current(), name);
      return found && { ...found, configurable: true };
    },
    getPrototypeOf: () => Reflect.getPrototypeOf(current()),
  });
}

function close(resource: object): unknown {
  for (const name of ['close', 'stop', 'remove', 'disconnect', 'kill']) {
    const end: unknown = Reflect.get(resource, name);
    if (typeof end === 'function') return end.call(resource);
  }
  return undefined;
}

function directory(files: Files, before: Hook, after: Hook): string {
  const path = newPath();
  before(() => {
    mkdirSync(path, { mode: 0o700 });
    for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  });
  after(() => remove(path));
  return path;
}

const newPath = (): string => join(realpathSync(tmpdir()), `millrace-${randomUUID().slice(0, 13)}`);
const remove = (path: string): void => rmSync(path, { recursive: true, force: true, maxRetries: 10 });
