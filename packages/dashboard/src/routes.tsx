import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { parseBatchSearch } from './batches/use-batches.ts';
import { parseCompareSearch } from './compare/compare-search.ts';
import { App } from './frame/frame.tsx';
import { NotFound, NotLoaded } from './frame/not-found.tsx';
import { eventId, matching, searchOf, text } from './kit/values/search.ts';
import { parseInboxSearch } from './questions/use-tasks.ts';
import { parseActivationsSearch } from './run/activations/activations-search.ts';
import { parseConversationSearch } from './run/conversation/conversation-search.ts';
import { parseGraphSearch } from './run/follow/graph-search.ts';
import { parseJournalSearch } from './run/journal/journal-search.ts';
import { parseTimelineSearch } from './run/timeline/timeline-search.ts';
import { parseYamlSearch } from './run/yaml/yaml-search.ts';
import { parseRunFilter } from './runs/filter/run-filter.ts';
import type { SortColumn } from './runs/filter/run-order.ts';
import { parseSort } from './runs/filter/run-order.ts';
import { RunsScreen } from './runs/runs-screen.tsx';
import { parseUsageSearch } from './usage/usage-search.ts';
import { parseWebhookSearch } from './webhooks/use-webhooks.ts';

const root = createRootRoute({ component: App, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/runs' });
  },
});

/** Column that the list of runs is sorted by. */
const sortIn = ({ sort }: Record<string, unknown>): { readonly sort?: SortColumn } => {
  const column = parseSort(sort);
  return column === undefined ? {} : { sort: column };
};

const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: (search) => ({ ...parseRunFilter(search), ...sortIn(search) }),
  component: RunsScreen,
});

const start = createRoute({
  getParentRoute: () => root,
  path: '/runs/new',
  // A published workflow, `NAME` or `NAME@HASH`; a run whose task and settings the form begins with.
  validateSearch: searchOf({ workflow: text, from: text }),
  component: lazyRouteComponent(() => import('./runs/start/start-screen.tsx'), 'StartScreen'),
});

const bulkAction = createRoute({
  getParentRoute: () => root,
  path: '/bulk/$bulk',
  component: lazyRouteComponent(() => import('./runs/bulk/bulk-screens.tsx'), 'BulkScreen'),
});

const bulkActions = createRoute({
  getParentRoute: () => root,
  path: '/bulk',
  component: lazyRouteComponent(() => import('./runs/bulk/bulk-screens.tsx'), 'BulkListScreen'),
});

const batches = createRoute({
  getParentRoute: () => root,
  path: '/batches',
  component: lazyRouteComponent(() => import('./batches/batches-screen.tsx'), 'BatchesScreen'),
});

const newBatch = createRoute({
  getParentRoute: () => root,
  path: '/batches/new',
  validateSearch: searchOf({ workflow: text }),
  component: lazyRouteComponent(() => import('./batches/new/new-batch-screen.tsx'), 'NewBatchScreen'),
});

const batch = createRoute({
  getParentRoute: () => root,
  path: '/batches/$batch',
  validateSearch: parseBatchSearch,
  component: lazyRouteComponent(() => import('./batches/batch-screen.tsx'), 'BatchScreen'),
});

const schedules = createRoute({
  getParentRoute: () => root,
  path: '/schedules',
  component: lazyRouteComponent(() => import('./schedules/schedules-screen.tsx'), 'SchedulesScreen'),
});

const newSchedule = createRoute({
  getParentRoute: () => root,
  path: '/schedules/new',
  component: lazyRouteComponent(() => import('./schedules/schedule-form.tsx'), 'NewScheduleScreen'),
});

const schedule = createRoute({
  getParentRoute: () => root,
  path: '/schedules/$schedule',
  component: lazyRouteComponent(() => import('./schedules/schedule-screen.tsx'), 'ScheduleScreen'),
});

const webhooks = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./webhooks/webhooks-screen.tsx'), 'WebhooksScreen'),
});

const newWebhook = createRoute({
  getParentRoute: () => root,
  path: '/webhooks/new',
  component: lazyRouteComponent(() => import('./webhooks/webhook-form.tsx'), 'NewWebhookScreen'),
});

const webhook = createRoute({
  getParentRoute: () => root,
  path: '/webhooks/$webhook',
  validateSearch: parseWebhookSearch,
  component: lazyRouteComponent(() => import('./webhooks/webhook-screen.tsx'), 'WebhookScreen'),
});

const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$run',
  component: lazyRouteComponent(() => import('./run/run-screen.tsx'), 'RunScreen'),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: '/runs/$run/compare/$other',
  validateSearch: parseCompareSearch,
  component: lazyRouteComponent(() => import('./compare/compare-screen.tsx'), 'CompareScreen'),
});

const runHome = createRoute({
  getParentRoute: () => run,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/runs/$run/graph', params: params as { run: string }, replace: true }); // of the route above
  },
});

const graph = createRoute({
  getParentRoute: () => run,
  path: '/graph',
  validateSearch: parseGraphSearch,
  component: lazyRouteComponent(() => import('./run/graph/graph-tab.tsx'), 'GraphTab'),
});

const activations = createRoute({
  getParentRoute: () => run,
  path: '/activations',
  validateSearch: parseActivationsSearch,
  component: lazyRouteComponent(() => import('./run/activations/activations-tab.tsx'), 'ActivationsTab'),
});

const timeline = createRoute({
  getParentRoute: () => run,
  path: '/timeline',
  validateSearch: parseTimelineSearch,
  component: lazyRouteComponent(() => import('./run/timeline/timeline-tab.tsx'), 'TimelineTab'),
});

const conversation = createRoute({
  getParentRoute: () => run,
  path: '/conversation',
  validateSearch: parseConversationSearch,
  component: lazyRouteComponent(() => import('./run/conversation/conversation-tab.tsx'), 'ConversationTab'),
});

