const { floors } = require('./scripts/lint/floors.cjs');

const tests = '\\.test\\.ts$';

/** What each package may import; everything not listed here is refused. */
const law = {
  core: [],
  catalog: ['core'],
  runtime: ['core'],
  worker: ['core', 'catalog', 'runtime'],
  testing: ['core', 'catalog', 'runtime', 'worker'],
  api: ['core', 'runtime'],
  orchestrator: ['core', 'catalog', 'runtime', 'api', 'client'],
  client: [],
  dashboard: ['client', 'core'],
  cli: ['core', 'catalog', 'runtime', 'worker', 'testing', 'api', 'orchestrator', 'client'],
};

/** Expressions for the sources that a package can be entered by: the `exports` of its package.json. */
const entriesOf = (name) =>
  Object.values(require(`./packages/${name}/package.json`).exports)
    .flatMap(({ source = [] }) => source)
    .map((path) => `^packages/${name}/${path.slice('./'.length).replaceAll('.', '\\.')}$`);

const lawOf = ([name, allowed]) => ({
  name: `${name}-imports-${allowed.join('-') || 'nothing'}`,
  comment: `packages/${name} may import ${allowed.join(', ') || 'no other package'}.`,
  severity: 'error',
  from: { path: `^packages/${name}/src/`, pathNot: tests },
  to: { path: '^packages/', pathNot: `^packages/(${[name, ...allowed].join('|')})/` },
});

const folderOf = (name, folder) => `^packages/${name}/src/${folder}/[^/]+$`;

