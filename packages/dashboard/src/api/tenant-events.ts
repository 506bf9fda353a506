import type { TenantEvent } from '@millrace/client';
import { millrace } from './millrace.ts';
import { createStore } from './store.ts';
import { isRefused, signedOut } from './transport.ts';

/*
 * One tab of the browser reads the stream of the installation, as browsers allow only six connections to a server. It
 * forwards each event to the other tabs. There is an event at least every 15 seconds. A tab without events for longer
 * polls its lists.
 */

type Message = { readonly type: 'event'; readonly event: TenantEvent } | { readonly type: 'hello' };

/** Set while events arrive; otherwise lists are polled. */
export const isStreaming = createStore(false);

const silenceMs = 40_000;
/** Time for which events are collected, so that many of them change the page ten times a second at most. */
const collectMs = 100;

const listeners = new Set<(events: readonly TenantEvent[]) => void>();
const gap: TenantEvent = { type: 'gap' };
let collected: TenantEvent[] = [];
let silence: ReturnType<typeof setTimeout> | undefined;

/** Calls back with the events of the installation as they arrive. Returns a function that stops it. */
export function onTenantEvents(listener: (events: readonly TenantEvent[]) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Receives the events of the installation, from its stream or from the tab that reads it. Returns a function that stops it. */
export function receiveTenantEvents(): () => void {
  const tabs = new BroadcastChannel('millrace.events');
  let isLeading = false;
  const leave = electTab('millrace.events', async (signal) => {
    isLeading = true;
    await readStream(signal, (event) => {
      receive(event);
      tabs.postMessage({ type: 'event', event } satisfies Message);
    });
    isLeading = false;
  });
  tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type === 'event') receive(data.event);
    // A tab that was just opened has missed nothing that it could have shown.
    else if (isLeading && isStreaming.get()) tabs.postMessage({ type: 'event', event: gap } satisfies Message);
  });
  tabs.postMessage({ type: 'hello' } satisfies Message);
  return () => {
    leave();
    tabs.close();
    clearTimeout(silence);
  };
}

/** Reads the stream until the signal is aborted. It retries while the stream is refused, for example without a session. */
async function readStream(signal: AbortSignal, each: (event: TenantEvent) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      await untilSignedIn(signal);
      for await (const event of millrace.events({ signal })) each(event);
    } catch (error) {
      // Other requests show the reason: the same server refuses them, or does not respond.
      if (!signal.aborted) await rest(signal, isRefused(error) ? refusedMs : delayMs);
    }
  }
}

const delayMs = 5_000;
/** Delay after which a refused stream is tried again, in milliseconds: lists are polled as often. */
const refusedMs = 15_000;

const rest = (signal: AbortSignal, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

function untilSignedIn(signal: AbortSignal): Promise<void> {
  if (!signedOut.get()) return Promise.resolve();
  return new Promise((resolve) => {
    const unsubscribe = signedOut.subscribe(() => {
      unsubscribe();
      resolve();
    });
    signal.addEventListener('abort', () => resolve());
  });
}

function receive(event: TenantEvent): void {
  isStreaming.set(true);
  clearTimeout(silence);
  silence = setTimeout(() => isStreaming.set(false), silenceMs);
  if (collected.length === 0) setTimeout(passOn, collectMs);
  collected.push(event);
}

function passOn(): void {
  const events = collected;
  collected = [];
  for (const listener of listeners) listener(events);
}

/** Time after which a hidden tab leaves the lead to another, in milliseconds. */
const hiddenMs = 30_000;

/**
 * Runs `lead` in one tab of the browser at a time: a visible one, or one that was visible until recently. The leading tab
 * keeps the lead until it is hidden or closed. Returns a function that stops it for this tab.
 */
function electTab(name: string, lead: (signal: AbortSignal) => Promise<void>): () => void {
  let candidacy: AbortController | undefined;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const stand = () => {
    if (candidacy !== undefined) return;
    candidacy = new AbortController();
    void whenElected(name, candidacy.signal, lead);
  };
  const withdraw = () => {
    candidacy?.abort();
    candidacy = undefined;
  };
  const onVisibility = () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(withdraw, hiddenMs);
    else stand();
  };
  document.addEventListener('visibilitychange', onVisibility);
  onVisibility();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    clearTimeout(hiding);
    withdraw();
  };
}

/** Leads once this tab is the one. Browsers have no locks on pages without TLS; there each tab leads for itself. */
async function whenElected(
  name: string,
  signal: AbortSignal,
  lead: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  try {
    if (navigator.locks === undefined) await lead(signal);
    else await navigator.locks.request(name, { signal }, () => lead(signal));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
