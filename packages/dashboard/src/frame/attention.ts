import { useEffect } from 'react';
import { useWaitingQuestions } from '../inbox/use-tasks.ts';

const icons = { none: '/ui/favicon.svg', some: '/ui/favicon-asks.svg' } as const;

/** Shows in the tab of the browser that questions wait: their number before each title, and a dot on the icon. */
export function useAttention(): void {
  const waiting = useWaitingQuestions();
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    icon?.setAttribute('href', waiting === '' ? icons.none : icons.some);
    if (waiting === '') return;
    const prefix = `(${waiting}) `;
    const mark = () => {
      if (!document.title.startsWith(prefix)) document.title = prefix + document.title;
    };
    mark();
    const title = document.querySelector('title');
    const observer = new MutationObserver(mark);
    if (title !== null) observer.observe(title, { childList: true });
    return () => {
      observer.disconnect();
      if (document.title.startsWith(prefix)) document.title = document.title.slice(prefix.length);
    };
  }, [waiting]);
}
