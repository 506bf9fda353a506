// Bundles the command with the packages below it and their dependencies: a process starts in a third of the time that it takes to
// load some thousand modules, and users install three packages in place of 163.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';
import { commandMethods } from './build/command-methods.mjs';
import { eagerWrappers } from './build/eager-wrappers.mjs';
import { notices } from './build/notices.mjs';
import { ownFiles } from './build/own-files.mjs';
import { partGroups } from './build/parts.mjs';

const packages = fileURLToPath(new URL('..', import.meta.url));
const out = join(packages, 'cli', 'dist', 'bundle');

const manifestOf = (name) => JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'));
const optional = readdirSync(packages).flatMap((name) => Object.keys(manifestOf(name).peerDependenciesMeta ?? {}));
/** Packages that are installed, or missing, beside the command. */
const external = [...Object.keys(manifestOf('cli').dependencies), ...optional].filter(
  // Metrics need it without tracing, too. Its copies in a process share their state.
  (name) => name !== '@opentelemetry/api',
);

/**
 * BullMQ as separate modules, of which the unused ones are left out: half of its other build is for PostgreSQL and sandboxes.
 * Its encoder without the accelerator for reading, which it never does: each start would look for that.
 */
const bullmq = createRequire(join(packages, 'runtime', 'package.json')).resolve('bullmq');
const msgpackr = createRequire(bullmq).resolve('msgpackr');
const alias = {
  bullmq: join(dirname(bullmq), '..', 'esm', 'index.js'),
  msgpackr: join(dirname(msgpackr), '..', 'index.js'),
};

/** Dependencies import in circles, and one has an `eval`. What is imported when it is needed may be in a part that is there already. */
const expected = ['CIRCULAR_DEPENDENCY', 'EVAL', 'INEFFECTIVE_DYNAMIC_IMPORT'];

export default defineConfig({
  input: { main: join(packages, 'cli', 'dist', 'main.js') },
  platform: 'node',
  external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
  resolve: { alias },
  treeshake: { moduleSideEffects: [{ test: /[\\/]node_modules[\\/]bullmq[\\/]/, sideEffects: false }] },
  plugins: [ownFiles(out), commandMethods(), eagerWrappers(), notices('THIRD-PARTY-NOTICES.txt')],
  // Functions and classes keep their names, so that the stack traces of reports can be read. Variables have short ones: less
  // text is parsed, and a process starts with a fifth less processor time.
  output: {
    dir: out,
    // V8 keeps and scans texts with other characters in two bytes a character.
    charset: 'ascii',
    cleanDir: true,
    // Without digests: processes that started before a build can load the chunks that they have not loaded yet.
    chunkFileNames: '[name].js',
    codeSplitting: { groups: partGroups() },
    assetFileNames: 'assets/[name][extname]',
    minify: {
      compress: { keepNames: { function: true, class: true } },
      mangle: { keepNames: true },
      codegen: { removeWhitespace: true },
    },
  },
  onLog(level, log, handle) {
    if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
    if (level === 'warn' && !expected.includes(log.code)) handle(level, log);
  },
});
