import type { PlacedGraph } from './layout.ts';

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
export async function readLayout(key: string): Promise<PlacedGraph | undefined> {
  const db = await open();
  if (db === undefined) return undefined;
  return new Promise((resolve) => {
    const request = db.transaction(store).objectStore(store).get(key);
    request.onsuccess = () => resolve(request.result as PlacedGraph | undefined); // written below
    request.onerror = () => resolve(undefined);
  });
}

/** Keeps a layout. */
export async function writeLayout(key: string, placed: PlacedGraph): Promise<void> {
  const layouts = (await open())?.transaction(store, 'readwrite').objectStore(store);
  if (layouts === undefined) return;
  const count = layouts.count();
  count.onsuccess = () => {
    if (count.result >= mostLayouts) layouts.clear();
    layouts.put(placed, key);
  };
}