const floorRules = Object.entries(floors).flatMap(([name, folders]) => [
  ...folders.slice(0, -1).map((folder, at) => ({
    name: `${name}-${folder.replaceAll('/', '-')}-imports-downwards`,
    comment: `packages/${name}/src/${folder} stands below the folders after it in \`floors\`.`,
    severity: 'error',
    from: { path: folderOf(name, folder), pathNot: tests },
    to: { path: folders.slice(at + 1).map((above) => folderOf(name, above)) },
  })),
  {
    name: `${name}-has-no-other-folders`,
    comment: 'A new folder takes its place in `floors`.',
    severity: 'error',
    from: { path: `^packages/${name}/src/.+/`, pathNot: [tests, ...folders.map((folder) => folderOf(name, folder))] },
    to: {},
  },
  {
    name: `${name}-imports-from-known-folders`,
    comment: 'A new folder takes its place in `floors`, even if its files import nothing.',
    severity: 'error',
    from: { path: `^packages/${name}/src/` },
    to: { path: `^packages/${name}/src/.+/`, pathNot: folders.map((folder) => folderOf(name, folder)) },
  },
]);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(law).map(lawOf),
    ...floorRules,
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one idea in two places, or two ideas tangled.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'shell-imports-no-adapter',
      comment:
        'Commits, runs, replays and maintenance know ports; which adapters stand behind them is decided where a runtime is opened.',
      severity: 'error',
      from: { path: '^packages/runtime/src/(?!adapters/)[^/]+/', pathNot: tests },
      to: { path: '^packages/runtime/src/adapters/' },
    },
    {
      name: 'ports-import-ports',
      comment: 'A port says what an adapter must do, and nothing of how it is used.',
      severity: 'error',
      from: { path: '^packages/runtime/src/ports/', pathNot: tests },
      to: { path: '^packages/runtime/src/', pathNot: '^packages/runtime/src/ports/' },
    },
    {
      name: 'adapters-are-separate',
      comment: 'An adapter is one folder; those that keep something in Redis take its connection, keys and scripts.',
      severity: 'error',
      from: { path: '^packages/runtime/src/adapters/([^/]+)/', pathNot: tests },
      to: {
        path: '^packages/runtime/src/adapters/',
        pathNot: ['^packages/runtime/src/adapters/$1/', '^packages/runtime/src/adapters/redis/'],
      },
    },
    {
      name: 'core-is-pure',
      comment: 'The core decides; whatever touches the outside world lives in a shell.',
      severity: 'error',
      from: { path: '^packages/core/src/', pathNot: tests },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'core-needs-zod-and-yaml-only',
      severity: 'error',
      from: { path: '^packages/core/src/', pathNot: tests },
      to: { path: 'node_modules/', pathNot: 'node_modules/(zod|yaml)/' },
    },
    {
      name: 'api-needs-types-of-the-runtime-only',
      comment: 'Commands load operations without loading the runtime.',
      severity: 'error',
      from: { path: '^packages/api/src/', pathNot: tests },
      to: { path: '^packages/runtime/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'api-is-free-of-the-platform',
      severity: 'error',
      from: { path: '^packages/api/src/', pathNot: tests },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'client-runs-anywhere',
      comment:
        'The client needs fetch and nothing else of its platform; of the API it takes types, which are gone when it runs.',
      severity: 'error',
      from: { path: '^packages/client/src/', pathNot: tests },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'client-takes-types-only',
      severity: 'error',
      from: { path: '^packages/client/src/', pathNot: tests },
      to: { path: '^packages/', pathNot: '^packages/client/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'enter-by-the-front-door',
      comment:
        'Another package is imported by its name, which leads to its index.ts, or to an entry of its own for what must load fast.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: {
        path: '^packages/',
        pathNot: ['^packages/$1/', ...Object.keys(law).flatMap(entriesOf)],
      },
    },
    {
      name: 'dashboard-takes-pure-entries-of-core',
      comment:
        'The projection of a run, the sums of usage, durations, statuses and CSV are the parts of the core that pages share.',
      severity: 'error',
      from: { path: '^packages/dashboard/' },
      to: {
        path: '^packages/core/',
        pathNot:
          '^packages/core/src/(projection/index|resources/csv|definitions/question-id|model/(run-status|usage/usage|text/(duration|exact-numbers|visible-text)))\\.ts$',
      },
    },
    {
      name: 'projection-loads-no-library',
      comment: 'Pages load the projection: of files beside its own, it takes sums of usage and budgets, and types.',
      severity: 'error',
      from: { path: '^packages/core/src/(projection/|model/usage/usage\\.ts$)', pathNot: tests },
      to: {
        pathNot: '^packages/core/src/(projection/|model/usage/(usage|budget)\\.ts$)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'engine-takes-types-of-the-schemas-of-events',
      comment:
        'The schemas of events load where events are published or parsed; the start of a worker does not pay for them.',
      severity: 'error',
      from: {
        path: '^packages/',
        pathNot: [
          tests,
          '^packages/api/',
          '^packages/core/src/(schemas|engine/records/([a-z]+-events|event-definition|journal-event|stop))\\.ts$',
        ],
      },
      to: {
        path: '^packages/core/src/(schemas|model/recorded|engine/records/([a-z]+-events|event-definition|journal-event|stop))\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'find-redis-loads-no-library',
      comment: 'A command on a machine without Redis names the ways to one before it loads anything else.',
      severity: 'error',
      from: { path: '^packages/runtime/src/adapters/redis-server/find-redis\\.ts$' },
      to: { path: '^node_modules/|^packages/[^/]+/src/index\\.ts$', reachable: true },
    },
    {
      name: 'no-relative-path-into-another-package',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: { path: '^packages/', pathNot: '^packages/$1/', dependencyTypes: ['local'] },
    },
    {
      name: 'sources-do-not-know-the-tests',
      comment: 'A test beside its source may use test/support; the source itself may not.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: tests },
      to: { path: ['^test/', tests] },
    },
    {
      name: 'only-declared-packages',
      comment: 'What is imported is listed in the package.json of the package that imports it.',
      severity: 'error',
      from: { path: '^packages/(?!dashboard/|cli/)', pathNot: tests },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'], dependencyTypesNot: ['npm-peer'] },
    },
    {
      name: 'command-imports-only-declared-packages',
      comment: 'What the command imports is listed in its package.json: under devDependencies, as it is bundled.',
      severity: 'error',
      from: { path: '^packages/cli/', pathNot: tests },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm-peer'] },
    },
    {
      name: 'optional-packages-are-loaded-when-needed',
      comment:
        'Peers are optional: what is not installed may be imported only at the moment of its use, or for its types.',
      severity: 'error',
      from: { path: '^packages/', pathNot: tests },
      to: { dependencyTypes: ['npm-peer'], dependencyTypesNot: ['type-only'], dynamic: false },
    },
    {
      name: 'dashboard-bundles-declared-packages',
      comment: 'Its build contains what it imports, so these are development dependencies.',
      severity: 'error',
      from: { path: '^packages/dashboard/', pathNot: tests },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    { name: 'everything-resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Programs that are installed only for `npm run bench -- --peers`.
    exclude: { path: ['(^|/)dist/', '^test/bench/peers/.*\\.mjs$'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'types', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
  },
};
