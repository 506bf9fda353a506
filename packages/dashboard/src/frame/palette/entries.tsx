import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { CornerDownRight, ListChecks, Plus, Workflow, Zap } from 'lucide-react';
import type { ReactNode } from 'react';
import { useDeferredValue } from 'react';
import { millrace } from '../../api/millrace.ts';
import type { Needed } from '../../api/needed.ts';
import { missingScope, useCaller } from '../../api/use-caller.ts';
import { useIsThere } from '../../api/use-storage.ts';
import { actions } from '../../kit/commands/actions.ts';
import { useCommands } from '../../kit/commands/commands.ts';
import { Keys } from '../../kit/shortcuts/keys.tsx';
import { shortcuts } from '../../kit/shortcuts/shortcuts.ts';
import { StatusIcon } from '../../kit/values/status.tsx';
import { rowSources } from './rows.ts';
import type { ScreenLink } from './screens.ts';
import { screens } from './screens.ts';

type Target =
  | { readonly act: () => void }
  | { readonly href: string }
  | { readonly to: ScreenLink['to'] | (typeof others)[number]['to'] }
  | { readonly to: '/runs/$run'; readonly params: { readonly run: string } }
  | { readonly to: '/workflows/$name'; readonly params: { readonly name: string } };

/** One line of the palette. */
export interface PaletteEntry {
  readonly id: string;
  readonly group: 'This screen' | 'Go to' | 'Actions' | 'Workflows' | 'Rows of lists' | 'Runs';
  readonly icon: ReactNode;
  readonly title: string;
  readonly hint?: ReactNode;
  /** Reason why the caller cannot choose it; absent: the caller can. */
  readonly obstacle?: string | undefined;
  readonly target: Target;
}

/** Entry with what it requires of the caller; absent: nothing but to read. */
type OfferedEntry = PaletteEntry & { readonly needs?: Needed };

/** Places beside the screens of the rail. */
const others = [
  { title: 'Start a run', to: '/runs/new', needs: 'run' },
  { title: 'New batch', to: '/batches/new', needs: 'run' },
  { title: 'New schedule', to: '/schedules/new', needs: 'run' },
  { title: 'New webhook', to: '/webhooks/new', needs: 'admin' },
  { title: 'Bulk actions', to: '/bulk' },
] as const;

const otherEntries: readonly OfferedEntry[] = others.map(({ title, to, ...needs }) => ({
  id: to,
  group: 'Go to',
  icon: to === '/bulk' ? <ListChecks aria-hidden size={14} /> : <Plus aria-hidden size={14} />,
  title,
  target: { to },
  ...needs,
}));

/** All actions of the dashboard: each opens its screen. */
const actionEntries: readonly (OfferedEntry & { readonly place: string })[] = Object.entries(actions).map(
  ([operation, { title, at, needs }]) => ({
    id: operation,
    // Bulk actions are given in the list of runs.
    place: operation === 'bulk.create' ? '/bulk' : at,
    group: 'Actions',
    icon: <Zap aria-hidden size={14} />,
    title,
    target: { href: at },
    needs,
  }),
);

/** Workflows that are shown. */
const mostWorkflows = 8;

/** Runs that are shown. */
const mostRuns = 8;

/** Rows of a list that are shown. */
const mostRows = 5;

/** Returns the rows of lists that match a text. Lists that the caller may not read are not loaded. */
function useRowEntries(text: string): readonly PaletteEntry[] {
  const { data: caller } = useCaller();
  const lists = useQueries({
    queries: rowSources.map(({ name, isFor = () => true, load }) => ({
      queryKey: ['palette', 'rows', name],
      queryFn: load,
      enabled: text !== '' && caller !== undefined && isFor(caller),
      staleTime: 10_000,
      refetchInterval: false as const,
    })),
  });
  if (text === '') return [];
  return rowSources.flatMap(({ name, icon: Icon }, at) =>
    (lists[at]?.data ?? [])
      .filter(({ id, title, hint = '' }) => isFoundBy(`${title} ${id} ${hint}`, text))
      .slice(0, mostRows)
      .map(
        (row): PaletteEntry => ({
          id: `${name} ${row.id}`,
          group: 'Rows of lists',
          icon: <Icon aria-hidden size={14} />,
          title: row.title,
          hint: row.hint,
          target: { href: row.at },
        }),
      ),
  );
}

/** Returns the matches of a text: commands of the screen, screens, rows of lists, and runs. */
export function useEntries(text: string) {
  const commands = useCommands();
  const isThere = useIsThere();
  const { data: caller } = useCaller();
  const offered = ({ needs, ...entry }: OfferedEntry): PaletteEntry => {
    const obstacle = missingScope(caller, needs);
    if (obstacle === undefined) return entry;
    return { ...entry, obstacle, hint: needs === 'operator' ? 'needs an operator' : `needs the scope "${needs}"` };
  };
  const searched = useDeferredValue(text);
  const { data, error, isFetching } = useQuery({
    queryKey: ['palette', 'runs', searched],
    queryFn: () => millrace.runs.list({ limit: mostRuns, ...(searched === '' ? {} : { q: searched }) }).page(),
    placeholderData: keepPreviousData,
  });
  const workflows = useQuery({
    queryKey: ['palette', 'workflows'],
    queryFn: () => millrace.workflows.list().page(),
    staleTime: 10_000,
  });
  const rows = useRowEntries(searched);
  const entries: readonly PaletteEntry[] = [
    ...commands
      .filter(({ title }) => isFoundBy(title, text))
      .map(
        ({ id, title, act }): PaletteEntry => ({
          id,
          title,
          group: 'This screen',
          icon: <CornerDownRight aria-hidden size={14} />,
          target: { act },
        }),
      ),
    ...screens
      .filter(({ to, label }) => isThere(`${to}/`) && isFoundBy(label, text))
      .map(
        ({ to, label, icon: Icon, shortcut }): PaletteEntry => ({
          id: to,
          title: label,
          group: 'Go to',
          icon: <Icon aria-hidden size={14} />,
          hint: <Keys keys={shortcuts[shortcut].keys[0]} />,
          target: { to },
        }),
      ),
    ...otherEntries.filter(({ id, title }) => isThere(id) && isFoundBy(title, text)).map(offered),
    ...(text === '' ? [] : actionEntries.filter(({ place, title }) => isThere(place) && isFoundBy(title, text))).map(
      offered,
    ),
    ...(text === '' ? [] : (workflows.data?.data ?? []))
      .filter(({ name }) => isFoundBy(name, text))
      .slice(0, mostWorkflows)
      .map(
        ({ name, hash }): PaletteEntry => ({
          id: `workflow ${name}`,
          title: name,
          group: 'Workflows',
          icon: <Workflow aria-hidden size={14} />,
          hint: `@${hash.slice(0, 6)}`,
          target: { to: '/workflows/$name', params: { name } },
        }),
      ),
    ...(data?.data ?? []).map(
      ({ runId, title, status, workflow }): PaletteEntry => ({
        id: runId,
        title: title ?? runId,
        group: 'Runs',
        icon: <StatusIcon of={status} />,
        hint: `${status} · ${workflow}`,
        target: { to: '/runs/$run', params: { run: runId } },
      }),
    ),
    ...rows,
  ];
  return { entries, error, isSearching: isFetching || searched !== text };
}

/** Tests if each word of a text is the beginning of a word of a title. */
function isFoundBy(title: string, text: string): boolean {
  const words = wordsOf(title);
  return wordsOf(text).every((wanted) => words.some((word) => word.startsWith(wanted)));
}

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[\s._:/@-]+/)
    .filter((word) => word !== '');
