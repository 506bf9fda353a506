/** Time after which a hidden tab leaves the lead to another, in milliseconds. */
const hiddenMs = 30_000;

/**
 * Runs `lead` in one tab of the browser at a time: a visible one, or one that was visible until recently. The leading tab
 * keeps the lead until it is hidden or closed. Returns a function that stops it for this tab.
 */
export function electTab(name: string, lead: (signal: AbortSignal) => Promise<void>): () => void {
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
