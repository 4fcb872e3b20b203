/**
 * Writes every generated file of the repository. With `--check` it writes nothing, and fails if one is
 * missing or differs.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generateCatalogFiles } from './generate-catalog-docs.ts';
import { generateConfigurationFiles } from './generate-configuration.ts';
import { generateErrorFiles } from './generate-errors.ts';
import { generateInputFiles } from './generate-inputs.ts';

const ROOT = join(import.meta.dirname, '..');

const onlyCheck = process.argv.includes('--check');
const generated = new Map([
  ...generateCatalogFiles(),
  ...generateConfigurationFiles(),
  ...generateErrorFiles(),
  ...(await generateInputFiles()),
]);

let stale = 0;
for (const [path, content] of generated) {
  const file = join(ROOT, path);
  if (existsSync(file) && readFileSync(file, 'utf8') === content) continue;
  stale++;
  if (onlyCheck) {
    console.error(`${path} is not up to date`);
  } else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    console.log(`wrote ${path}`);
  }
}
if (onlyCheck && stale > 0) {
  console.error('Run "npm run generate" and commit what it writes.');
  process.exitCode = 1;
} else {
  console.log(`${generated.size} generated files are up to date`);
}
