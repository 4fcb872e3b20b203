import { describe, expect, it } from 'vitest';
import { PageTokens } from '../../src/core/page-token.ts';
import { AuditLog } from '../../src/api-credentials/audit-log.ts';
import { writeAuditLine } from '../../src/store/records/audit-store.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { forEachDatabase } from '../support/databases.ts';
import { admin, withEnvironments } from '../authorization-server/identity-support.ts';

/** 2026-11-20T12:00:00Z */
const NOON = 1_795_176_000_000;

/** Five lines, one a second from noon on, and one of another environment. */
async function withLines(db: Database): Promise<Database> {
  await withEnvironments(db, 'env_dev', 'env_prod');
  await db.transaction(async (tx) => {
    const write = async (
      seconds: number,
      actor: string,
      action: string,
      target: string,
      environmentId = 'env_dev',
    ) =>
      writeAuditLine(
        tx,
        { environmentId, actor, ip: '192.0.2.7' },
        { action, target, now: NOON + seconds * 1_000 },
      );
    await write(0, 'local', 'connection.create', 'conn_1');
    await write(1, 'cred_1', 'connection.update', 'conn_1');
    await write(2, 'usr_1', 'connections.other', 'conn_1');
    await write(3, 'usr_1', 'connection.delete', 'conn_2');
    await write(4, 'cred_1', 'session.create', 'ses_1');
    await write(5, 'cred_1', 'connection.create', 'conn_9', 'env_prod');
  });
  return db;
}

forEachDatabase((_, open) => {
  const log = async (): Promise<AuditLog> =>
    new AuditLog({ db: await withLines(await open()), pageTokens: new PageTokens(Buffer.alloc(32, 1)) });
  const shown = (page: { audit: { at: string; action: string }[] }): string[] =>
    page.audit.map(({ at, action }) => `${at.slice(17, 19)} ${action}`);

  describe('audit log', () => {
    it('records who did what to what, when and from where, newest first', async () => {
      const page = await (await log()).list(admin, { target: 'conn_1', actor: 'cred_1' });
      expect(page).toEqual({
        audit: [
          {
            id: expect.stringMatching(/^aud_[0-9a-z]{26}$/) as string,
            at: '2026-11-20T12:00:01.000Z',
            actor: 'cred_1',
            action: 'connection.update',
            target: 'conn_1',
            ip: '192.0.2.7',
          },
        ],
        next_page_token: '',
        prev_page_token: '',
        total_size: 1,
      });
    });

    it('filters lines by actor, action, beginning of the action, and time', async () => {
      const audit = await log();
      const list = async (filter: Parameters<AuditLog['list']>[1]) => shown(await audit.list(admin, filter));
      expect(await list({ actor: 'usr_1' })).toEqual(['03 connection.delete', '02 connections.other']);
      expect(await list({ action: 'connection.delete' })).toEqual(['03 connection.delete']);
      expect(await list({ action: 'connection.' })).toEqual([
        '03 connection.delete',
        '01 connection.update',
        '00 connection.create',
      ]);
      expect(await list({ from: NOON + 1_000, until: NOON + 3_000 })).toEqual([
        '02 connections.other',
        '01 connection.update',
      ]);
    });

    it('pages forwards and backwards, with page tokens of this filter and environment only', async () => {
      const audit = await log();
      const first = await audit.list(admin, {}, { pageSize: 2 });
      expect([shown(first), first.total_size, first.prev_page_token]).toEqual([
        ['04 session.create', '03 connection.delete'],
        5,
        '',
      ]);
      const second = await audit.list(admin, {}, { pageSize: 2, pageToken: first.next_page_token });
      expect(shown(second)).toEqual(['02 connections.other', '01 connection.update']);
      const back = await audit.list(admin, {}, { pageSize: 2, pageToken: second.prev_page_token });
      expect([shown(back), back.prev_page_token]).toEqual([shown(first), '']);
      const last = await audit.list(admin, {}, { pageSize: 2, pageToken: second.next_page_token });
      expect([shown(last), last.next_page_token]).toEqual([['00 connection.create'], '']);
      const elsewhere = { ...admin, environmentId: 'env_prod' };
      await expect(audit.list(elsewhere, {}, { pageToken: first.next_page_token })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
    });

    it('exports the whole log of one environment as JSON lines', async () => {
      const audit = await log();
      let text = '';
      for await (const lines of audit.lines(admin, {})) text += lines;
      const actions = text
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { action: string }).action);
      expect(actions).toEqual([
        'session.create',
        'connection.delete',
        'connections.other',
        'connection.update',
        'connection.create',
      ]);
      expect(text.endsWith('\n')).toBe(true);
    });

    it('shows the log to administrators only', async () => {
      const audit = await log();
      const reader = { ...admin, scopes: new Set(['accounts:read'] as const) };
      await expect(audit.list(reader, {})).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
      await expect(audit.lines(reader, {}).next()).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    });
  });

  describe('audit log: append-only table', () => {
    it.each(['update', 'delete'])('makes the database refuse to %s a line', async (verb) => {
      const db = await withLines(await open());
      const changing = db.transaction(async (tx) =>
        verb === 'update'
          ? tx.updateTable('audit').set({ actor: 'local' }).where('actor', '=', 'usr_1').execute()
          : tx.deleteFrom('audit').where('actor', '=', 'usr_1').execute(),
      );
      await expect(changing).rejects.toThrow('audit is append-only');
    });
  });
});
