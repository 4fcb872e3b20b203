/** The walk-through of docs/adding-a-connector/openapi.md: its document, and what it says the import answers. */
import { describe, expect, it } from 'vitest';
import { reportLines } from '../../../src/catalog/import/write-files.ts';
import { importCommand } from '../../../src/cli/commands/catalog-import.ts';
import type { Terminal } from '../../../src/cli/terminal/terminal.ts';
import { page } from '../../support/documentation.ts';
import { imported, loaded } from './import-support.ts';

const text = page('adding-a-connector/openapi.md');

describe('documentation of the OpenAPI import (docs/adding-a-connector/openapi.md)', () => {
  it('shows a description that becomes working tools, and the messages of the import', () => {
    const [, document = ''] = /^```yaml\n# books\.openapi\.yaml\n([\s\S]*?)^```$/m.exec(text) ?? [];
    const result = imported(document, { name: 'shop' });
    expect(loaded(result).tools.map(({ name }) => name)).toEqual(['shop_get_book', 'shop_list_books']);
    const lines = result.operations.filter(({ notes }) => notes.length > 0).flatMap(reportLines);
    expect(lines).toHaveLength(4);
    expect(text).toContain(`\`\`\`\n${lines.join('\n')}\n2 of 3 operations became tools.`);
  });

  it('explains every option of the import', () => {
    const options = importCommand({} as Terminal).options.map(({ long }) => long);
    const own = options.filter((long) => long !== '--environment' && long !== '--config');
    expect(own).toHaveLength(7);
    for (const long of own) expect(text).toContain(`\`${long}\``);
  });
});
