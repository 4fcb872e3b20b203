/** A tool whose answer is text: the result is the text as it is. */
import { expect, it } from 'vitest';
import type { Catalog } from '../../../src/catalog/model/types.ts';
import {
  callLedger,
  ledgerAccount,
  ledgerCatalog,
  ledgerServices,
} from '../../credentials/refresh/ledger.ts';
import { answer, type Services } from '../../support/services.ts';

async function withText(): Promise<{ services: Services; id: string }> {
  const { connectors, tools } = ledgerCatalog();
  const changed = [...tools].map(
    ([name, tool]) => [name, { ...tool, response: { as: 'text' as const } }] as const,
  );
  const catalog: Catalog = { connectors, tools: new Map(changed) };
  const services = await ledgerServices({ catalog });
  return { services, id: await ledgerAccount(services, { access_token: 'access-token-0001' }) };
}

it.each(['id,title\n1,"Dune"\n', '', '[1]', 'null'])('returns the text answer %j unchanged', async (text) => {
  const { services, id } = await withText();
  services.answers.push({ status: 200, headers: { 'content-type': 'text/csv' }, body: Buffer.from(text) });
  expect((await callLedger(services, id)).data).toBe(text);
  expect(services.sent[0]?.headers['accept']).toBe('*/*');
});

it('masks the credential in a text answer', async () => {
  const { services, id } = await withText();
  services.answers.push({ status: 200, headers: {}, body: Buffer.from('key,access-token-0001') });
  expect((await callLedger(services, id)).data).toBe('key,[secret]');
});

it('treats a text answer with an error status as a failure', async () => {
  const { services, id } = await withText();
  services.answers.push(answer(404, { error: 'no such report' }));
  await expect(callLedger(services, id)).rejects.toMatchObject({ code: 'TOOL_ERROR', status: 404 });
});
