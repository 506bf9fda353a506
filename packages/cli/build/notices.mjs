import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

const inDependency = `${sep}node_modules${sep}`;

/** Plugin of Rolldown: writes the licenses of all packages whose code the bundle contains, as their licenses require. */
export function notices(fileName) {
  return {
    name: 'notices',
    generateBundle(_options, bundle) {
      const folders = new Set();
      for (const chunk of Object.values(bundle)) {
        for (const id of chunk.type === 'chunk' ? chunk.moduleIds : []) {
          if (id.includes(inDependency)) folders.add(packageOf(id));
        }
      }
      const texts = [...new Set([...folders].map(noticeOf))].sort();
      this.emitFile({ type: 'asset', fileName, source: `${texts.join(`\n${'-'.repeat(80)}\n\n`)}` });
    },
  };
}

/** Returns the folder of the package that a module belongs to; folders inside a package have manifests without a name. */
function packageOf(id) {
  let folder = dirname(id.replace(/^\0/, '').split('?')[0]);
  while (!existsSync(join(folder, 'package.json')) || manifestOf(folder).version === undefined)
    folder = dirname(folder);
  return folder;
}

function noticeOf(folder) {
  const { name, version, license } = manifestOf(folder);
  if (license === undefined) throw new Error(`${name} names no license, so the bundle must not contain it.`);
  const texts = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file));
  return [`${name} ${version} (${license})\n`, ...texts.map((file) => readFileSync(join(folder, file), 'utf8'))].join(
    '\n',
  );
}

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
