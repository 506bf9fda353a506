import type { DefaultTheme } from 'vitepress';

/** Pages in the order in which a person learns: first steps, concepts, tasks, reference, and where to come from. */
export const sidebar: DefaultTheme.SidebarItem[] = [
  group('Start', {
    'What Millrace is': '/start',
    Tutorial: '/guide/tutorial',
    Installation: '/guide/compatibility',
  }),
  group('Concepts', {
    'Runs, activations, commits': '/concepts/runs',
    'Scopes and loops': '/concepts/scopes-and-loops',
    'Fan-out': '/concepts/fan-out',
    'High availability': '/guide/high-availability',
    Guarantees: '/guide/guarantees',
    Glossary: '/glossary',
  }),
  group('Write workflows', {
    'Nodes, edges, loops': '/guide/workflows',
    'Agents and models': '/guide/agents',
    'Typed outputs': '/guide/typed-outputs',
    'Tools and skills': '/guide/tools',
    'Approve tool calls': '/guide/approvals',
    'Effects of calls': '/guide/tool-effects',
    "ChatDev's tools": '/guide/chatdev-tools',
    Memory: '/guide/memory',
    'Python nodes': '/guide/python-nodes',
    Terminations: '/guide/termination',
    Bosses: '/guide/boss',
    'Your own functions': '/guide/extending',
    'Test a workflow': '/guide/testing',
  }),
  group('Run workflows', {
    'Command line': '/guide/command-line',
    Dashboard: '/guide/dashboard',
    'From a file to its costs': '/guide/dashboard-walk',
    'Workflow editor': '/guide/workflow-editor',
    'Life of a run': '/guide/life-of-a-run',
    'Replays and forks': '/guide/replay',
    Batches: '/guide/batches',
    Schedules: '/guide/schedules',
    'Files and large contents': '/guide/files',
    'Object storage': '/guide/object-storage',
    Models: '/guide/models',
    'Budgets and rate limits': '/guide/budgets',
    'Spend less': '/guide/spend-less',
  }),
  group('Connect other programs', {
    'HTTP API': '/guide/http',
    'TypeScript client': '/guide/client',
    Webhooks: '/guide/webhooks',
    'Runs from any language': '/guide/intake',
    'Workflows as tools (MCP)': '/guide/mcp',
  }),
  group('Operate', {
    Docker: '/guide/docker',
    Production: '/guide/production',
    Scaling: '/guide/scaling',
    Security: '/guide/security',
    Observability: '/guide/observability',
    'Queues and fairness': '/guide/fairness',
    Upgrading: '/guide/upgrading',
    Performance: '/guide/performance',
  }),
  group('Reference', {
    'Workflow files': '/reference/workflow-files',
    Commands: '/reference/commands',
    'HTTP operations': '/reference/http-operations',
    Events: '/reference/events',
    Metrics: '/reference/metrics',
    'Environment variables': '/reference/environment',
    'Error codes': '/errors/',
    'Keys in Redis': '/reference/redis-keys',
    Decisions: '/adr/',
  }),
  group('Coming from', {
    ChatDev: '/coming-from/chatdev',
    LangGraph: '/coming-from/langgraph',
    Temporal: '/coming-from/temporal',
    'Differences from ChatDev': '/guide/chatdev-compatibility',
  }),
  group('Compared with', {
    Temporal: '/compare/temporal',
    LangGraph: '/compare/langgraph',
    Inngest: '/compare/inngest',
    'Conductor OSS': '/compare/conductor-oss',
    "Microsoft's Conductor": '/compare/microsoft-conductor',
    n8n: '/compare/n8n',
    'Plain BullMQ': '/compare/bullmq',
  }),
];

/** A heading of the sidebar with its pages, by their titles. */
function group(text: string, pages: Readonly<Record<string, string>>): DefaultTheme.SidebarItem {
  const items = Object.entries(pages).map(([title, link]) => ({ text: title, link }));
  return { text, collapsed: false, items };
}
