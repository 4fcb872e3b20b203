/**
 * Part of bench/scale.ts: what breaks under load, at the largest size, and how long it takes until calls work again.
 * Nothing acknowledged may be lost. What callers see of each fault is tested in test/process.
 */
import { Client } from 'pg';
import { rows } from '../../src/store/engine/rows.ts';
import { openDatabase } from '../../src/store/open.ts';
import type { ServerProcess } from '../../test/support/deployment/server-process.ts';
import { rounded } from './figures.ts';
import { caller, type Installation } from './installation.ts';

const WORKERS = 8;

/** Calls before something breaks. */
const CALLS = 200;

/** Otherwise a call is answered too if its record cannot be stored. */
const RECORDED = { GATEHOUSE_EXECUTIONS_REQUIRED: 'true' };

/** Records that are asked for at once. */
const CHUNK = 500;

interface Fault {
  name: string;
  /** @returns the process that serves afterwards */
  strike: (server: ServerProcess) => Promise<ServerProcess>;
}

/** @param installation the largest one */
export async function measureFaults(installation: Installation | undefined) {
  if (installation === undefined) return {};
  const figures: Record<string, object> = {};
  const failures: string[] = [];
  for (const { name, strike } of faultsOf(installation)) {
    const { recoveredMs, acknowledged, lost } = await underLoad(installation, strike);
    figures[name] = { recoveredMs: Math.round(recoveredMs), acknowledged, lost };
    if (lost > 0) failures.push(`${name}: ${lost} of ${acknowledged} acknowledged calls have no record.`);
  }
  return { figures, failures };
}

function faultsOf({ deployment, dialect, url }: Installation): Fault[] {
  const killed: Fault = {
    name: 'kill -9 and a new start',
    strike: async (server) => {
      await server.kill();
      return deployment.serve(RECORDED);
    },
  };
  if (dialect === 'sqlite') return [killed];
  const cut: Fault = {
    name: 'all connections to the database cut',
    strike: async (server) => {
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      await client.end();
      return server;
    },
  };
  return [killed, cut];
}

/** Calls from several callers, in the middle of which something breaks. */
async function underLoad(
  installation: Installation,
  strike: Fault['strike'],
): Promise<{ recoveredMs: number; acknowledged: number; lost: number }> {
  const first = await installation.deployment.serve(RECORDED);
  const recorded: string[] = [];
  const enough = Promise.withResolvers<void>();
  const over = new AbortController();
  const worker = async (n: number): Promise<void> => {
    // A call that is cut off is answered or not; only what was answered counts.
    for (let turn = n; !over.signal.aborted; turn += WORKERS) {
      const answer = await first.call(caller(turn)).catch(() => undefined);
      if (answer?.status !== 200) {
        if (first.child.exitCode !== null || first.child.signalCode !== null) return;
        continue;
      }
      recorded.push((JSON.parse(answer.text) as { execution_id: string }).execution_id);
      if (recorded.length === CALLS) enough.resolve();
    }
  };
  const workers = Promise.all(Array.from({ length: WORKERS }, async (_, n) => worker(n)));
  await enough.promise;
  const brokenAt = performance.now();
  const server = await strike(first);
  await server.callUntilItWorks(caller(0));
  const recoveredMs = rounded(performance.now() - brokenAt);
  over.abort();
  await workers;
  await server.stop();
  const lost = await missingOf(installation, recorded);
  return { recoveredMs, acknowledged: recorded.length, lost };
}

/** Number of these executions that are not stored. */
async function missingOf({ environmentId, url }: Installation, ids: readonly string[]): Promise<number> {
  const db = await openDatabase({ url });
  let found = 0;
  for (let from = 0; from < ids.length; from += CHUNK)
    found += (await rows(db.read, 'executions').findAll(environmentId, ids.slice(from, from + CHUNK))).length;
  await db.close();
  return ids.length - found;
}