const files = createRoute({
  getParentRoute: () => run,
  path: '/files',
  // The file that is previewed, and the digest of its version; absent: the present one.
  validateSearch: searchOf({ file: matching(/^[0-9a-f]{24}$/), version: matching(/^[0-9a-f]{64}$/) }),
  component: lazyRouteComponent(() => import('./run/files/files-tab.tsx'), 'FilesTab'),
});

const money = createRoute({
  getParentRoute: () => run,
  path: '/money',
  // The last event that counts; absent: the newest.
  validateSearch: searchOf({ at: eventId }),
  component: lazyRouteComponent(() => import('./run/money/money-tab.tsx'), 'MoneyTab'),
});

const journal = createRoute({
  getParentRoute: () => run,
  path: '/journal',
  validateSearch: parseJournalSearch,
  component: lazyRouteComponent(() => import('./run/journal/journal-tab.tsx'), 'JournalTab'),
});

const yaml = createRoute({
  getParentRoute: () => run,
  path: '/yaml',
  validateSearch: parseYamlSearch,
  component: lazyRouteComponent(() => import('./run/yaml/yaml-tab.tsx'), 'YamlTab'),
});

const inbox = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  validateSearch: parseInboxSearch,
  component: lazyRouteComponent(() => import('./inbox/inbox-screen.tsx'), 'InboxScreen'),
});

const firstQuestion = createRoute({
  getParentRoute: () => inbox,
  path: '/',
  component: lazyRouteComponent(() => import('./inbox/inbox-screen.tsx'), 'FirstQuestion'),
});

const question = createRoute({
  getParentRoute: () => inbox,
  path: '/$task',
  component: lazyRouteComponent(() => import('./inbox/inbox-screen.tsx'), 'Question'),
});

const settingsHome = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  beforeLoad: () => {
    throw redirect({ to: '/settings/$part', params: { part: 'appearance' }, replace: true });
  },
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings/$part',
  component: lazyRouteComponent(() => import('./settings/settings-screen.tsx'), 'SettingsScreen'),
});

const operationsHome = createRoute({
  getParentRoute: () => root,
  path: '/operations',
  beforeLoad: () => {
    throw redirect({ to: '/operations/$part', params: { part: 'workers' }, replace: true });
  },
});

const operations = createRoute({
  getParentRoute: () => root,
  path: '/operations/$part',
  component: lazyRouteComponent(() => import('./operations/operations-screen.tsx'), 'OperationsScreen'),
});

const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  validateSearch: parseUsageSearch,
  component: lazyRouteComponent(() => import('./usage/usage-screen.tsx'), 'UsageScreen'),
});

/** Version of a workflow that an address names, by its hash; absent: the current one, or all. */
const parseVersion = searchOf({ version: matching(/^[0-9a-f]{32}$/) });

const workflows = createRoute({
  getParentRoute: () => root,
  path: '/workflows',
  component: lazyRouteComponent(() => import('./workflows/workflows-screen.tsx'), 'WorkflowsScreen'),
});

const newWorkflow = createRoute({
  getParentRoute: () => root,
  path: '/workflows/new',
  component: lazyRouteComponent(() => import('./workflows/editor/new-workflow-screen.tsx'), 'NewWorkflowScreen'),
});

const workflow = createRoute({
  getParentRoute: () => root,
  path: '/workflows/$name',
  component: lazyRouteComponent(() => import('./workflows/workflow-screen.tsx'), 'WorkflowScreen'),
});

const workflowHome = createRoute({
  getParentRoute: () => workflow,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/workflows/$name/overview', params: params as { name: string }, replace: true }); // of the route above
  },
});

const workflowOverview = createRoute({
  getParentRoute: () => workflow,
  path: '/overview',
  component: lazyRouteComponent(() => import('./workflows/overview/overview-tab.tsx'), 'OverviewTab'),
});

const workflowEdit = createRoute({
  getParentRoute: () => workflow,
  path: '/edit',
  validateSearch: parseVersion,
  component: lazyRouteComponent(() => import('./workflows/editor/edit-tab.tsx'), 'EditTab'),
});

const workflowVersions = createRoute({
  getParentRoute: () => workflow,
  path: '/versions',
  component: lazyRouteComponent(() => import('./workflows/versions/versions-tab.tsx'), 'VersionsTab'),
});

const workflowRuns = createRoute({
  getParentRoute: () => workflow,
  path: '/runs',
  validateSearch: parseVersion,
  component: lazyRouteComponent(() => import('./workflows/workflow-runs-tab.tsx'), 'WorkflowRunsTab'),
});

const workflowDiff = createRoute({
  getParentRoute: () => workflow,
  path: '/diff/$a/$b',
  component: lazyRouteComponent(() => import('./workflows/versions/diff-tab.tsx'), 'DiffTab'),
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: searchOf({ to: text }),
  component: lazyRouteComponent(() => import('./frame/sign-in.tsx'), 'SignInScreen'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    signIn,
    runs,
    start,
    bulkActions,
    bulkAction,
    batches,
    newBatch,
    batch,
    schedules,
    newSchedule,
    schedule,
    webhooks,
    newWebhook,
    webhook,
    run.addChildren([runHome, graph, timeline, activations, conversation, journal, files, money, yaml]),
    compare,
    usage,
    operationsHome,
    operations,
    settingsHome,
    workflows,
    newWorkflow,
    workflow.addChildren([workflowHome, workflowOverview, workflowEdit, workflowVersions, workflowRuns, workflowDiff]),
    settings,
    inbox.addChildren([firstQuestion, question]),
  ]),
  basepath: '/ui',
  defaultErrorComponent: NotLoaded,
  defaultPreload: false,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
