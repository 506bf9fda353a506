import type { DefaultTheme } from 'vitepress';

/** Pages in the order in which a person learns: first steps, concepts, tasks, reference, and where to come from. */
export const sidebar: DefaultTheme.SidebarItem[] = [
  group('Start', {
    'What Millrace is': '/start',
    Tutorial: '/guide/tutorial',
    Installation: '/guide/compatibility',
  }),
  group('Write workflows', {
    'Nodes, edges, loops': '/guide/workflows',
    'Agents and models': '/guide/agents',
    'Tools and skills': '/guide/tools',
    Memory: '/guide/memory',
    'Python nodes': '/guide/python-nodes',
    Terminations: '/guide/termination',
    Bosses: '/guide/boss',
    'Your own functions': '/guide/extending',
  }),
  group('Run workflows', {
    'Command line': '/guide/command-line',
    Dashboard: '/guide/dashboard',
    'Life of a run': '/guide/life-of-a-run',
    'Replays and forks': '/guide/replay',
    Batches: '/guide/batches',
    Schedules: '/guide/schedules',
    'Files and large contents': '/guide/files',
    'Budgets and rate limits': '/guide/budgets',
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
    Security: '/guide/security',
    Observability: '/guide/observability',
    'Queues and fairness': '/guide/fairness',
    Upgrading: '/guide/upgrading',
    Compatibility: '/guide/compatibility',
    Performance: '/guide/performance',
  }),
  group('Reference', {
    'Error codes': '/errors/',
    'Keys in Redis': '/reference/redis-keys',
    Guarantees: '/guide/guarantees',
    Glossary: '/glossary',
    Decisions: '/adr/',
  }),
  group('Compare and move', {
    'Compatibility with ChatDev': '/guide/chatdev-compatibility',
  }),
];

/** A heading of the sidebar with its pages, by their titles. */
function group(text: string, pages: Readonly<Record<string, string>>): DefaultTheme.SidebarItem {
  const items = Object.entries(pages).map(([title, link]) => ({ text: title, link }));
  return { text, collapsed: false, items };
}
