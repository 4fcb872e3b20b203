/**
 * Notifies this process when a transaction with new events in the outbox is committed, so that they are sent
 * at once. Other processes find them by polling.
 */
import type { Database, WriteTransaction } from './database.ts';

const written = new WeakSet<WriteTransaction>();

/** Notes that the transaction writes deliveries. */
export function markOutbox(tx: WriteTransaction): void {
  written.add(tx);
}

/** The same database; `onCommit` runs after each commit of a transaction that wrote deliveries. */
export function signallingOutbox(db: Database, onCommit: () => void): Database {
  return {
    dialect: db.dialect,
    read: db.read,
    longRead: db.longRead,
    version: () => db.version(),
    transaction: async (work) => {
      let hasWritten = false;
      const result = await db.transaction(async (tx) => {
        const done = await work(tx);
        hasWritten = written.has(tx);
        return done;
      });
      if (hasWritten) onCommit();
      return result;
    },
    close: async () => db.close(),
  };
}
