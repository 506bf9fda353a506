import { useEffect, useRef, useState } from 'react';
import type { GraphView } from '../canvas/flow.ts';

const pulseMs = 1_000;
const none: ReadonlySet<string> = new Set();

/** Returns the edges over which something has passed within the last second; none while the past is shown. */
export function usePulses(views: ReadonlyMap<string, GraphView>, isLive: boolean): ReadonlySet<string> {
  const before = useRef(new Map<string, number>());
  const [pulses, setPulses] = useState(none);
  useEffect(() => {
    const now = new Map([...views.values()].flatMap(({ edges }) => edges.map(({ place, passed }) => [place, passed])));
    // What had passed before the page was opened is no news.
    const news = [...now].filter(([place, passed]) => passed > (before.current.get(place) ?? passed));
    const isFirst = before.current.size === 0;
    before.current = now;
    if (isFirst || !isLive || news.length === 0) return;
    setPulses(new Set(news.map(([place]) => place)));
    const timer = setTimeout(() => setPulses(none), pulseMs);
    return () => clearTimeout(timer);
  }, [views, isLive]);
  return pulses;
}
