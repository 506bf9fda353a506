import type { LayoutRequest, PlacedGraph } from './layout.ts';
import workerUrl from './layout.worker.ts?worker&url';

/** A layout that is kept for all runs of a workflow. */
export interface WantedLayout extends Omit<LayoutRequest, 'id'> {
  /** Hash of the workflow. */
  readonly plan: string;
}

/** Changes whenever the same graphs are placed otherwise than before. */
const version = 1;

const waiting = new Map<number, { resolve(placed: PlacedGraph): void; reject(error: Error): void }>();
let worker: Worker | undefined;

/** Places a graph in a worker, or as it was placed before if that was kept. */
export async function layoutOf({ plan, ...request }: WantedLayout, isKept: boolean): Promise<PlacedGraph> {
  if (!isKept) return ask(request);
  const place = [version, plan, request.key, ...[...request.open].sort()].join('\n');
  const known = await readLayout(place);
  if (known !== undefined) return known;
  const placed = await ask(request);
  void writeLayout(place, placed);
  return placed;
}

function ask(request: Omit<LayoutRequest, 'id'>): Promise<PlacedGraph> {
  worker ??= startWorker();
  const id = waiting.size === 0 ? 1 : Math.max(...waiting.keys()) + 1;
  worker.postMessage({ id, ...request } satisfies LayoutRequest);
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

function startWorker(): Worker {
  // The type of `Worker` knows no trusted URLs; browsers that know them take nothing else.
  const started = new Worker(trusted(workerUrl) as string, { type: 'module', name: 'layout' });
  started.onmessage = ({ data }: MessageEvent<{ readonly id: number; readonly placed: PlacedGraph }>) => {
    waiting.get(data.id)?.resolve(data.placed);
    waiting.delete(data.id);
  };
  started.onerror = ({ message }) => {
    for (const { reject } of waiting.values()) reject(new Error(`The graph cannot be laid out: ${message}`));
    waiting.clear();
    worker = undefined;
  };
  return started;
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}

/** The only Trusted Types policy of the page: it accepts the URL of the worker and no other. */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('millrace', {
  createScriptURL(url) {
    if (url !== workerUrl) throw new TypeError(`"${url}" is no script of this page.`);
    return url;
  },
});

const trusted = (url: string): unknown => policy?.createScriptURL(url) ?? url;

/** Starts the worker before its first graph is known, as it takes a moment. */
export function prepareLayout(): void {
  worker ??= startWorker();
}

const database = 'millrace';
const store = 'layouts';
/** Layouts that are kept; with more, all are forgotten. */
const mostLayouts = 300;

let opened: Promise<IDBDatabase | undefined> | undefined;

/** Opens the database of this browser; undefined where it keeps none, as in some private windows. */
function open(): Promise<IDBDatabase | undefined> {
  opened ??= new Promise((resolve) => {
    const request = indexedDB.open(database, 1);
    request.onupgradeneeded = () => void request.result.createObjectStore(store);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve(undefined);
    request.onblocked = () => resolve(undefined);
  });
  return opened;
}

/** Returns a layout that was kept. */
async function readLayout(key: string): Promise<PlacedGraph | undefined> {
  const db = await open();
  if (db === undefined) return undefined;
  return new Promise((resolve) => {
    const request = db.transaction(store).objectStore(store).get(key);
    request.onsuccess = () => resolve(request.result as PlacedGraph | undefined); // written below
    request.onerror = () => resolve(undefined);
  });
}

/** Keeps a layout. */
async function writeLayout(key: string, placed: PlacedGraph): Promise<void> {
  const layouts = (await open())?.transaction(store, 'readwrite').objectStore(store);
  if (layouts === undefined) return;
  const count = layouts.count();
  count.onsuccess = () => {
    if (count.result >= mostLayouts) layouts.clear();
    layouts.put(placed, key);
  };
}
