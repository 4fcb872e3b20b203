/** `gatehouse catalog import`: makes a connector folder from an OpenAPI description and checks it before writing. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importOpenApi, type ImportRequest, type ImportResult } from '../../catalog/import/import-openapi.ts';
import { ImportError } from '../../catalog/import/report.ts';
import { FIRST_WORDS } from '../../catalog/import/write-files.ts';
import { ServiceError } from '../../core/errors.ts';
import { checkCatalogFiles } from './catalog.ts';
import { loadInstalledCatalog } from '../services/installed-catalog.ts';

export { reportLines } from '../../catalog/import/write-files.ts';

/** The document to import, and the target folder. */
export interface CatalogImport extends Omit<ImportRequest, 'taken'> {
  /** Absolute; the connector gets its own folder inside. */
  outDir: string;
  /** Replaces files of an earlier import, and other files with the same names. */
  isForced: boolean;
}

/** The result of an import. */
export interface WrittenCatalog extends Pick<ImportResult, 'connector' | 'remarks' | 'operations'> {
  /** Absolute. */
  folder: string;
  files: readonly string[];
}

/**
 * Writes nothing unless all checks pass.
 *
 * @throws ServiceError INVALID_ARGUMENT with every problem of the document, the names and the folder
 */
export async function importCatalog(request: CatalogImport): Promise<WrittenCatalog> {
  try {
    return await writeImport(request);
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    const violations = error.problems.map(({ place, message }) => ({ field: place, description: message }));
    throw new ServiceError('INVALID_ARGUMENT', error.message, { details: { field_violations: violations } });
  }
}

async function writeImport({ outDir, isForced, ...request }: CatalogImport): Promise<WrittenCatalog> {
  const { connectors, tools } = await loadInstalledCatalog([]);
  const taken = { connectors: new Set(connectors.keys()), tools: new Set(tools.keys()) };
  const { files, ...result } = importOpenApi({ ...request, taken });
  checkFiles(result.connector, files);
  const folder = join(outDir, result.connector);
  const earlier = filesIn(folder);
  if (earlier.length > 0 && !isForced)
    throw new ImportError([
      {
        place: folder,
        message: 'exists already. Choose another folder with --out, or replace what is there with --force.',
      },
    ]);
  mkdirSync(folder, { recursive: true });
  for (const name of earlier)
    if (!files.has(name) && readFileSync(join(folder, name), 'utf8').startsWith(FIRST_WORDS))
      rmSync(join(folder, name));
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  return { ...result, folder, files: [...files.keys()] };
}

/** The problems that a start would report about the files: a bug of the import, not a fault of the document. */
function checkFiles(connector: string, files: ReadonlyMap<string, string>): void {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-import-'));
  try {
    mkdirSync(join(dir, connector));
    for (const [name, text] of files) writeFileSync(join(dir, connector, name), text);
    const problems = checkCatalogFiles([dir]).problems.filter(({ file }) => file.startsWith(dir));
    if (problems.length > 0)
      throw new ImportError(
        problems.map(({ file, line, message }) => ({
          place: `${file.slice(dir.length + 1)}:${line}`,
          message,
        })),
      );
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => /\.ya?ml$/i.test(name)) : [];
}
