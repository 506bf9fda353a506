import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { matching, searchOf } from './kit/values/search.ts';
import { root } from './root-route.ts';

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
    throw redirect({ to: '/workflows/$name/versions', params: params as { name: string }, replace: true }); // of the route above
  },
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

/** Addresses of the screens of workflows. */
export const workflowRoutes = [
  workflows,
  newWorkflow,
  workflow.addChildren([workflowHome, workflowEdit, workflowVersions, workflowRuns, workflowDiff]),
] as const;
